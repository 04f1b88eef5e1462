import HTTPValues
import Testing

struct MarkupTests {
  @Test func textAndAttributesCannotBecomeMarkup() {
    let evil = "<script>alert(1)</script>\"'&\u{0}"
    let markup = Markup.element("p", [.set("title", evil)], [.text(evil), .foreign(evil)])
    #expect(
      String(decoding: markup.written, as: UTF8.self)
        == "<p title=\"&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;\">"
        + "&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;"
        + "<bdi>&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;</bdi></p>"
    )
  }

  @Test func addressesThatRunScriptsAreNone() {
    #expect(MarkupTarget(web: "javascript:alert(1)") == nil)
    #expect(MarkupTarget(web: "JaVaScRiPt:alert(1)") == nil)
    #expect(MarkupTarget(web: "data:text/html,x") == nil)
    #expect(MarkupTarget(web: "https://example.com/")?.text == "https://example.com/")
    #expect(MarkupTarget("/a", [("q", "\"><b>")]).text == "/a?q=%22%3E%3Cb%3E")
  }
}
