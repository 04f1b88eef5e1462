import Foundation
public import IAPKit

// What the customer and the App Store do outside of the app. Each call returns when the client has
// dealt with it.
extension FakeStore {
  // MARK: Approving

  /// Somebody approves a purchase that was answered with ``SheetAnswer/askParent``.
  ///
  /// - Parameter productId: The product.
  /// - Throws: ``FakeStoreError``.
  public func approvePurchase(of productId: String) async throws(FakeStoreError) {
    let now = now
    let result = try books { (ledger) throws(FakeStoreError) in
      let question = try ledger.answerQuestion(about: ProductID(productId))
      let sale = FakeSale(
        productID: question.productID,
        quantity: question.quantity,
        token: question.token,
        source: .updates
      )
      return try ledger.sell(sale, at: now)
    }
    await announce(result)
  }

  /// Somebody declines; StoreKit 2 never says so, and the order stays pending.
  ///
  /// - Parameter productId: The product.
  /// - Throws: ``FakeStoreError``.
  public func declinePurchase(of productId: String) async throws(FakeStoreError) {
    _ = try books { (ledger) throws(FakeStoreError) in
      try ledger.answerQuestion(about: ProductID(productId))
    }
    await settle()
  }

  // MARK: Elsewhere

  /// The customer buys on another device, or in the App Store.
  ///
  /// - Parameters:
  ///   - productId: The product.
  ///   - quantity: How many.
  /// - Throws: ``FakeStoreError``.
  public func buyElsewhere(_ productId: String, quantity: Int = 1) async throws(FakeStoreError) {
    try await sell(
      FakeSale(productID: ProductID(productId), quantity: quantity, source: .updates)
    )
  }

  /// The customer redeems an offer code for a subscription.
  ///
  /// - Parameters:
  ///   - offerId: The offer's name.
  ///   - productId: The subscription.
  ///   - terms: What it offers; nil for a free period.
  /// - Throws: ``FakeStoreError``.
  public func redeemCode(
    _ offerId: String,
    for productId: String,
    terms: IAPOffer? = nil
  ) async throws(FakeStoreError) {
    try await sell(try saleOfCode(offerId, for: productId, terms: terms))
  }

  /// A member of the family shares a purchase with the customer.
  ///
  /// - Parameter productId: The product.
  /// - Throws: ``FakeStoreError``.
  public func shareFromFamily(_ productId: String) async throws(FakeStoreError) {
    try await sell(
      FakeSale(productID: ProductID(productId), source: .updates, isFamilyShared: true)
    )
  }

  func sell(_ sale: FakeSale) async throws(FakeStoreError) {
    let now = now
    let result = try books { (ledger) throws(FakeStoreError) in try ledger.sell(sale, at: now) }
    await announce(result)
  }

  private func announce(_ result: StorePurchaseResult) async {
    if case .transaction(let transaction) = result { send(.transaction(transaction)) }
    await settle()
  }

  // MARK: Taking back

  /// The App Store refunds a purchase.
  ///
  /// StoreKit 2 announces it. StoreKit 1 does not: the server's answer says it.
  ///
  /// - Parameters:
  ///   - transactionId: The transaction.
  ///   - reason: Why.
  /// - Throws: ``FakeStoreError``.
  public func refund(
    _ transactionId: String,
    reason: RevocationReason = .other
  ) async throws(FakeStoreError) {
    try await revoke(transactionId, reason: reason, at: now)
  }

  /// The App Store takes a refund back: the purchase counts again.
  ///
  /// - Parameter transactionId: The transaction.
  /// - Throws: ``FakeStoreError``.
  public func reverseRefund(_ transactionId: String) async throws(FakeStoreError) {
    try await revoke(transactionId, reason: nil, at: nil)
  }

  /// The family stops sharing: a purchase of ``shareFromFamily(_:)`` is taken back.
  ///
  /// - Parameter productId: The product.
  /// - Throws: ``FakeStoreError``.
  public func stopSharing(_ productId: String) async throws(FakeStoreError) {
    let shared = books { ledger in
      ledger.transactions.last {
        $0.productID == ProductID(productId) && $0.ownership == .familyShared
      }
    }
    guard let shared else { throw FakeStoreError(code: .unknownTransaction, subject: productId) }
    try await revoke(shared.transactionID.rawValue, reason: .other, at: now)
  }

  private func revoke(
    _ transactionId: String,
    reason: RevocationReason?,
    at date: Date?
  ) async throws(FakeStoreError) {
    let now = now
    let announced = try books { (ledger) throws(FakeStoreError) in
      try ledger.revoke(TransactionID(transactionId), reason: reason, at: date, now: now)
    }
    if generation == .storekit2 { send(.transaction(announced)) }
    await settle()
  }

  /// The id of the newest transaction of a product; nil when there is none.
  ///
  /// - Parameter productId: The product.
  /// - Returns: The id.
  public func latestTransactionId(of productId: String) -> String? {
    books { ledger in
      ledger.transactions.last { $0.productID == ProductID(productId) }?.transactionID.rawValue
    }
  }
}
