internal import COpenSSL
import IAPSignatures

/// A curve on which seeded keys are made.
struct Curve: Sendable {
  let kind: KeyKind
  let size: Int
  fileprivate let number: Int32
  /// What stands before the point in the DER of a public key.
  fileprivate let prefix: [UInt8]

  static let p256 = Curve(
    kind: .p256,
    size: 32,
    number: NID_X9_62_prime256v1,
    prefix: [
      0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08,
      0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
    ]
  )
  static let p384 = Curve(
    kind: .p384,
    size: 48,
    number: NID_secp384r1,
    prefix: [
      0x30, 0x76, 0x30, 0x10, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x05,
      0x2B, 0x81, 0x04, 0x00, 0x22, 0x03, 0x62, 0x00,
    ]
  )
}

/// An elliptic-curve key that is a function of its seed and signs the same way each time.
///
/// For test data only: the arithmetic takes a time that depends on the key.
///
/// - **Source:** RFC 6979; the library of Debian 12 has no deterministic mode of its own.
final class SeededECKey: SigningKey {
  let subjectPublicKeyInfo: [UInt8]
  private let curve: Curve
  private let scalar: [UInt8]
  private let group: Handle
  private let digests: Digests

  var kind: KeyKind { curve.kind }

  /// A seeded key is test data, and whoever has the seed has the key.
  ///
  /// - **Source:** RFC 5958 around RFC 5915.
  var privateKeyInfo: [UInt8]? {
    let point = Array(subjectPublicKeyInfo.suffix(2 * curve.size + 1))
    let algorithm = DERWriter.sequence([
      DERWriter.oid("1.2.840.10045.2.1"),
      DERWriter.oid(curve.kind == .p256 ? "1.2.840.10045.3.1.7" : "1.3.132.0.34"),
    ])
    let key = DERWriter.sequence([
      DERWriter.integer(1), DERWriter.octetString(scalar),
      DERWriter.tagged(1, DERWriter.bitString(point)),
    ])
    return DERWriter.sequence([DERWriter.integer(0), algorithm, DERWriter.octetString(key)])
  }

  convenience init(curve: Curve, seed: [UInt8], digests: Digests) throws(CryptoError) {
    let group = try Self.group(curve)
    let arithmetic = Arithmetic()
    let order = Self.order(group)
    // Half again as many bits as the order has, so that the remainder favours no number.
    let label = Array("iapkit test key \(curve.size)".utf8)
    let wide =
      digests.hmac(.sha512, key: label, seed + [0]) + digests.hmac(.sha512, key: label, seed + [1])
    let reduced = arithmetic.remainder(
      BigNumber(wide),
      modulo: arithmetic.subtracting(1, from: order)
    )
    try self.init(
      curve: curve,
      scalar: arithmetic.adding(1, to: reduced).bytes(count: curve.size),
      digests: digests
    )
  }

  /// Takes the private number itself.
  init(curve: Curve, scalar: [UInt8], digests: Digests) throws(CryptoError) {
    self.curve = curve
    self.scalar = scalar
    self.digests = digests
    group = try Self.group(curve)
    let point = try Self.point(group, times: BigNumber(scalar), size: curve.size)
    subjectPublicKeyInfo = curve.prefix + point
  }

  private static func group(_ curve: Curve) throws(CryptoError) -> Handle {
    let pointer = unsafe EC_GROUP_new_by_curve_name(curve.number)
    guard let handle = unsafe Handle(pointer, release: { unsafe EC_GROUP_free($0) }) else {
      throw LibraryError.latest("libraryUnusable", "making a curve")
    }
    return handle
  }

  private static func order(_ group: Handle) -> BigNumber {
    let order = BigNumber()
    let isCopied = unsafe group.with { unsafe EC_GROUP_get_order($0, order.pointer, nil) }
    precondition(isCopied == 1, "a named curve has an order")
    return order
  }

