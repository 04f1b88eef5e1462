import Foundation
import ServerStorage
import Testing

@Suite struct PackedFactTests {
  /// Headers by number, as a backend keeps them.
  private final class Headers {
    var rows: [[UInt8]] = []

    func number(_ bytes: [UInt8]) -> Int64 {
      if let index = rows.firstIndex(of: bytes) { return Int64(index + 1) }
      rows.append(bytes)
      return Int64(rows.count)
    }
  }

  private func pack(_ bytes: [UInt8], _ headers: Headers) -> [UInt8] {
    let packed = PackedFact(bytes)
    return packed.stored(numbers: packed.headers.map { headers.number($0) })
  }

  private func unpack(_ packed: [UInt8], _ headers: Headers) throws -> [UInt8] {
    try PackedFact.unpack(packed) { number throws(StorageError) in headers.rows[Int(number) - 1] }
  }

  private func notification() -> [UInt8] {
    let payload = Array(#"{"a":1,"b":"\#(String(repeating: "x", count: 400))"}"#.utf8)
    return Make.signedText(
      Array(#"{"data":{"signedTransactionInfo":""#.utf8) + Make.signedText(payload)
        + Array(#"","signedRenewalInfo":""#.utf8) + Make.signedText(payload, header: "other")
        + Array(#""},"uuid":"5"}"#.utf8)
    )
  }

  @Test func notificationCostsAFractionAndComesBackExactly() throws {
    let headers = Headers()
    let text = notification()
    let packed = pack(text, headers)
    #expect(packed.count * 4 < text.count)
    #expect(headers.rows.count == 2)
    #expect(try unpack(packed, headers) == text)
  }

  @Test func everyPrefixAndEveryChangedByteComesBackExactly() throws {
    let headers = Headers()
    let text = notification()
    for length in stride(from: 0, through: text.count, by: 197) {
      let part = Array(text.prefix(length))
      #expect(try unpack(pack(part, headers), headers) == part, "length \(length)")
    }
    for index in stride(from: 0, to: text.count, by: 307) {
      for byte in [UInt8(ascii: "."), UInt8(ascii: "="), UInt8(ascii: "A"), 0, 0xFF] {
        var changed = text
        changed[index] = byte
        #expect(try unpack(pack(changed, headers), headers) == changed, "index \(index), \(byte)")
      }
    }
  }

  @Test func spellingThatEncodingWouldNotGiveIsKeptAsItIs() throws {
    let headers = Headers()
    // The last digit of this signature has bits that stand for nothing.
    let text = Make.signedText([1, 2, 3]).dropLast() + [UInt8(ascii: "x")]
    let packed = pack(Array(text), headers)
    #expect(packed.first == 0)
    #expect(try unpack(packed, headers) == Array(text))
  }

  @Test func damagedFormIsATypedError() throws {
    let headers = Headers()
    let packed = pack(notification(), headers)
    for length in stride(from: 0, to: packed.count, by: 13) {
      #expect(throws: StorageError(.corrupt, "")) {
        try unpack(Array(packed.prefix(length)), headers)
      }
    }
    #expect(throws: StorageError(.corrupt, "")) { try unpack(packed + [0], headers) }
    #expect(throws: StorageError(.corrupt, "")) { try unpack([2], headers) }
  }

  @Test func nestingDeeperThanTheLimitIsKeptAsText() throws {
    let headers = Headers()
    var text = Make.signedText([1, 2, 3])
    for _ in 0..<5 { text = Make.signedText(Array("{\"t\":\"".utf8) + text + Array("\"}".utf8)) }
    #expect(try unpack(pack(text, headers), headers) == text)
  }
}
