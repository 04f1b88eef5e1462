import IAPSignatures
import OpenSSLCrypto
import Testing

/// Needs no vectors: what is trusted is part of the program.
@Suite("Embedded roots")
struct EmbeddedRootsTests {
  private let crypto: OpenSSLPrimitives

  init() throws { crypto = try OpenSSLPrimitives() }

  @Test func embeddedRootsAreThosePublishedByApple() {
    let prints = TrustAnchors.apple.roots.map { root in
      crypto.digest(.sha256, root.der).map {
        String($0 >> 4, radix: 16) + String($0 & 15, radix: 16)
      }
      .joined()
    }
    #expect(
      prints == [
        "63343abfb89a6a03ebb57e9b3f5fa7be7c4f5c756f3017b3a8c488c3653e9179",
        "b0b1730ecbc7ff4505142c49f1295e6eda6bcaed7e2c68c5be91b5a11001f024",
      ]
    )
  }
}
