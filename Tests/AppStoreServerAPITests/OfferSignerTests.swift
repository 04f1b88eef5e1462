import AppStoreServerAPI
import AppStoreSimulator
import Foundation
import IAPModel
import Testing

struct OfferSignerTests {
  private let nonce = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))

  @Test func theClaimsOfAJWSAreThoseThatAppleAsksFor() throws {
    let apple = try SimulatedApple()
    let signer = OfferSigner(bundleID: DemoCatalog.bundleID, key: try apple.key())
    let text = try signer.promotionalOfferJWS(
      "loyal",
      of: "pro.monthly",
      transactionID: "2000000000000001",
      nonce: nonce,
      at: SimulatedApple.start
    )
    let claims = try CompactClaims.read(text)
    #expect(
      claims == [
        "iss": .string(try apple.key().issuer.rawValue), "iat": 1_767_268_800,
        "aud": "promotional-offer", "bid": .string(DemoCatalog.bundleID.rawValue),
        "nonce": "01020304-0506-0708-090a-0b0c0d0e0f10", "productId": "pro.monthly",
        "offerIdentifier": "loyal", "transactionId": "2000000000000001",
      ]
    )
  }
}
