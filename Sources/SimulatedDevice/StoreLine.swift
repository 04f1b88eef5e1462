import AppStoreSimulator
import Foundation
import IAPModel
import StoreKit

/// A device's line to the store: asks for the device, answers in StoreKit's values.
struct StoreLine: Sendable {
  let store: SimulatedAppStore
  let device: DeviceID
  let controls: DeviceControls

  /// The result of a question that cannot fail for a device that exists.
  private func known<Value>(_ body: () throws(SimulatorError) -> Value) -> Value {
    do {
      return try body()
    } catch {
      preconditionFailure("the store does not answer for \(device): \(error)")
    }
  }

  /// Why the device gets no answer, when it gets none.
  var failureOfReach: StoreFailure? {
    guard !store.reaches(device) else { return nil }
    return store.faults.isStoreUnreachable ? .storeUnreachable : .networkUnavailable
  }

  var app: BundleID { known { () throws(SimulatorError) in try store.device(device).bundleID } }

  /// What the app sells.
  var catalog: StoreCatalog? {
    let app = app
    return store.apps.first { $0.bundleID == app }?.catalog
  }

  var account: AccountID { known { () throws(SimulatorError) in try store.device(device).account } }

  var verificationID: UUID { store.deviceVerificationID(of: device) }

  var storefront: AppStoreSimulator.Storefront {
    known { () throws(SimulatorError) in try store.storefront(of: device) }
  }

  func observe(_ observer: @escaping StoreObserver) -> StoreObservation {
    known { () throws(SimulatorError) in try store.observe(device, observer) }
  }

  func endObservation(_ observation: StoreObservation) { store.endObservation(observation) }
}

// MARK: Buying

extension StoreLine {
  func products(_ ids: [ProductID], for host: any StoreHost) throws(SimulatorError) -> [Product] {
    try store.products(ids, on: device).map { product($0, for: host) }
  }

  func product(_ product: CatalogProduct, for host: any StoreHost) -> Product {
    Product(
      product,
      locale: controls.locale ?? catalog?.settings.locale ?? "en_US",
      storefront: storefront,
      host: host
    )
  }

  func purchase(
    _ request: AppStoreSimulator.PurchaseRequest,
    askingParent: Bool
  ) -> AppStoreSimulator.PurchaseOutcome {
    known { () throws(SimulatorError) in
      guard askingParent else { return try store.purchase(request) }
      let account = account
      let asksAlways = store.accounts.first { $0.id == account }?.asksToBuy ?? false
      try store.setAsksToBuy(true, of: account)
      let outcome = try store.purchase(request)
      try store.setAsksToBuy(asksAlways, of: account)
      return outcome
    }
  }

  /// Sends that a transaction is finished; one that belongs to somebody else is left alone.
  func finish(_ id: TransactionID) { try? store.finish(id, on: device) }

  func restore() throws(SimulatorError) -> [StoreTransactionRecord] {
    try store.restore(on: device)
  }

  func isEligibleForIntroductoryOffer(_ group: SubscriptionGroupID) -> Bool {
    let hadOne = all().contains { $0.usedIntroductoryOffer(in: group) }
    return !hadOne
      && !subscriptions(in: group).map(\.subscription).contains { $0.blocksIntroductoryOffer }
  }
}

// MARK: Listing

extension StoreLine {
  func all() -> [StoreTransactionRecord] {
    known { () throws(SimulatorError) in try store.allTransactions(on: device) }
  }

  /// All that the account has, finished consumables included.
  func history() -> [StoreTransactionRecord] {
    known { () throws(SimulatorError) in try store.purchaseHistory(on: device) }
  }

  /// What the app has finished and still has.
  func finished() -> [StoreTransactionRecord] {
    history().filter { $0.isFinished && $0.revocationDate == nil }
  }

  func unfinished() -> [StoreTransactionRecord] {
    known { () throws(SimulatorError) in try store.unfinished(on: device) }
  }

  func unfinishedCopies() -> [StoreTransactionRecord] {
    known { () throws(SimulatorError) in try store.unfinishedCopies(on: device) }
  }

