import AppStoreSimulator
import Foundation
import IAPModel
import StoreKit

extension ProcessHost: StoreHost {
  func products(for identifiers: [String]) async throws -> [Product] {
    await life.passOrHang()
    guard !Task.isCancelled else { return [] }
    return try await reaching(.loadProducts) { () throws(SimulatorError) in
      try line.products(identifiers.map { ProductID($0) }, for: self)
    }
  }

  func purchase(_ request: StoreKit.PurchaseRequest) async throws -> Product.PurchaseResult {
    await life.passOrHang()
    let wanted = try AppStoreSimulator.PurchaseRequest(request, on: line.device)
    let outcome = await visitSheet(wanted, from: request.product.storefrontID) { storefront in
      request.continuesInStorefront?(storefront) ?? true
    }
    switch outcome {
    case .cancelled: return .userCancelled
    case .failed(.interrupted):
      return options.interruptedPurchaseIsPending ? .pending : .userCancelled
    case .forced(let failure): throw failure.storeKit2 ?? StoreKitError.unknown
    case .answerLost: throw Self.lostAnswer
    case .leftStorefront: throw StoreKitError.notAvailableInStorefront
    case .failed(let failure): throw failure.storeKit2
    case .paid(.pending): return .pending
    case .paid(.purchased(let record)):
      arrives(record)
      echo(record)
      return .success(try signed(record))
    case .paid(.unchanged(let record, _)): return .success(try signed(record))
    case .paid(.failed(let failure)): throw failure.storeKit2
    }
  }

  private func signed(
    _ record: StoreTransactionRecord
  ) throws -> VerificationResult<StoreKit.Transaction> {
    guard let transaction = line.signed(record, for: self) else { throw StoreKitError.unknown }
    return transaction
  }

  func isEligibleForIntroOffer(in group: String) async -> Bool {
    await life.passOrHang()
    let group = SubscriptionGroupID(group)
    return remembered(eligibility: line.isEligibleForIntroductoryOffer(group), in: group)
  }

  func transactions(
    _ listing: TransactionListing
  ) async -> [VerificationResult<StoreKit.Transaction>] {
    await life.passOrHang()
    guard !Task.isCancelled else { return [] }
    let records: [StoreTransactionRecord]
    switch listing {
    case .unfinished: records = line.unfinished()
    case .all(let product): records = listed.about(product)
    case .currentEntitlements(let product): records = entitlements.about(product)
    }
    return records.reversed().compactMap { line.signed($0, for: self) }
  }

  func latestTransaction(
    of product: String
  ) async -> VerificationResult<StoreKit.Transaction>? {
    await life.passOrHang()
    let newest = listed.about(product).max { $0.purchaseDate < $1.purchaseDate }
    return newest.flatMap { line.signed($0, for: self) }
  }

  func transactionUpdates() -> AsyncStream<VerificationResult<StoreKit.Transaction>> {
    let stream = transactionBroadcast.stream()
    isListenedTo()
    return stream
  }

  func finish(transactionID: UInt64) async {
    await life.passOrHang(.beforeFinish)
    let id = TransactionID(String(transactionID))
    line.finish(id)
    queueForgets(id)
    await life.passOrHang(.afterFinish)
  }

  func statuses(in group: String) async throws -> [Product.SubscriptionInfo.Status] {
    await life.passOrHang()
    guard !Task.isCancelled else { return [] }
    try line.check(.subscriptionStatus)
    return line.statuses(in: SubscriptionGroupID(group), for: self).map(withRenewalLag)
  }

  func subscribedGroupIDs() async -> [String] {
    await life.passOrHang()
    return line.subscribedGroups().map(\.rawValue)
  }

  func status(transactionID: UInt64) async throws -> Product.SubscriptionInfo.Status? {
    await life.passOrHang()
    try line.check(.subscriptionStatus)
    let id = TransactionID(String(transactionID))
    guard let record = line.all().first(where: { $0.transactionID == id }) else { return nil }
    return line.status(of: record.originalTransactionID, for: self).map(withRenewalLag)
  }

  func statusUpdates() -> AsyncStream<Product.SubscriptionInfo.Status> { statusBroadcast.stream() }

  var canMakePayments: Bool { person.isAllowedToPay && line.mayBuy }

  var deviceVerificationID: UUID? { line.verificationID }

  func sync() async throws {
    await life.passOrHang()
    guard person.signsIn else { throw StoreKitError.userCancelled }
    // The device hears of everything as it happens, so there is nothing left to ask for.
    try await reaching(.synchronization) {}
  }

  func appTransaction(refreshing: Bool) async throws -> VerificationResult<AppTransaction> {
    await life.passOrHang()
    try line.check(.appTransaction)
    if refreshing {
      guard person.signsIn else { throw StoreKitError.userCancelled }
      try await reaching(nil) {}
    }
    return try line.appTransaction()
  }

  var storefront: StoreKit.Storefront? { StoreKit.Storefront(line.storefront) }

  func storefrontUpdates() -> AsyncStream<StoreKit.Storefront> { storefrontBroadcast.stream() }

  func purchaseIntents() -> AsyncStream<PurchaseIntent> { intentBroadcast.stream() }
}

extension [StoreTransactionRecord] {
  fileprivate func about(_ product: String?) -> [StoreTransactionRecord] {
    guard let product else { return self }
    return filter { $0.productID.rawValue == product }
  }
}
