import AppStoreSimulator
import Foundation
import IAPModel
import IAPSignatures
import OpenSSLCrypto
import Testing

struct SigningTests {
  @Test func theSameSeedAndCallsGiveTheSameBytes() async throws {
    #expect(try await Self.run(seed: 11) == (try await Self.run(seed: 11)))
    #expect(try await Self.run(seed: 11) != (try await Self.run(seed: 12)))
  }

  /// A short life of a store, and everything that was signed or written down in it.
  static func run(seed: UInt64) async throws -> [String] {
    let test = try TestStore(seed: seed)
    let server = Server([500, 200])
    try test.store.setNotificationURL(URL(string: "http://127.0.0.1:9/"))
    test.store.setNotificationTransport { _, body in server.receive(body) }
    let coins = try test.buy(DemoCatalog.coins, quantity: 2)
    let monthly = try test.buy(DemoCatalog.monthly)
    try test.store.finish(coins.transactionID, on: test.phone)
    await test.store.advance(by: 70 * day)
    try test.store.refund(monthly.transactionID)
    try test.store.finish(monthly.transactionID, on: test.phone)
    let copies = try test.store.restore(on: test.pad)
    await test.store.drainNotifications()
    var lines = server.bodies.map { String(decoding: $0, as: UTF8.self) }
    lines += test.store.history.map { String(decoding: $0.json.serialized, as: UTF8.self) }
    lines += copies.map(\.transactionID.rawValue)
    for device in [test.phone, test.pad] {
      lines.append(try test.store.signedTransaction(monthly.transactionID, on: device))
      lines.append(try test.store.signedAppTransaction(on: device))
      lines.append(Base64.encode(try test.store.receipt(on: device) ?? [], .standard))
    }
    lines.append(Base64.encode(test.store.jwsRootCertificate, .standard))
    return lines
  }

  @Test func aTransactionIsSignedByTheChainOfTheStore() throws {
    let test = try TestStore()
    let bought = try test.buy(DemoCatalog.monthly)
    let jws = try test.store.signedTransaction(bought.transactionID, on: test.phone)
    let header = try Signed.part(jws, 0)
    let chain = try #require(header["x5c"]?.arrayValue).compactMap(\.stringValue)
    #expect(header["alg"] == "ES256")
    #expect(header["typ"] == nil)
    #expect(chain.count == 3)
    #expect(chain.last == Base64.encode(test.store.jwsRootCertificate, .standard))
    #expect(try isSigned(jws))
    let payload = try TransactionPayload(try Signed.payload(of: jws))
    #expect(payload.transactionID == bought.transactionID)
    #expect(payload.environment == .sandbox)
    #expect(payload.price == Money(milliunits: 4990, currency: "USD"))
    #expect(payload.storefront == "USA")
    #expect(payload.storefrontID == "143441")
    #expect(payload.signedDate == bought.modifiedDate)
    #expect(payload.ownershipType == .purchased)
    #expect(
      payload.otherMembers.map(\.name).sorted() == [
        "deviceVerification", "deviceVerificationNonce",
      ]
    )
  }

  @Test func theProofTiesTheTextToTheDevice() throws {
    let test = try TestStore()
    let bought = try test.buy(DemoCatalog.coins)
    let jws = try test.store.signedTransaction(bought.transactionID, on: test.phone)
    #expect(jws == (try test.store.signedTransaction(bought.transactionID, on: test.phone)))
    #expect(jws != (try test.store.signedTransaction(bought.transactionID, on: test.pad)))
    let payload = try Signed.payload(of: jws)
    let nonce = try #require(payload["deviceVerificationNonce"]?.stringValue)
    let device = test.store.deviceVerificationID(of: test.phone).uuidString.lowercased()
    let digest = try OpenSSLPrimitives().digest(.sha384, Array((nonce + device).utf8))
    #expect(payload["deviceVerification"]?.stringValue == Base64.encode(digest, .standard))
    #expect(nonce == nonce.lowercased())
  }

  @Test func theServersCopyHasNoProof() throws {
    let test = try TestStore()
    let bought = try test.buy(DemoCatalog.coins)
    let payload = try Signed.payload(of: try test.store.signedTransaction(bought.transactionID))
    #expect(payload["deviceVerification"] == nil)
  }

  @Test func aFaultSpoilsWhatDevicesGetAndNothingElse() throws {
    let test = try TestStore()
    let bought = try test.buy(DemoCatalog.coins)
    let genuine = try test.store.signedTransaction(bought.transactionID, on: test.phone)
    test.store.changeFaults { $0.signature = .broken }
    let broken = try test.store.signedTransaction(bought.transactionID, on: test.phone)
    #expect(broken.count == genuine.count)
    #expect(try !isSigned(broken))
    #expect(try isSigned(try test.store.signedTransaction(bought.transactionID)))
    test.store.changeFaults { $0.signature = .foreignRoot }
    let foreign = try test.store.signedTransaction(bought.transactionID, on: test.phone)
    #expect(try isSigned(foreign))
    #expect(
      try Signed.part(foreign, 0)["x5c"]?.arrayValue?.last?.stringValue
        != Base64.encode(test.store.jwsRootCertificate, .standard)
    )
  }

  @Test func anAppTransactionHasTheMembersOfItsEnvironment() throws {
    let sandbox = try TestStore()
    let jws = try sandbox.store.signedAppTransaction(on: sandbox.phone)
    let payload = try AppTransactionPayload(try Signed.payload(of: jws))
    #expect(payload.environment == .sandbox)
    #expect(payload.originalPurchaseDate == Date(milliseconds: 1_375_340_400_000))
    #expect(payload.originalApplicationVersion == "1.0")
    #expect(payload.bundleID == DemoCatalog.bundleID)
    let production = try TestStore(environment: .production)
    let genuine = try production.store.appTransaction(on: production.phone)
    #expect(genuine.environment == .production)
    #expect(genuine.appAppleID == DemoCatalog.appAppleID)
    #expect(genuine.originalPurchaseDate == TestStore.start)
    let other = try sandbox.store.appTransaction(on: sandbox.pad)
    #expect(payload.appTransactionID == other.appTransactionID)
  }

  @Test func aRestoredCopyIsSignedAsWhatItRestores() throws {
    let test = try TestStore()
    let bought = try test.buy(DemoCatalog.lifetime)
    try test.store.finish(bought.transactionID, on: test.phone)
    let copy = try #require(try test.store.restore(on: test.pad).first)
    #expect(
      try test.store.signedTransaction(copy.transactionID)
        == (try test.store.signedTransaction(bought.transactionID))
    )
  }

  /// Whether the leaf's key made the signature.
  private func isSigned(_ jws: String) throws -> Bool {
    let parts = jws.split(separator: ".")
    let leaf = try #require(
      try Signed.part(jws, 0)["x5c"]?.arrayValue?.first?.stringValue
    )
    let der = try #require(Base64.decode(Array(leaf.utf8), .standard))
    let key = try OpenSSLPrimitives().makeVerificationKey(
      subjectPublicKeyInfo: Array(try Certificate(der: der).subjectPublicKeyInfo)
    )
    let signature = try #require(Base64.decode(Array(parts[2].utf8), .url))
    let message = Array(parts[0].utf8) + [UInt8(ascii: ".")] + Array(parts[1].utf8)
    return key.isValid(signature: signature, over: message, digest: .sha256, form: .raw)
  }
}
