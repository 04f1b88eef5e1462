/// A value that is handed to a statement, with its type, so that a null has one too.
///
/// An array is one parameter: with `unnest` it becomes the rows of a statement.
package enum PostgresValue: Hashable, Sendable {
  case integer(Int64?)
  case text(String?)
  case blob([UInt8]?)
  case integers([Int64?])
  case texts([String?])
  case blobs([[UInt8]?])

  /// PostgreSQL's number of the type.
  var type: UInt32 {
    switch self {
    case .integer: 20
    case .text: 25
    case .blob: 17
    case .integers: 1016
    case .texts: 1009
    case .blobs: 1001
    }
  }

  /// The value in PostgreSQL's binary form; nil for a null.
  var encoded: [UInt8]? {
    switch self {
    case .integer(let number): return number.map { Self.bytes($0) }
    case .text(let text): return text.map { PostgresText.encode($0) }
    case .blob(let bytes): return bytes
    case .integers(let numbers):
      return Self.array(of: 20, numbers.map { $0.map { Self.bytes($0) } })
    case .texts(let texts):
      return Self.array(of: 25, texts.map { $0.map { PostgresText.encode($0) } })
    case .blobs(let blobs): return Self.array(of: 17, blobs)
    }
  }

  private static func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
    unsafe withUnsafeBytes(of: number.bigEndian) { unsafe Array($0) }
  }

  /// Dimensions, whether there are nulls, the type; for each dimension size and first index; then
  /// each element with its length, -1 for a null.
  private static func array(of type: Int32, _ elements: [[UInt8]?]) -> [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity(elements.reduce(20) { $0 + 4 + ($1?.count ?? 0) })
    let hasNulls = elements.contains { $0 == nil }
    output += bytes(elements.isEmpty ? Int32(0) : Int32(1))
    output += bytes(hasNulls ? Int32(1) : Int32(0))
    output += bytes(type)
    guard !elements.isEmpty else { return output }
    output += bytes(Int32(elements.count))
    output += bytes(Int32(1))
    for element in elements {
      output += bytes(element.map { Int32($0.count) } ?? -1)
      output += element ?? []
    }
    return output
  }
}

/// Texts as PostgreSQL takes them: it knows every character but the one of number 0.
///
/// That one is written as U+FFFF and "0", and U+FFFF, which means nothing, twice; so every text
/// comes back as it was.
package enum PostgresText {
  private static let mark: [UInt8] = [0xEF, 0xBF, 0xBF]

  /// The bytes under which a text is stored.
  package static func encode(_ text: String) -> [UInt8] {
    let bytes = Array(text.utf8)
    guard bytes.contains(0) || bytes.contains(mark) else { return bytes }
    var output: [UInt8] = []
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0: output += mark + [UInt8(ascii: "0")]
      case 0xFFFF: output += mark + mark
      default: output += UTF8.encode(scalar) ?? .init()
      }
    }
    return output
  }

  static func decode(_ bytes: [UInt8]) -> String {
    let text = String(decoding: bytes, as: UTF8.self)
    guard bytes.contains(mark) else { return text }
    var output = String.UnicodeScalarView()
    var isMarked = false
    for scalar in text.unicodeScalars {
      switch (isMarked, scalar.value) {
      case (false, 0xFFFF): isMarked = true
      case (true, 0x30):
        output.append("\u{0}")
        isMarked = false
      default:
        output.append(scalar)
        isMarked = false
      }
    }
    return String(output)
  }
}
