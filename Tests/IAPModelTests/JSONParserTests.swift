import IAPModel
import Testing

private let valueTexts: [(String, JSONValue)] = [
  ("null", .null), (" \t\r\n true ", true), ("false", false), ("0", 0), ("-7", -7),
  (#""""#, ""), (#""a b""#, "a b"), ("[]", []), ("{}", [:]), ("[1,[2],{}]", [1, [2], [:]]),
  (#"{"b":1,"a":{"c":null}}"#, ["b": 1, "a": ["c": .null]]),
]

@Suite("JSON parser")
struct JSONParserTests {
  @Test(
    "a value is read as what it is",
    arguments: valueTexts
  )
  func reads(_ text: String, _ value: JSONValue) throws {
    #expect(try JSONParser.parse(text.utf8) == value)
  }

  @Test(
    "what is no JSON is refused",
    arguments: [
      "", " ", "nul", "nulll", "True", "'a'", "{", "}", "[", "]", "[1,]", "{,}", #"{"a":1,}"#,
      #"{"a" 1}"#, #"{"a":}"#, "{a:1}", #"{1:2}"#, "1 2", "{} {}", "[1 2]", "01", "-", "+1", "1.",
      ".5", "1e", "1e+", "0x1", "NaN", "Infinity", "--1", "1.e1", #"""#, #""a"#, "\"a\nb\"",
      "\"\u{1}\"", #""\x41""#, #""\u12""#, #""\u12G4""#, #""\"#, "// a\n1", "\u{FEFF}1",
    ]
  )
  func refuses(_ text: String) {
    #expect(throws: PayloadError(.notJSON, "")) { try JSONParser.parse(text.utf8) }
  }

  /// Texts are looked at eight bytes at a time: what ends one is seen wherever it stands.
  @Test("a byte is seen wherever it stands in a text")
  func seesEveryPlace() throws {
    for place in 0..<20 {
      for byte in UInt8.min...UInt8.max {
        var text = [UInt8](repeating: UInt8(ascii: "x"), count: 20)
        text[place] = byte
        let whole = [UInt8(ascii: "\"")] + text + [UInt8(ascii: "\"")]
        let read = try? JSONParser.parse(whole).stringValue
        let isPlain = byte >= 0x20 && byte < 0x80 && byte != 0x22 && byte != 0x5C
        #expect((read != nil) == isPlain, "byte \(byte) at \(place)")
        if isPlain { #expect(read == String(decoding: text, as: UTF8.self)) }
      }
      let accents = String(repeating: "x", count: place) + "é\u{7F}ü" + "y"
      #expect(try JSONParser.parse("\"\(accents)\"".utf8) == .string(accents))
    }
  }

  @Test(
    "escapes are resolved",
    arguments: [
      (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{c}\n\r\t"), (#""\u0041\u00e9\u00E9""#, "Aéé"),
      (#""\u0000""#, "\0"), (#""\ud83d\ude00""#, "😀"), (#""x\uD83D\uDE00y""#, "x😀y"),
      (#""\uffff""#, "\u{FFFF}"), (#""日本""#, "日本"),
    ]
  )
  func escapes(_ text: String, _ value: String) throws {
    #expect(try JSONParser.parse(text.utf8) == .string(value))
  }

  @Test(
    "half a surrogate pair is refused",
    arguments: [
      #""\ud83d""#, #""\ude00""#, #""\ud83dx""#, #""\ud83d\n""#, #""\ud83d\u0041""#,
      #""\ud83d\ud83d""#, #""\ude00\ud83d""#,
    ]
  )
  func surrogates(_ text: String) {
    #expect(throws: PayloadError(.notJSON, "")) { try JSONParser.parse(text.utf8) }
  }

  @Test(
    "bytes that are no UTF-8 are refused, with and without an escape beside them",
    arguments: [
      [0xFF], [0xC0, 0x80], [0xE2, 0x82], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80], [0x80],
    ] as [[UInt8]]
  )
  func invalidBytes(_ bytes: [UInt8]) {
    let quote = UInt8(ascii: "\"")
    let escaped = Array(#"\n"#.utf8)
    #expect(throws: PayloadError(.notJSON, "")) { try JSONParser.parse([quote] + bytes + [quote]) }
    #expect(throws: PayloadError(.notJSON, "")) {
      try JSONParser.parse([quote] + escaped + bytes + [quote])
    }
    #expect(throws: PayloadError(.notJSON, "")) { try JSONParser.parse(bytes) }
  }

  @Test(
    "a member name that stands twice is refused, however it is spelt",
    arguments: [
      #"{"a":1,"a":1}"#, #"{"a":1,"b":2,"\u0061":3}"#, #"{"x":{"a":1,"a":2}}"#, #"{"":1,"":2}"#,
      #"[{"a":1,"a":2}]"#,
    ]
  )
  func duplicates(_ text: String) {
    #expect(throws: PayloadError(.duplicateMember, "")) { try JSONParser.parse(text.utf8) }
  }

  @Test(
    "a name that stands twice is found in objects of every size",
    arguments: [2, 16, 17, 18, 90]
  )
  func duplicateInLargeObject(_ count: Int) throws {
    let names = (0..<count - 1).map { "\"n\($0)\":\($0)" }
    let distinct = "{" + (names + ["\"last\":0"]).joined(separator: ",") + "}"
    #expect(try JSONParser.parseObject(distinct.utf8).members.count == count)
    for repeated in [0, count - 2] {
      let text = "{" + (names + ["\"n\(repeated)\":0"]).joined(separator: ",") + "}"
      #expect(throws: PayloadError(.duplicateMember, "")) { try JSONParser.parse(text.utf8) }
    }
  }

  @Test("a text of the longest length is read, one byte more is refused")
  func size() throws {
    let limits = JSONLimits(sizeBytesMax: 10, depthMax: 1)
    #expect(try JSONParser.parse("\"12345678\"".utf8, limits: limits) == "12345678")
    #expect(throws: PayloadError(.tooLarge, "")) {
      try JSONParser.parse("\"123456789\"".utf8, limits: limits)
    }
    #expect(throws: PayloadError(.tooLarge, "")) {
      try JSONParser.parse("1          ".utf8, limits: limits)
    }
  }

  @Test("the limits of signed payloads hold", arguments: [0, 1])
  func signedPayloadSize(_ more: Int) {
    let count = JSONLimits.signedPayload.sizeBytesMax - 2 + more
    let text = "\"" + String(repeating: "a", count: count) + "\""
    let read = try? JSONParser.parse(text.utf8)
    #expect((read != nil) == (more == 0))
  }

  @Test(
    "objects and lists of the greatest depth are read, one level more is refused",
    arguments: [("[", "]", "1"), (#"{"a":"#, "}", "1"), (#"[{"a":"#, "}]", "1")]
  )
  func depth(_ open: String, _ close: String, _ inside: String) throws {
    let levels = open.hasPrefix("[{") ? 2 : 1
    let limits = JSONLimits(sizeBytesMax: 1_000, depthMax: 4)
    func nested(_ count: Int) -> String {
      String(repeating: open, count: count) + inside + String(repeating: close, count: count)
    }
    #expect(throws: Never.self) { try JSONParser.parse(nested(4 / levels).utf8, limits: limits) }
    #expect(throws: PayloadError(.tooDeep, "")) {
      try JSONParser.parse(nested(4 / levels + 1).utf8, limits: limits)
    }
  }

  @Test("a hundred thousand open brackets are refused without harm")
  func deepAttack() {
    let text = String(repeating: "[", count: 100_000)
    #expect(throws: PayloadError(.tooDeep, "")) { try JSONParser.parse(text.utf8) }
  }

  @Test("bytes that are not stored in one piece are read too")
  func scatteredBytes() throws {
    let bytes = Array(#"{"a":[1,2]}"#.utf8)
    let scattered = bytes.lazy.map { $0 }
    #expect(try JSONParser.parse(scattered) == ["a": [1, 2]])
  }

  @Test("a value that is no object is refused where an object is wanted", arguments: ["[]", "1"])
  func wantsObject(_ text: String) {
    #expect(throws: PayloadError(.wrongType, "")) { try JSONParser.parseObject(text.utf8) }
  }

  @Test("an error never repeats what the text says")
  func redacted() {
    let secret = "secret-token-0123"
    for text in ["{\"\(secret)\":1,\"\(secret)\":2}", "[\"\(secret)\"", "{\"a\":\"\(secret)\"} x"] {
      let error = #expect(throws: PayloadError.self) { try JSONParser.parse(text.utf8) }
      #expect(error.map { "\($0)".contains(secret) } == false)
    }
  }
}

@Suite("JSON numbers")
struct JSONNumberTests {
  @Test(
    "a number keeps its spelling",
    arguments: ["0", "-0", "1.0", "1.50", "1e5", "1E+5", "-2.5e-3", "9223372036854775808"]
  )
  func spelling(_ text: String) throws {
    #expect(try JSONParser.parse(text.utf8).serializedText == text)
  }

  @Test(
    "the whole value is exact, or absent",
    arguments: [
      ("9007199254740993", 9_007_199_254_740_993), ("-0", 0), ("1.0", 1), ("1e3", 1_000),
      ("9223372036854775807", Int64.max), ("-9223372036854775808", Int64.min),
      ("9223372036854775808", nil), ("1.5", nil), ("1e400", nil), ("-1e400", nil),
      ("9.1e15", nil), ("8e15", 8_000_000_000_000_000),
    ] as [(String, Int64?)]
  )
  func integer(_ text: String, _ value: Int64?) throws {
    #expect(try JSONParser.parse(text.utf8).integerValue == value)
  }
}

@Suite("JSON objects")
struct JSONObjectTests {
  @Test("members keep their order, whatever is set and removed")
  func order() {
    var object: JSONObject = ["b": 1, "a": 2, "c": 3]
    object["a"] = 4
    object["d"] = 5
    object["b"] = nil
    object["x"] = nil
    #expect(object.members.map(\.name) == ["a", "c", "d"])
    #expect(object["a"] == 4)
    #expect(!object.isEmpty)
  }

  @Test("what was written is read back as the same bytes")
  func writing() throws {
    let value: JSONValue = [
      "text": "\u{0}\u{1f}\"\\/\n\r\t é 日本 😀", "list": [1, true, .null, [], [:]], "": .integer(-3),
    ]
    let bytes = value.serialized
    let again = try JSONParser.parse(bytes)
    #expect(again == value)
    #expect(again.serialized == bytes)
    #expect(Array(value.serializedData) == bytes)
  }
}
