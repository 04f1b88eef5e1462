import AppStoreSimulator
import Foundation
import IAPModel
import IAPSignatures
import OpenSSLCrypto
import Testing

struct ReceiptTests {
  private func verify(
    _ test: TestStore,
    on device: DeviceID,
    claimed: DeviceID? = nil
  ) throws -> Verdict<ReceiptPayload> {
    let verifier = ReceiptVerifier(
      anchors: try .simulated([try test.store.receiptRootCertificate()]),
      origin: ExpectedOrigin(
        apps: [
          ExpectedOrigin.App(bundleID: DemoCatalog.bundleID, appAppleID: DemoCatalog.appAppleID)
        ],
        environments: [test.store.configuration.environment]
      ),
      crypto: try OpenSSLPrimitives()
    )
    let receipt = try #require(try test.store.receipt(on: device))
    let guid = test.store.identifierForVendor(of: claimed ?? device).uuid
    return try verifier.verify(receipt, deviceID: withUnsafeBytes(of: guid) { Array($0) })
  }

  private func items(_ test: TestStore, on device: DeviceID) throws -> [ReceiptItem] {
    let verdict = try verify(test, on: device)
    #expect(verdict.failures == [])
    // Attributes of a set are sorted by their bytes.
    let items = verdict.accepted?.payload.items ?? []
    return items.sorted { $0.transactionID < $1.transactionID }
  }

  @Test func theSandboxHasNoReceiptBeforeTheFirstPurchase() throws {
    let test = try TestStore()
    #expect(try test.store.receipt(on: test.phone) == nil)
    try test.buy(DemoCatalog.coins)
    #expect(try test.store.receipt(on: test.phone) != nil)
    #expect(try test.store.receipt(on: test.pad) == nil)
    try test.store.refreshReceipt(on: test.pad)
    #expect(try test.store.receipt(on: test.pad) != nil)
  }

  @Test func productionHasOneFromTheInstallationOn() throws {
    let test = try TestStore(environment: .production)
    let payload = try #require(try verify(test, on: test.phone).accepted?.payload)
    #expect(payload.environment == .production)
    #expect(payload.appAppleID == DemoCatalog.appAppleID)
    #expect(payload.items.isEmpty)
  }

  @Test func aGenuineReceiptVerifiesOnItsDeviceAndNoOther() throws {
    let test = try TestStore()
    let monthly = try test.buy(DemoCatalog.monthly)
    let verdict = try verify(test, on: test.phone)
    #expect(verdict.failures == [])
    let payload = try #require(verdict.accepted?.payload)
    #expect(payload.bundleID == DemoCatalog.bundleID)
    #expect(payload.environment == .sandbox)
    #expect(payload.creationDate == TestStore.start)
    #expect(payload.originalApplicationVersion == "1.0")
    let item = try #require(payload.items.first)
    #expect(item.productID == DemoCatalog.monthly)
    #expect(item.transactionID == monthly.transactionID)
    #expect(item.originalTransactionID == monthly.originalTransactionID)
    #expect(item.webOrderLineItemID == monthly.webOrderLineItemID)
    #expect(item.type == .autoRenewable)
    #expect(item.purchaseDate == monthly.purchaseDate)
    #expect(item.expiresDate == monthly.expiresDate)
    #expect(item.quantity == 1)
    #expect(item.cancellationDate == nil)
    #expect(item.isTrialPeriod == false)
    #expect(
      try verify(test, on: test.phone, claimed: test.pad).failures.map(\.rule) == [.deviceHash]
    )
  }

  @Test func aSpoiledReceiptIsRefused() throws {
    let test = try TestStore()
    try test.buy(DemoCatalog.coins)
    test.store.changeFaults { $0.signature = .broken }
    #expect(try verify(test, on: test.phone).accepted == nil)
  }

  @Test(arguments: [
    StoreFaults.Signature.foreignRoot, .expired, .notYetValid, .unmarkedLeaf,
    .unmarkedIntermediate,
  ])
  func aReceiptOfABadChainIsRefused(_ fault: StoreFaults.Signature) throws {
    let test = try TestStore()
    try test.buy(DemoCatalog.coins)
    test.store.changeFaults { $0.signature = fault }
    #expect(try verify(test, on: test.phone).accepted == nil)
  }

  @Test func aReceiptCanBeSignedOverSHA1() throws {
    let test = try TestStore { $0.signsReceiptsOverSHA1 = true }
    try test.buy(DemoCatalog.coins)
    #expect(try verify(test, on: test.phone).accepted != nil)
  }

  @Test func aConsumableLeavesTheReceiptAfterItIsFinished() throws {
    let test = try TestStore()
    let coins = try test.buy(DemoCatalog.coins, quantity: 4)
    #expect(try items(test, on: test.phone).map(\.quantity) == [4])
    try test.store.finish(coins.transactionID, on: test.phone)
    #expect(try items(test, on: test.phone).map(\.transactionID) == [coins.transactionID])
    let lifetime = try test.buy(DemoCatalog.lifetime)
    #expect(try items(test, on: test.phone).map(\.transactionID) == [lifetime.transactionID])
  }

  @Test func aRenewalAppearsAtTheNextRefreshOnly() throws {
    let test = try TestStore()
    try test.buy(DemoCatalog.monthly)
    test.store.clock.advance(by: 40 * day)
    #expect(try items(test, on: test.phone).count == 1)
    try test.store.refreshReceipt(on: test.phone)
    #expect(try items(test, on: test.phone).count == 2)
  }

  @Test func aRefundStaysWithItsDate() throws {
    let test = try TestStore()
    let lifetime = try test.buy(DemoCatalog.lifetime)
    test.store.clock.advance(by: day)
    try test.store.refund(lifetime.transactionID)
    try test.store.refreshReceipt(on: test.phone)
    #expect(
      try items(test, on: test.phone).map(\.cancellationDate) == [
        TestStore.start.addingTimeInterval(day)
      ]
    )
  }

  @Test func aRestoredPurchaseIsListedUnderTheCopysIdentifier() throws {
    let test = try TestStore()
    let lifetime = try test.buy(DemoCatalog.lifetime)
    try test.store.finish(lifetime.transactionID, on: test.phone)
    let copy = try #require(try test.store.restore(on: test.pad).first)
    let item = try #require(try items(test, on: test.pad).first)
    #expect(item.transactionID == copy.transactionID)
    #expect(item.originalTransactionID == lifetime.originalTransactionID)
    #expect(try items(test, on: test.phone).map(\.transactionID) == [lifetime.transactionID])
  }

  @Test func aTrialIsMarked() throws {
    let test = try TestStore()
    try test.buy(DemoCatalog.yearly)
    let item = try #require(try items(test, on: test.phone).first)
    #expect(item.isTrialPeriod == true)
    #expect(item.isInIntroOfferPeriod == false)
  }
}

