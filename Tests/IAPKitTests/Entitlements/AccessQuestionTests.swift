import Foundation
import IAPEntitlements
import IAPModel
import Testing

@testable import IAPKit

@Suite("Answers about access")
struct AccessQuestionTests {
  private let start = Date(milliseconds: 1_700_000_000_000)
  private let pro = ValidatedEntitlement(id: "pro")
  private let plus = ValidatedEntitlement(id: "plus")

  private func purchase(_ id: String, _ product: String = "pro") -> TransactionPayload {
    var payload = TransactionPayload(
      transactionID: TransactionID(id),
      originalTransactionID: OriginalTransactionID(id),
      bundleID: BundleID("app"),
      productID: ProductID(product),
      purchaseDate: start
    )
    payload.type = .nonConsumable
    payload.signedDate = start
    return payload
  }

  private func served() -> AccessView {
    var view = AccessView()
    view.hasServer = true
    return view
  }

  @Test("that come behind the answer to a later question take nothing away")
  func lateAnswer() {
    var view = served()
    view.take([pro, plus], .customer, at: start, question: 2)
    view.take([plus], .customer, at: start, question: 1)
    #expect(
      view.access(to: "pro", at: start) == .yes(until: nil, source: .server, provisional: false)
    )
    view.take([plus], .customer, at: start, question: 3)
    #expect(view.access(to: "pro", at: start) == .no)
  }

  @Test("leave what another question is about to its own answer")
  func underWay() {
    var questions = AccessQuestions()
    let about = questions.ask(about: "1", ["1"])
    let customer = questions.ask(about: nil, ["1", "2"])
    #expect(about == AccessQuestion(number: 1, covered: ["1"]))
    #expect(customer == AccessQuestion(number: 2, covered: ["2"]))
    questions.end(about)
    #expect(questions.ask(about: nil, ["1"]) == AccessQuestion(number: 3, covered: ["1"]))
    var view = served()
    _ = view.take(purchase("1"))
    view.take([], .customer, at: start, asked: customer.covered, question: customer.number)
    #expect(
      view.access(to: "pro", at: start) == .yes(until: nil, source: .device, provisional: true)
    )
  }

  @Test("about one purchase say nothing about another")
  func otherPurchase() {
    var view = served()
    _ = view.take(receipt: [purchase("1")])
    view.take([], .purchase("2"), at: start, question: 1)
    #expect(
      view.access(to: "pro", at: start) == .yes(until: nil, source: .device, provisional: true)
    )
    #expect(view.productIDs(at: start) == ["pro"])
    view.take([], .purchase("1"), at: start, question: 2)
    #expect(view.access(to: "pro", at: start) == .no)
  }

  @Test("that did not believe the account cover the one purchase")
  func unprovenAccount() {
    let entitlements = EntitlementManager()
    let evidence = TransactionEvidence(
      transactionId: "1",
      originalTransactionId: "1",
      productId: "pro",
      account: "ada",
      isSandbox: true
    )
    var result = ReceiptValidationResult(isValid: true)
    result.entitlements = [pro]
    entitlements.take(result, about: evidence, entitlements.ask(about: "1"))
    var other = evidence
    other.transactionId = "2"
    other.originalTransactionId = "2"
    other.productId = "coins"
    result.entitlements = []
    result.isAccountUnproven = true
    entitlements.take(result, about: other, entitlements.ask(about: "2"))
    #expect(entitlements.access(to: "pro").isGranted)
  }

  @Test("that a purchase is another customer's close what the device opens by it")
  func anothers() {
    let entitlements = EntitlementManager()
    entitlements.applyReceipt([purchase("1")])
    #expect(entitlements.access(to: "pro").isGranted)
    entitlements.disown("1")
    #expect(entitlements.access(to: "pro") == .no)
    // It may change hands later.
    let evidence = TransactionEvidence(
      transactionId: "1",
      originalTransactionId: "1",
      productId: "pro",
      isSandbox: true
    )
    let own = ReceiptValidationResult(isValid: true)
    entitlements.take(own, about: evidence, entitlements.ask(about: "1"))
    #expect(entitlements.access(to: "pro").isGranted)
  }

  @Test("of before do not speak against what nobody has judged yet")
  func unjudged() {
    let entitlements = EntitlementManager()
    var bought = StoreTransaction.legacy("1", product: "pro")
    bought.type = .nonConsumable
    let transaction = bought
    entitlements.recall { [transaction] }
    #expect(entitlements.access(to: "pro") == .unknown)
    let evidence = TransactionEvidence(
      transactionId: "2",
      originalTransactionId: "2",
      productId: "coins",
      isSandbox: true
    )
    var result = ReceiptValidationResult(isValid: true)
    result.entitlements = []
    entitlements.take(result, about: evidence, entitlements.ask(about: "2"))
    entitlements.recall { [transaction] }
    #expect(entitlements.access(to: "pro").isGranted)
  }
}

@Suite("What a device lists")
struct DeviceListTests {
  private func signed(_ id: String, isGenuine: Bool = true) -> StoreTransaction {
    var transaction = StoreTransaction.legacy(id)
    transaction.type = .nonConsumable
    transaction.verification = isGenuine ? .verified : .unverified(reason: "spoiled")
    return transaction
  }

  @Test("is not whole while a signature in it does not hold")
  func spoiled() {
    let entitlements = EntitlementManager()
    entitlements.applyDeviceList([signed("1", isGenuine: false)])
    #expect(entitlements.access(to: "pro") == .unknown)
    entitlements.applyDeviceList([])
    #expect(entitlements.access(to: "pro") == .no)
  }

  @Test("is looked through anew for another user")
  func anotherUser() {
    var view = AccessView()
    view.isDeviceListed = true
    #expect(view.access(to: "pro", at: .distantPast) == .no)
    view.forgetUser { _ in true }
    #expect(view.access(to: "pro", at: .distantPast) == .unknown)
  }

  @Test("is asked for before something is taken back: the same product may be owned twice")
  func ownedTwice() async throws {
    let entitlements = EntitlementManager()
    // The list has room for one purchase of a product: the family's hides the own one.
    entitlements.applyDeviceList([signed("family")])
    let evidence = TransactionEvidence(
      transactionId: "family",
      originalTransactionId: "family",
      productId: "pro",
      account: "ada",
      isSandbox: true
    )
    var result = ReceiptValidationResult(isValid: true)
    result.entitlements = [ValidatedEntitlement(id: "pro", productId: "pro")]
    entitlements.take(result, about: evidence, entitlements.ask(about: "family"))
    var revoked = signed("family")
    revoked.revocationDate = revoked.purchaseDate + 60
    let own = signed("own")
    entitlements.relist.withLock { relist in
      relist = { entitlements.applyDeviceList([own]) }
    }
    let handler = entitlements.applying { _ in .delivered }
    let delivery = Delivery(
      kind: .clawback,
      transaction: IAPTransactionResult(revoked, order: nil),
      idempotencyKey: "clawback",
      order: nil,
      validation: nil
    )
    _ = try await handler(delivery)
    #expect(entitlements.access(to: "pro").isGranted)
  }
}