  /// The generator times a number, as an uncompressed point.
  private static func point(
    _ group: Handle,
    times number: BigNumber,
    size: Int
  ) throws(CryptoError) -> [UInt8] {
    let arithmetic = Arithmetic()
    let bytes: [UInt8]? = unsafe group.with { group in
      guard let point = unsafe EC_POINT_new(group) else { return nil }
      defer { unsafe EC_POINT_free(point) }
      guard
        unsafe EC_POINT_mul(group, point, number.pointer, nil, nil, arithmetic.context) == 1
      else { return nil }
      return unsafe [UInt8](unsafeUninitializedCapacity: 2 * size + 1) { output, filled in
        filled = unsafe EC_POINT_point2oct(
          group,
          point,
          POINT_CONVERSION_UNCOMPRESSED,
          output.baseAddress,
          output.count,
          arithmetic.context
        )
      }
    }
    guard let bytes, bytes.count == 2 * size + 1 else {
      throw LibraryError.latest("signingFailed", "multiplying a point")
    }
    return bytes
  }

  func sign(
    _ message: [UInt8],
    digest: DigestAlgorithm,
    form: SignatureForm
  ) throws(CryptoError) -> [UInt8] {
    let arithmetic = Arithmetic()
    let order = Self.order(group)
    let hash = digests.digest(digest, message)
    let number = arithmetic.remainder(leftmostBits(hash, arithmetic), modulo: order)
    var nonces = NonceSequence(
      digests: digests,
      digest: digest,
      secret: scalar + number.bytes(count: curve.size)
    )
    // The first candidate is out of range once in 2^32 cases on P-256, and less often on P-384.
    for _ in 0..<Self.attemptsMax {
      let nonce = leftmostBits(nonces.next(count: curve.size), arithmetic)
      guard !nonce.isZero, arithmetic.compare(nonce, order) < 0 else { continue }
      let point = try Self.point(group, times: nonce, size: curve.size)
      let r = arithmetic.remainder(BigNumber(Array(point[1...curve.size])), modulo: order)
      guard !r.isZero, let inverse = arithmetic.inverse(nonce, modulo: order) else { continue }
      let secretPart = arithmetic.product(r, BigNumber(scalar), modulo: order)
      let sum = arithmetic.sum(number, secretPart, modulo: order)
      let s = arithmetic.product(inverse, sum, modulo: order)
      guard !s.isZero else { continue }
      let raw = r.bytes(count: curve.size) + s.bytes(count: curve.size)
      return form == .raw ? raw : ECDSASignature.der(fromRaw: raw)
    }
    throw CryptoError(code: "signingFailed", reason: "no usable nonce")
  }

  private static let attemptsMax = 64

  private func leftmostBits(_ bytes: [UInt8], _ arithmetic: Arithmetic) -> BigNumber {
    BigNumber(Array(bytes.prefix(curve.size)))
  }
}

/// The nonces of one message, in order.
///
/// - **Source:** RFC 6979, section 3.2.
private struct NonceSequence {
  private let digests: Digests
  private let digest: DigestAlgorithm
  private var key: [UInt8]
  private var value: [UInt8]
  private var isFirst = true

  init(digests: Digests, digest: DigestAlgorithm, secret: [UInt8]) {
    self.digests = digests
    self.digest = digest
    let size = digests.digest(digest, []).count
    key = [UInt8](repeating: 0, count: size)
    value = [UInt8](repeating: 1, count: size)
    for mark: UInt8 in [0, 1] {
      key = digests.hmac(digest, key: key, value + [mark] + secret)
      value = digests.hmac(digest, key: key, value)
    }
  }

  mutating func next(count: Int) -> [UInt8] {
    if !isFirst {
      key = digests.hmac(digest, key: key, value + [0])
      value = digests.hmac(digest, key: key, value)
    }
    isFirst = false
    var output: [UInt8] = []
    while output.count < count {
      value = digests.hmac(digest, key: key, value)
      output += value
    }
    return Array(output.prefix(count))
  }
}
