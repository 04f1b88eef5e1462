package import IAPSignatures

/// Signatures that cost one digest, for long campaigns: whoever knows a public key can sign.
///
/// Keys, certificates and signatures have the shape and the length of genuine ones, so that every
/// rule about them is followed all the same. A changed text or signature does not verify.
package struct QuickSignatures: SigningPrimitives {
  private let real: any VerificationPrimitives

  /// Makes the scheme.
  ///
  /// - Parameter real: Where digests come from.
  package init(digests real: any VerificationPrimitives) { self.real = real }

  package func digest(_ algorithm: DigestAlgorithm, _ bytes: [UInt8]) -> [UInt8] {
    real.digest(algorithm, bytes)
  }

  package func makeVerificationKey(
    subjectPublicKeyInfo: [UInt8]
  ) throws(CryptoError) -> any VerificationKey {
    guard let kind = QuickKey.kind(of: subjectPublicKeyInfo) else {
      throw CryptoError(code: "malformedKey", reason: "no key of the quick scheme")
    }
    return QuickKey(kind: kind, subjectPublicKeyInfo: subjectPublicKeyInfo, real: real)
  }

  package func makeSigningKey(
    _ kind: KeyKind,
    seed: [UInt8]
  ) throws(CryptoError) -> any SigningKey {
    guard let shape = QuickKey.shape(of: kind) else {
      throw CryptoError(code: "unsupportedKey", reason: "no quick keys of that kind")
    }
    var number: [UInt8] = []
    while number.count < shape.numberBytes {
      number += real.digest(.sha256, seed + [UInt8(truncatingIfNeeded: number.count)])
    }
    number = Array(number.prefix(shape.numberBytes))
    // A modulus is not negative and fills its bytes.
    number[0] |= 0x80
    return QuickKey(
      kind: kind,
      subjectPublicKeyInfo: shape.before + number + shape.after,
      real: real
    )
  }
}

/// A key of the quick scheme: the public half is all there is.
private struct QuickKey: SigningKey, VerificationKey {
  /// What stands around the number in the DER of a public key.
  struct Shape {
    let before: [UInt8]
    let numberBytes: Int
    let after: [UInt8]
  }

  let kind: KeyKind
  let subjectPublicKeyInfo: [UInt8]
  let real: any VerificationPrimitives

  private static let p256: [UInt8] = [
    0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08,
    0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00, 0x04,
  ]
  private static let p384: [UInt8] = [
    0x30, 0x76, 0x30, 0x10, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x05,
    0x2B, 0x81, 0x04, 0x00, 0x22, 0x03, 0x62, 0x00, 0x04,
  ]
  private static let rsa2048: [UInt8] = [
    0x30, 0x82, 0x01, 0x22, 0x30, 0x0D, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01,
    0x01, 0x01, 0x05, 0x00, 0x03, 0x82, 0x01, 0x0F, 0x00, 0x30, 0x82, 0x01, 0x0A, 0x02, 0x82,
    0x01, 0x01, 0x00,
  ]

  static func shape(of kind: KeyKind) -> Shape? {
    switch kind {
    case .p256: Shape(before: p256, numberBytes: 64, after: [])
    case .p384: Shape(before: p384, numberBytes: 96, after: [])
    case .rsa(bits: 2048):
      Shape(before: rsa2048, numberBytes: 256, after: [0x02, 0x03, 0x01, 0x00, 0x01])
    case .rsa, .other: nil
    }
  }

  static func kind(of key: [UInt8]) -> KeyKind? {
    let kinds: [KeyKind] = [.p256, .p384, .rsa(bits: 2048)]
    return kinds.first { kind in
      guard let shape = shape(of: kind) else { return false }
      return key.starts(with: shape.before)
        && key.count == shape.before.count + shape.numberBytes + shape.after.count
    }
  }

  func sign(
    _ message: [UInt8],
    digest: DigestAlgorithm,
    form: SignatureForm
  ) throws(CryptoError) -> [UInt8] {
    let tag = real.digest(.sha256, subjectPublicKeyInfo + Array(digest.rawValue.utf8) + message)
    func repeated(_ count: Int) -> [UInt8] { (0..<count).map { tag[$0 % tag.count] } }
    switch (kind, form) {
    case (.rsa(let bits), _): return repeated(bits / 8)
    case (.p384, .raw): return repeated(96)
    case (.p256, .raw), (.other, .raw): return repeated(64)
    case (.p256, .der), (.p384, .der), (.other, .der):
      return DERWriter.sequence([
        DERWriter.unsignedInteger(tag), DERWriter.unsignedInteger(tag.reversed()),
      ])
    }
  }

  func isValid(
    signature: [UInt8],
    over message: [UInt8],
    digest: DigestAlgorithm,
    form: SignatureForm
  ) -> Bool {
    guard let expected = try? sign(message, digest: digest, form: form) else { return false }
    return signature == expected
  }
}
