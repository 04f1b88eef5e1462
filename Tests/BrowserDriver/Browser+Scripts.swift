package import IAPModel

// What a test asks the page: by script, because nothing else sees a page as a person does.
extension Browser {
  /// Runs the body of a function on the page, with ``PageScript`` in front.
  ///
  /// - Parameters:
  ///   - body: JavaScript; what it returns comes back.
  ///   - arguments: Its `arguments`.
  /// - Returns: What it returned.
  @discardableResult
  package func run(
    _ body: String,
    _ arguments: [JSONValue] = []
  ) async throws(BrowserError)
    -> JSONValue
  {
    try await session.post(
      "/execute/sync",
      ["script": .string(PageScript.text + "\n" + body), "args": .array(arguments)]
    )
  }

  /// Waits until an expression is true, looking at it after each change of the page.
  ///
  /// A page that is left in the meantime is waited for, and asked in its turn.
  ///
  /// - Parameters:
  ///   - what: What is waited for, for the error.
  ///   - expression: JavaScript; may use `arguments`.
  ///   - arguments: Its arguments.
  ///   - seconds: How long, at most.
  /// - Returns: The value that was not false.
  @discardableResult
  package func wait(
    for what: String,
    _ expression: String,
    _ arguments: [JSONValue] = [],
    seconds: Int = Browser.waitSecondsMax
  ) async throws(BrowserError) -> JSONValue {
    let script = """
      \(PageScript.text)
      const done = arguments[arguments.length - 1];
      const given = Array.from(arguments).slice(0, -1);
      const look = () => (function () { return (\(expression)); }).apply(null, given);
      let first = look();
      if (first) { done(first); return; }
      let watch, timer;
      const check = () => {
        const found = look();
        if (found) { watch.disconnect(); clearInterval(timer); done(found); }
      };
      watch = new MutationObserver(check);
      watch.observe(document, {
        subtree: true, childList: true, attributes: true, characterData: true });
      timer = setInterval(check, 200);
      const end = () => { watch.disconnect(); clearInterval(timer); done(null); };
      setTimeout(end, \(seconds * 1000));
      """
    var lastError: BrowserError?
    for _ in 0..<Self.pagesMax {
      do throws(BrowserError) {
        let found = try await session.post(
          "/execute/async",
          ["script": .string(script), "args": .array(arguments)]
        )
        if found != .null { return found }
        let text = (try? await run("return document.body.innerText").stringValue) ?? nil
        throw BrowserError(
          BrowserError.timeout,
          "\(what) did not come about in \(seconds) s; the page says: \(text ?? "nothing")"
        )
      } catch {
        // The page was left while it was watched.
        guard error.code == "javascript error" || error.code == "stale element reference",
          error.reason.contains("unload") || error.code != "javascript error"
        else { throw error }
        lastError = error
      }
    }
    throw lastError ?? BrowserError(BrowserError.timeout, what)
  }

  /// How many pages may be left while something is waited for.
  private static let pagesMax = 5

  // MARK: Reading

  /// The text that a person reads on the page, or in the first place that a selector names.
  package func text(of selector: String = "body") async throws(BrowserError) -> String {
    let value = try await run(
      "const e = document.querySelector(arguments[0]); return e ? e.innerText : null",
      [.string(selector)]
    )
    guard let text = value.stringValue else {
      throw BrowserError(BrowserError.notFound, "nothing is '\(selector)'")
    }
    return text
  }

  /// How many places on the page a selector names.
  package func count(_ selector: String) async throws(BrowserError) -> Int {
    let value = try await run(
      "return document.querySelectorAll(arguments[0]).length",
      [.string(selector)]
    )
    return Int(value.integerValue ?? 0)
  }

  /// Waits until the page shows a text.
  package func wait(forText text: String, in selector: String = "body") async throws(BrowserError) {
    try await wait(
      for: "the text '\(text)' in \(selector)",
      """
      Array.from(document.querySelectorAll(arguments[1]))
        .some(e => e.innerText.includes(arguments[0]))
      """,
      [.string(text), .string(selector)]
    )
  }

  /// Waits until the page does not show a text any more.
  package func wait(
    forNoText text: String,
    in selector: String = "body"
  )
    async throws(BrowserError)
  {
    try await wait(
      for: "no text '\(text)' in \(selector)",
      """
      !Array.from(document.querySelectorAll(arguments[1]))
        .some(e => e.innerText.includes(arguments[0]))
      """,
      [.string(text), .string(selector)]
    )
  }
}
