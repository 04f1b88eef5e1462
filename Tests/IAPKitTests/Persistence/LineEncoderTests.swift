import Foundation
import IAPKit
import IAPModel
import Testing

@Suite struct LineEncoderTests {
  private struct Sample: Codable, Equatable {
    enum Choice: Codable, Equatable {
      case plain
      case named(text: String, number: Int)
      case listed([Int])
    }
    struct Inner: Codable, Equatable {
      var word: String?
      var flag = true
    }
    struct Nothing: Codable, Equatable {}

    var text = "a"
    var missing: Int?
    var numbers: [Int] = [1, -2, .max, .min]
    var small: UInt8 = 255
    var large: UInt64 = .max
    var inners = [Inner(word: "x"), Inner(word: nil, flag: false)]
    var map = ["b": "2", "a": "1", "ü \"": "\n"]
    var deep = ["k": [["l": 1]]]
    var choices: [Choice] = [.plain, .named(text: "t", number: 1), .listed([]), .listed([7])]
    var absent: [Int?] = [nil, 3]
    var nothing = Nothing()
    var date = Date(timeIntervalSince1970: 1_700_000_000.125)
    var bytes = Data([0, 1, 255])
    var address = URL(string: "https://example.com/a?b=c")
    var amount = Decimal(string: "12.34")
    var ratio = 0.5
    var id = UUID(uuidString: "00000000-0000-4000-8000-000000000009")
  }

  private func text(_ value: some Encodable) throws -> String {
    String(decoding: try LineEncoder.line(value).json, as: UTF8.self)
  }

  /// Foundation's reading of a line.
  private func read<Value: Decodable>(_ type: Value.Type, _ json: [UInt8]) throws -> Value {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .millisecondsSince1970
    return try decoder.decode(type, from: Data(json))
  }

  @Test func everyKindOfValueReadsBackAsItWas() throws {
    let sample = Sample()
    let line = try LineEncoder.line(sample)
    #expect(line.isExact)
    #expect(try read(Sample.self, line.json) == sample)
  }

  @Test func membersStandInTheirOrderAndMapsAreSorted() throws {
    struct Pair: Encodable {
      var z = 1
      var a = ["y": "1", "x": "2"]
    }
    #expect(try text(Pair()) == #"{"z":1,"a":{"x":"2","y":"1"}}"#)
  }

  @Test func everyCharacterBelowASpaceIsEscaped() throws {
    for code in 0..<0x80 {
      let character = String(UnicodeScalar(UInt8(code)))
      let line = try LineEncoder.line(["k": "a\(character)b"]).json
      #expect(!line.contains { $0 < 0x20 }, "\(code)")
      #expect(try read([String: String].self, line) == ["k": "a\(character)b"], "\(code)")
    }
    #expect(try text("q\"\\/\u{2028}ü🎁") == "\"q\\\"\\\\/\u{2028}ü🎁\"")
  }

  @Test func dateBetweenTwoMillisecondsIsToldApart() throws {
    let between = Date(timeIntervalSince1970: 1_700_000_000.000_4)
    let line = try LineEncoder.line([between])
    #expect(!line.isExact)
    #expect(String(decoding: line.json, as: UTF8.self) == "[1700000000000]")
    #expect(try LineEncoder.line([Date(timeIntervalSince1970: 1_700_000_000)]).isExact)
  }

  @Test func numberThatIsNoneIsRefused() {
    #expect(throws: IAPError.storage(.unencodable)) { try LineEncoder.line([Double.nan]) }
    #expect(throws: IAPError.storage(.unencodable)) { try LineEncoder.line(Double.infinity) }
  }

  @Test func containersThatTakeTurnsAreRefusedOrWrittenInOrder() throws {
    struct InTurns: Encodable {
      enum Key: CodingKey { case a, b, c }
      func encode(to encoder: any Encoder) throws {
        var outer = encoder.container(keyedBy: Key.self)
        var first = outer.nestedContainer(keyedBy: Key.self, forKey: .a)
        try first.encode(1, forKey: .a)
        try outer.encode(2, forKey: .b)
        try first.encode(3, forKey: .c)
      }
    }
    #expect(throws: IAPError.storage(.unencodable)) { try LineEncoder.line(InTurns()) }
  }

  @Test func nestedContainersEndWithWhatHoldsThem() throws {
    struct Nested: Encodable {
      enum Key: CodingKey { case a, b }
      func encode(to encoder: any Encoder) throws {
        var outer = encoder.container(keyedBy: Key.self)
        var list = outer.nestedUnkeyedContainer(forKey: .a)
        try list.encode("x")
        try list.encodeNil()
        var inner = list.nestedContainer(keyedBy: Key.self)
        try inner.encode(true, forKey: .a)
        var deepest = inner.nestedContainer(keyedBy: Key.self, forKey: .b)
        try deepest.encodeNil(forKey: .b)
        _ = list.nestedUnkeyedContainer()
        #expect(list.count == 4)
        try outer.encode(["k": 2], forKey: .b)
      }
    }
    #expect(try text(Nested()) == #"{"a":["x",null,{"a":true,"b":{"b":null}},[]],"b":{"k":2}}"#)
  }
}