/// What the store signs against the verifier that judges Apple's.
struct VerifierTests {
  let test: TestStore
  let verifier: JWSVerifier

  init() throws {
    test = try TestStore()
    verifier = JWSVerifier(
      anchors: try .simulated([test.store.jwsRootCertificate]),
      origin: ExpectedOrigin(
        apps: [
          ExpectedOrigin.App(bundleID: DemoCatalog.bundleID, appAppleID: DemoCatalog.appAppleID)
        ],
        environments: [.sandbox]
      ),
      crypto: try OpenSSLPrimitives()
    )
  }

  @Test func everythingThatTheStoreSignsIsAccepted() throws {
    let bought = try test.buy(DemoCatalog.monthly)
    let transaction = try test.store.signedTransaction(bought.transactionID, on: test.phone)
    #expect(try verifier.transaction(transaction, instant: .at(test.store.now)).failures == [])
    let status = try #require(try test.store.subscriptionStatuses(on: test.phone).first)
    let renewal = try test.store.signedRenewalInfo(status, on: test.phone)
    #expect(try verifier.renewalInfo(Array(renewal.utf8), instant: .signedDate).failures == [])
    let app = try test.store.signedAppTransaction(on: test.phone)
    #expect(try verifier.appTransaction(Array(app.utf8), instant: .signedDate).failures == [])
    for record in test.store.notifications {
      let signed = try test.store.signedNotification(record)
      let verdict = try NotificationVerifier(verifier: verifier).verify(
        Array(signed.utf8),
        instant: .at(test.store.now)
      )
      #expect(verdict.failures == [])
      #expect(verdict.accepted?.payload.transaction?.transactionID == bought.transactionID)
    }
  }

  @Test func theChainIsValidForTheWholeLengthOfASimulation() throws {
    try test.buy(DemoCatalog.monthly)
    test.store.clock.advance(by: 15 * 365 * day)
    let last = try #require(test.store.transactions(of: test.account).last)
    let signed = try test.store.signedTransaction(last.transactionID)
    #expect(try verifier.transaction(signed, instant: .at(test.store.now)).failures == [])
  }

  @Test(arguments: [
    (StoreFaults.Signature.broken, Rule.signature), (.foreignRoot, .trustedRoot),
    (.expired, .validity), (.notYetValid, .validity), (.unmarkedLeaf, .leafMarker),
    (.unmarkedIntermediate, .intermediateMarker),
  ])
  func aSpoiledSignatureIsRefusedForItsReason(
    _ fault: StoreFaults.Signature,
    _ rule: Rule
  ) throws {
    let bought = try test.buy(DemoCatalog.coins)
    test.store.changeFaults { $0.signature = fault }
    let signed = try test.store.signedTransaction(bought.transactionID, on: test.phone)
    let failed = try verifier.transaction(signed, instant: .signedDate).failures.map(\.rule)
    #expect(failed.contains(rule), "\(failed)")
    if fault != .foreignRoot { #expect(failed == [rule]) }
  }
}
