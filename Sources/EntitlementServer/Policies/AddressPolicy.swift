/// Which addresses of the Internet events may be sent to: those that the public routes, and nothing
/// that is this machine, its network, or its cloud's own services.
///
/// Source: RFC 6890 and the IANA registries of special-purpose addresses; RFC 4291, 6052, 6666,
/// 9637 and 3849 for IPv6. Only 2000::/3 is given out, so every other IPv6 address is refused.
enum AddressPolicy {
  /// Why an address is refused.
  enum Ground: String, Hashable, Sendable {
    case thisNetwork, privateUse, sharedSpace, loopback, linkLocal, protocolAssignments
    case documentation, relay, benchmarking, multicast, reserved, unspecified, uniqueLocal
    case translation, notGlobal, cloudService
  }

  struct Block: Hashable, Sendable {
    let address: InternetAddress
    let bits: Int
    let ground: Ground

    init(_ text: String, _ bits: Int, _ ground: Ground) {
      guard let address = InternetAddress(text) else { preconditionFailure("no address: \(text)") }
      self.address = address
      self.bits = bits
      self.ground = ground
    }

    func holds(_ other: InternetAddress) -> Bool {
      guard address.bytes.count == other.bytes.count else { return false }
      return (0..<bits).allSatisfy { bit in
        let mask = UInt8(0x80) >> (bit % 8)
        return address.bytes[bit / 8] & mask == other.bytes[bit / 8] & mask
      }
    }
  }

  static let blocks: [Block] = [
    // Metadata and DNS of clouds that stand in public or shared ranges; others are link-local.
    Block("168.63.129.16", 32, .cloudService), Block("100.100.100.200", 32, .cloudService),
    Block("192.0.0.192", 32, .cloudService), Block("fd00:ec2::254", 128, .cloudService),
    Block("0.0.0.0", 8, .thisNetwork), Block("10.0.0.0", 8, .privateUse),
    Block("100.64.0.0", 10, .sharedSpace), Block("127.0.0.0", 8, .loopback),
    Block("169.254.0.0", 16, .linkLocal), Block("172.16.0.0", 12, .privateUse),
    Block("192.0.0.0", 24, .protocolAssignments), Block("192.0.2.0", 24, .documentation),
    Block("192.31.196.0", 24, .protocolAssignments), Block("192.52.193.0", 24, .relay),
    Block("192.88.99.0", 24, .relay), Block("192.168.0.0", 16, .privateUse),
    Block("192.175.48.0", 24, .protocolAssignments), Block("198.18.0.0", 15, .benchmarking),
    Block("198.51.100.0", 24, .documentation), Block("203.0.113.0", 24, .documentation),
    Block("224.0.0.0", 4, .multicast), Block("240.0.0.0", 4, .reserved),
    Block("::", 128, .unspecified), Block("::1", 128, .loopback),
    Block("fc00::", 7, .uniqueLocal), Block("fe80::", 10, .linkLocal),
    Block("fec0::", 10, .uniqueLocal), Block("ff00::", 8, .multicast),
    Block("2001::", 23, .protocolAssignments), Block("2001:db8::", 32, .documentation),
    Block("3fff::", 20, .documentation), Block("2620:4f:8000::", 48, .protocolAssignments),
  ]

  /// Prefixes behind which an IPv4 address stands, and the byte at which it begins.
  private static let carriers: [(block: Block, offset: Int)] = [
    (Block("::ffff:0:0", 96, .translation), 12), (Block("::ffff:0:0:0", 96, .translation), 12),
    (Block("64:ff9b::", 96, .translation), 12), (Block("2002::", 16, .translation), 2),
    (Block("::", 96, .translation), 12),
  ]

  private static let givenOut = Block("2000::", 3, .notGlobal)

  /// Why an address is refused; nil when events may be sent there.
  static func refusal(of address: InternetAddress) -> Ground? {
    if let block = blocks.first(where: { $0.holds(address) }) { return block.ground }
    guard !address.isVersion4 else { return nil }
    // Whatever stands for an IPv4 address is refused, and says so by that address' own ground.
    if let carrier = carriers.first(where: { $0.block.holds(address) }) {
      let inner = InternetAddress(
        bytes: Array(address.bytes[carrier.offset..<carrier.offset + 4])
      )
      return blocks.first { $0.holds(inner) }?.ground ?? .translation
    }
    return givenOut.holds(address) ? nil : .notGlobal
  }

  /// Whether an address is this machine itself.
  static func isLoopback(_ address: InternetAddress) -> Bool {
    refusal(of: address) == .loopback
  }
}
