public import Foundation

extension JSONValue {
  /// The value as compact JSON: no white space, members in order, slashes not escaped.
  public var serialized: [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity(512)
    write(into: &output)
    return output
  }

  /// The value as compact JSON text.
  public var serializedText: String { String(decoding: serialized, as: UTF8.self) }

  /// The value as compact JSON bytes.
  public var serializedData: Data { Data(serialized) }

  fileprivate func write(into output: inout [UInt8]) {
    switch self {
    case .null: output.append(contentsOf: "null".utf8)
    case .bool(let value): output.append(contentsOf: (value ? "true" : "false").utf8)
    case .number(let value): output.append(contentsOf: value.text.utf8)
    case .string(let value): Self.write(value, into: &output)
    case .array(let values):
      output.append(UInt8(ascii: "["))
      for (index, value) in values.enumerated() {
        if index > 0 { output.append(UInt8(ascii: ",")) }
        value.write(into: &output)
      }
      output.append(UInt8(ascii: "]"))
    case .object(let object):
      output.append(UInt8(ascii: "{"))
      for (index, member) in object.members.enumerated() {
        if index > 0 { output.append(UInt8(ascii: ",")) }
        Self.write(member.name, into: &output)
        output.append(UInt8(ascii: ":"))
        member.value.write(into: &output)
      }
      output.append(UInt8(ascii: "}"))
    }
  }

  /// Writes a text: what needs no escape is copied in one piece.
  private static func write(_ text: String, into output: inout [UInt8]) {
    output.append(UInt8(ascii: "\""))
    var text = text
    text.withUTF8 { bytes in
      var start = 0
      var index = plainCount(bytes, from: 0)
      while index < bytes.count {
        output.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[start..<index]))
        appendEscaped(bytes[index], to: &output)
        start = index + 1
        index = plainCount(bytes, from: start)
      }
      output.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[start...]))
    }
    output.append(UInt8(ascii: "\""))
  }

  /// The place of the next byte that needs an escape, eight bytes at a time; the count without one.
  private static func plainCount(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let raw = UnsafeRawBufferPointer(bytes)
    var index = start
    while index + 8 <= raw.count {
      let word = raw.loadUnaligned(fromByteOffset: index, as: UInt64.self)
      let quotes = word ^ (ones * 0x22)
      let slashes = word ^ (ones * 0x5C)
      // The top bit of each byte that is zero in either, or below a space; bytes above ASCII may be
      // marked as well, and the loop below looks at those one by one.
      let marks = (quotes &- ones) | (slashes &- ones) | (word &- ones * 0x20) | word
      guard marks & (ones << 7) == 0 else { break }
      index += 8
    }
    while index < raw.count {
      let byte = raw[index]
      if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { break }
      index += 1
    }
    return index
  }

  private static func appendEscaped(_ byte: UInt8, to output: inout [UInt8]) {
    switch byte {
    case UInt8(ascii: "\""): output.append(contentsOf: "\\\"".utf8)
    case UInt8(ascii: "\\"): output.append(contentsOf: "\\\\".utf8)
    case 0x0A: output.append(contentsOf: "\\n".utf8)
    case 0x0D: output.append(contentsOf: "\\r".utf8)
    case 0x09: output.append(contentsOf: "\\t".utf8)
    default:
      let digits = Array("0123456789abcdef".utf8)
      output.append(contentsOf: "\\u00".utf8)
      output.append(digits[Int(byte >> 4)])
      output.append(digits[Int(byte & 15)])
    }
  }
}

extension JSONObject {
  /// The object as compact JSON bytes.
  public var serialized: [UInt8] { JSONValue.object(self).serialized }

  /// The object as compact JSON bytes.
  public var serializedData: Data { Data(serialized) }
}
