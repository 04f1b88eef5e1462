import Foundation
import IAPModel
import IAPSignatures
import OpenSSLCrypto
import Testing

/// Notifications with what is signed inside them.
@Suite struct NotificationVerifierTests {
  private let store: TestStore

  init() throws { store = try TestStore() }

  private var renewalInfo: RenewalInfoPayload {
    var payload = RenewalInfoPayload(
      originalTransactionID: "2000000000000001",
      productID: "coins"
    )
    payload.autoRenewProductID = "coins"
    payload.willAutoRenew = true
    payload.signedDate = TestStore.now
    payload.environment = .production
    return payload
  }

  private func notification(
    transaction: TransactionPayload? = TestStore.transaction,
    renewalInfo: RenewalInfoPayload? = nil,
    change: (inout NotificationPayload) -> Void = { _ in }
  ) throws -> [UInt8] {
    var payload = NotificationPayload(type: .didRenew, uuid: "11111111-2222-4333-8444-555555555555")
    payload.signedDate = TestStore.now
    payload.version = "2.0"
    var data = NotificationPayload.Data()
    data.bundleID = "com.example"
    data.appAppleID = AppAppleID(1234)
    data.environment = .production
    data.signedTransactionInfo = try transaction.map { try store.sign($0.object) }
    data.signedRenewalInfo = try store.sign((renewalInfo ?? self.renewalInfo).object)
    payload.data = data
    change(&payload)
    return Array(try store.sign(payload.object).utf8)
  }

  private func rules(
    _ text: [UInt8],
    _ depth: NotificationVerifier.Depth = .everySignature
  ) throws -> [RuleFailure] {
    try NotificationVerifier(verifier: store.verifier(), depth: depth)
      .verify(text, instant: .at(TestStore.now)).failures
  }

  @Test(arguments: [NotificationVerifier.Depth.everySignature, .outerSignature])
  func whatIsRightIsAcceptedWithItsParts(depth: NotificationVerifier.Depth) throws {
    let verdict = try NotificationVerifier(verifier: store.verifier(), depth: depth)
      .verify(notification(), instant: .at(TestStore.now))
    let content = try #require(verdict.accepted?.payload)
    #expect(content.transaction == TestStore.transaction)
    #expect(content.renewalInfo == renewalInfo)
    #expect(content.notification.type == .didRenew)
  }

  @Test func aNestedSignatureIsCheckedUnlessTheOuterOneIsTrusted() throws {
    let text = try notification { payload in
      // The last byte of the signature, in a way that stays base64url.
      let signed = payload.data?.signedTransactionInfo ?? ""
      payload.data?.signedTransactionInfo =
        String(signed.dropLast(4)) + (signed.hasSuffix("AAAA") ? "BBBA" : "AAAA")
    }
    #expect(
      try rules(text).map { [$0.part.rawValue, $0.rule.rawValue] }
        == [["transaction", "signature"]]
    )
    #expect(try rules(text, .outerSignature).isEmpty)
  }

  @Test(arguments: [NotificationVerifier.Depth.everySignature, .outerSignature])
  func partsThatDisagreeWithTheWholeAreRefused(depth: NotificationVerifier.Depth) throws {
    var elsewhere = TestStore.transaction
    elsewhere.bundleID = "com.example.other"
    #expect(
      try rules(notification(transaction: elsewhere), depth).map(\.rule).contains(.bundle)
    )
    var sandbox = TestStore.transaction
    sandbox.environment = .sandbox
    #expect(
      try rules(notification(transaction: sandbox), depth).map(\.rule).contains(.environment)
    )
    var another = renewalInfo
    another.originalTransactionID = "2000000000000009"
    #expect(
      try rules(notification(renewalInfo: another), depth).map(\.rule) == [.agreement]
    )
  }

  @Test func environmentsThatAreBothAllowedStillHaveToAgree() throws {
    var sandbox = TestStore.transaction
    sandbox.environment = .sandbox
    let verifier = try store.verifier(environments: [.production, .sandbox])
    let verdict = try NotificationVerifier(verifier: verifier)
      .verify(notification(transaction: sandbox), instant: .at(TestStore.now))
    #expect(verdict.failures.map(\.rule) == [.agreement])
  }

  @Test func productionNamesTheAppByItsNumberAndTheSandboxMay() throws {
    let without = try notification { $0.data?.appAppleID = nil }
    #expect(try rules(without).map(\.rule) == [.appAppleID])
    let wrong = try notification { $0.data?.appAppleID = AppAppleID(1235) }
    #expect(try rules(wrong).map(\.rule) == [.appAppleID])
    let sandbox = try notification(transaction: nil) {
      $0.data?.environment = .sandbox
      $0.data?.appAppleID = nil
      $0.data?.signedRenewalInfo = nil
    }
    let verifier = NotificationVerifier(verifier: try store.verifier(environments: [.sandbox]))
    #expect(try verifier.verify(sandbox, instant: .at(TestStore.now)).accepted != nil)
  }
}