  func currentEntitlements() -> [StoreTransactionRecord] {
    known { () throws(SimulatorError) in try store.currentEntitlements(on: device) }
  }

  func subscribedGroups() -> [SubscriptionGroupID] {
    var seen: Set<SubscriptionGroupID> = []
    return subscriptions(in: nil).map(\.subscription.groupID).filter { seen.insert($0).inserted }
  }

  func subscriptions(in group: SubscriptionGroupID?) -> [SubscriptionStatusRecord] {
    known { () throws(SimulatorError) in
      try store.subscriptionStatuses(on: device, group: group)
    }
  }

  func statuses(
    in group: SubscriptionGroupID,
    for host: any StoreHost
  ) -> [Product.SubscriptionInfo.Status] {
    subscriptions(in: group).compactMap { status($0, for: host) }
  }

  func status(
    of original: OriginalTransactionID,
    for host: any StoreHost
  ) -> Product.SubscriptionInfo.Status? {
    subscriptions(in: nil)
      .first { $0.subscription.originalTransactionID == original }
      .flatMap { status($0, for: host) }
  }

  private func status(
    _ record: SubscriptionStatusRecord,
    for host: any StoreHost
  ) -> Product.SubscriptionInfo.Status? {
    guard let transaction = signed(record.transaction, for: host),
      let text = try? store.signedRenewalInfo(record, on: device),
      let payload = object(in: text).flatMap({ try? RenewalInfoPayload($0) })
    else { return nil }
    let info = Product.SubscriptionInfo.RenewalInfo(payload, signed: text)
    return Product.SubscriptionInfo.Status(
      state: .init(rawValue: record.status.rawValue),
      transaction: transaction,
      renewalInfo: judged(info)
    )
  }
}

// MARK: Signed data

extension StoreLine {
  /// The signed transaction as StoreKit hands it out; nil when the store could not sign it.
  func signed(
    _ record: StoreTransactionRecord,
    for host: any StoreHost
  ) -> VerificationResult<StoreKit.Transaction>? {
    guard let text = try? store.signedTransaction(record.transactionID, on: device),
      let payload = object(in: text).flatMap({ try? TransactionPayload($0) })
    else { return nil }
    return judged(
      StoreKit.Transaction(
        payload,
        signed: isUnreadable ? String(text.prefix(text.count / 2)) : text,
        storefront: StoreKit.Storefront(record.storefront),
        host: host
      )
    )
  }

  func appTransaction() throws -> VerificationResult<AppTransaction> {
    guard let text = try? store.signedAppTransaction(on: device),
      let payload = object(in: text).flatMap({ try? AppTransactionPayload($0) })
    else { throw StoreKitError.unknown }
    return judged(AppTransaction(payload, signed: text))
  }

  func refreshReceipt() throws(SimulatorError) { try store.refreshReceipt(on: device) }

  /// The value with StoreKit's verdict on the signature that the store makes at present.
  private func judged<Value>(_ value: Value) -> VerificationResult<Value> {
    if case .verification(let failure)? = failure(of: .verification) {
      return failure.refuse(value)
    }
    return switch store.faults.signature {
    case .genuine: .verified(value)
    case .broken: .unverified(value, .invalidSignature)
    case .foreignRoot, .expired, .notYetValid, .unmarkedLeaf, .unmarkedIntermediate:
      .unverified(value, .invalidCertificateChain)
    }
  }

  /// Whether the text of a transaction arrives cut off, so that nobody can read it.
  private var isUnreadable: Bool {
    if case .verification(.invalidEncoding)? = failure(of: .verification) { true } else { false }
  }

  private func object(in text: String) -> JSONObject? {
    try? JSONParser.parseObject(Array(CompactJWS(text: text).payload))
  }
}

extension SubscriptionRecord {
  /// Whether who has it gets no introductory offer: what is over or not paid for does not count,
  /// nor does what a family member shares.
  fileprivate var blocksIntroductoryOffer: Bool { sharedFrom == nil && isEntitled }
}
