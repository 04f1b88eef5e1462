/// Codes that only who knows the key can make, and comparing without being timed.
///
/// - **Source:** RFC 2104.
struct MessageAuthenticator: Sendable {
  /// SHA-256.
  let digest: @Sendable ([UInt8]) -> [UInt8]

  private static let blockByteCount = 64

  /// The code of a message: HMAC with SHA-256.
  func code(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
    var block = key.count > Self.blockByteCount ? digest(key) : key
    block += [UInt8](repeating: 0, count: Self.blockByteCount - block.count)
    let inner = digest(block.map { $0 ^ 0x36 } + message)
    return digest(block.map { $0 ^ 0x5C } + inner)
  }

  /// Whether two codes are equal; how long it takes does not depend on where they differ.
  static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    guard left.count == right.count else { return false }
    return zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
  }
}

/// Hexadecimal digits.
enum Hexadecimal {
  static func text(_ bytes: some Sequence<UInt8>) -> String {
    var text: [UInt8] = []
    text.reserveCapacity(2 * bytes.underestimatedCount)
    for byte in bytes {
      text.append(digit(byte >> 4))
      text.append(digit(byte & 15))
    }
    return String(decoding: text, as: UTF8.self)
  }

  private static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
  }
}
