import IAPSignatures
import OpenSSLCrypto
import Simulation
import Testing

@Suite("Signatures that cost one digest")
struct QuickSignaturesTests {
  private let scheme: QuickSignatures

  init() throws { scheme = QuickSignatures(digests: try OpenSSLPrimitives()) }

  @Test(
    "hold for the text that was signed, and for no other",
    arguments: [KeyKind.p256, .p384, .rsa(bits: 2048)]
  )
  func verification(kind: KeyKind) throws {
    let key = try scheme.makeSigningKey(kind, seed: [1])
    let other = try scheme.makeSigningKey(kind, seed: [2])
    let message: [UInt8] = [1, 2, 3]
    let signature = try key.sign(message, digest: .sha256, form: .raw)
    let reader = try scheme.makeVerificationKey(subjectPublicKeyInfo: key.subjectPublicKeyInfo)
    let stranger = try scheme.makeVerificationKey(subjectPublicKeyInfo: other.subjectPublicKeyInfo)
    func holds(_ key: any VerificationKey, _ signature: [UInt8], _ message: [UInt8]) -> Bool {
      key.isValid(signature: signature, over: message, digest: .sha256, form: .raw)
    }
    var spoiled = signature
    spoiled[0] ^= 1
    #expect(holds(reader, signature, message))
    #expect(!holds(reader, signature, [1, 2, 4]))
    #expect(!holds(reader, spoiled, message))
    #expect(!holds(stranger, signature, message))
  }

  @Test("need a key of the scheme")
  func foreignKey() {
    #expect(throws: CryptoError.self) {
      _ = try scheme.makeVerificationKey(subjectPublicKeyInfo: [0x30, 0x00])
    }
    #expect(throws: CryptoError.self) { _ = try scheme.makeSigningKey(.rsa(bits: 1024), seed: []) }
  }
}
