package import Foundation

/// A UUID made from a name: the same text gives the same UUID, on every device.
///
/// - **Source:** RFC 9562, section 5.5 (version 5, SHA-1). The digest only spreads names; nothing
///   is protected by it.
package enum NameUUID {
  /// The namespace of orders' own numbers.
  static let orderNumbers = UUID(
    uuid: (
      0x5b, 0x0e, 0x6c, 0x1e, 0x2f, 0x5d, 0x4e, 0x8a, 0x9c, 0x41, 0x7a, 0x3d, 0x10, 0x88, 0x6f, 0x52
    )
  )
  /// The namespace of an app's own texts for its users.
  static let accounts = UUID(
    uuid: (
      0x0d, 0x94, 0x7b, 0x33, 0x8a, 0x16, 0x45, 0xe2, 0xb1, 0x5f, 0x2c, 0x60, 0xee, 0x07, 0x91, 0xd4
    )
  )

  package static func make(_ name: String, in namespace: UUID) -> UUID {
    let prefix = withUnsafeBytes(of: namespace.uuid) { Array($0) }
    var digest = Array(sha1(prefix + Array(name.utf8)).prefix(16))
    digest[6] = digest[6] & 0x0F | 0x50
    digest[8] = digest[8] & 0x3F | 0x80
    return digest.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
  }

  package static func sha1(_ message: [UInt8]) -> [UInt8] {
    var bytes = message + [0x80]
    bytes += [UInt8](repeating: 0, count: (120 - bytes.count % 64) % 64)
    bytes += (0..<8).map { UInt8(truncatingIfNeeded: (UInt64(message.count) * 8) >> (56 - 8 * $0)) }
    var hash: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0]
    for start in stride(from: 0, to: bytes.count, by: 64) {
      absorb(bytes[start..<(start + 64)], into: &hash)
    }
    return hash.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - 8 * $0)) } }
  }

  private static func absorb(_ block: ArraySlice<UInt8>, into hash: inout [UInt32]) {
    var words = (0..<16).map { index in
      (0..<4).reduce(UInt32(0)) { $0 << 8 | UInt32(block[block.startIndex + 4 * index + $1]) }
    }
    for index in 16..<80 {
      let mixed = words[index - 3] ^ words[index - 8] ^ words[index - 14] ^ words[index - 16]
      words.append(rotate(mixed, 1))
    }
    var (a, b, c, d, e) = (hash[0], hash[1], hash[2], hash[3], hash[4])
    for (index, word) in words.enumerated() {
      let (choice, constant): (UInt32, UInt32) =
        switch index / 20 {
        case 0: (b & c | ~b & d, 0x5A82_7999)
        case 1: (b ^ c ^ d, 0x6ED9_EBA1)
        case 2: (b & c | b & d | c & d, 0x8F1B_BCDC)
        default: (b ^ c ^ d, 0xCA62_C1D6)
        }
      let next = rotate(a, 5) &+ choice &+ e &+ constant &+ word
      (a, b, c, d, e) = (next, a, rotate(b, 30), c, d)
    }
    hash = zip(hash, [a, b, c, d, e]).map { $0 &+ $1 }
  }

  private static func rotate(_ value: UInt32, _ count: UInt32) -> UInt32 {
    value << count | value >> (32 - count)
  }
}
