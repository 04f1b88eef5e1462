import Foundation
import IAPSignatures
import Testing

@testable import OpenSSLCrypto

/// Keys that are read from files.
@Suite struct PrivateKeyTests {
  private let crypto: OpenSSLPrimitives

  init() throws { crypto = try OpenSSLPrimitives() }

  /// PKCS#8 of a P-256 key, made here.
  private func pem(_ change: (String) -> String = { $0 }) -> [UInt8] {
    let scalar = [UInt8](repeating: 0x11, count: 32)
    let key = DERWriter.sequence([DERWriter.integer(1), DERWriter.octetString(scalar)])
    let der = DERWriter.sequence([
      DERWriter.integer(0),
      DERWriter.sequence([
        DERWriter.oid("1.2.840.10045.2.1"), DERWriter.oid("1.2.840.10045.3.1.7"),
      ]),
      DERWriter.octetString(key),
    ])
    let text = Base64.encode(der, .standard)
    return Array(
      change("-----BEGIN PRIVATE KEY-----\n\(text)\n-----END PRIVATE KEY-----\n").utf8
    )
  }

  @Test func aKeyFromAFileSignsWhatItsPublicHalfConfirms() throws {
    let key = try crypto.readSigningKey(pem: pem())
    #expect(key.kind == .p256)
    let check = try crypto.makeVerificationKey(subjectPublicKeyInfo: key.subjectPublicKeyInfo)
    for form in [SignatureForm.raw, .der] {
      let signature = try key.sign([1, 2, 3], digest: .sha256, form: form)
      #expect(
        check.isValid(signature: signature, over: [1, 2, 3], digest: .sha256, form: form)
      )
    }
    #expect(try key.sign([1], digest: .sha256, form: .raw).count == 64)
  }

  @Test func theSameNumberGivesTheSamePublicKeyBothWays() throws {
    let seeded = try SeededECKey(
      curve: .p256,
      scalar: [UInt8](repeating: 0x11, count: 32),
      digests: Digests()
    )
    let read = try crypto.readSigningKey(pem: pem())
    #expect(seeded.subjectPublicKeyInfo == read.subjectPublicKeyInfo)
  }

  @Test func whatIsNoKeyIsRefusedWithoutItsBytes() {
    let wrong: [[UInt8]] = [
      [], Array("hello".utf8), pem { String($0.dropLast(30)) },
      pem { $0.replacingOccurrences(of: "PRIVATE KEY", with: "CERTIFICATE") },
      pem { $0 + $0 }, pem { $0.replacingOccurrences(of: "MEE", with: "!!!") },
    ]
    for bytes in wrong {
      #expect(throws: CryptoError(code: "malformedKey", reason: "")) {
        try crypto.readSigningKey(pem: bytes)
      }
    }
  }
}
