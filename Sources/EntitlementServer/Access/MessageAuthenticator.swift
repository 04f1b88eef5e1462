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
    let digits = Array("0123456789abcdef".utf8)
    return String(
      decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] },
      as: UTF8.self
    )
  }
}
