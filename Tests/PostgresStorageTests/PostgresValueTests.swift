@testable import PostgresAdapter
import Testing

@Suite struct PostgresValueTests {
  @Test(
    arguments: ["", "plain", "a\u{0}b", "\u{FFFF}", "\u{FFFF}0", "\u{0}\u{FFFF}\u{0}", "漢字é"]
  )
  func everyTextComesBackAsItWas(_ text: String) {
    let encoded = PostgresText.encode(text)
    #expect(!encoded.contains(0))
    #expect(Array(PostgresText.decode(encoded).unicodeScalars) == Array(text.unicodeScalars))
  }

  @Test func numbersAreBigEndian() {
    #expect(PostgresValue.integer(-2).encoded == [255, 255, 255, 255, 255, 255, 255, 254])
    #expect(PostgresValue.integer(nil).encoded == nil)
  }

  @Test func anArrayNamesItsElementsTypeAndMarksNulls() {
    #expect(
      PostgresValue.texts(["a", nil]).encoded == [
        0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 25, 0, 0, 0, 2, 0, 0, 0, 1,
        0, 0, 0, 1, 97, 255, 255, 255, 255,
      ]
    )
    #expect(PostgresValue.integers([]).encoded == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 20])
  }
}
