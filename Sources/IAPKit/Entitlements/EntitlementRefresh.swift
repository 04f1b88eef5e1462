import Foundation
import IAPModel
import IAPSignatures

/// Asks who can tell what the user may use: the device for its list, then the server.
///
/// The server is asked about the customer, once it gave a token for that; without one about the
/// newest transaction of each purchase, so that it also says what was taken back without the
/// device's knowing (StoreKit 1). Those answers reach the access through ``WatchedValidator``.
final class EntitlementRefresh: Sendable {
  /// The most purchases that are asked about at once, and the most of those that are used up.
  static let questionsMax = 10
  /// How many seconds lie between two questions about what is used up at least.
  static let usedUpSecondsMin: TimeInterval = 3600

  private let configuration: IAPConfiguration
  private let validator: WatchedValidator?
  private let store: TransactionStore
  private let adapter: any StoreAdapter
  private let funnel: DeliveryFunnel
  private let entitlements: EntitlementManager
  private let readReceipt: @Sendable () -> [UInt8]?
  private let trust: DeviceTrust?
  private let running = Locked<Task<Void, Never>?>(nil)
  /// When what is used up was asked about last, for each user who was there.
  private let usedUpAskedAt = Locked<[CustomerID?: Date]>([:])

  init(
    configuration: IAPConfiguration,
    validator: WatchedValidator?,
    store: TransactionStore,
    adapter: any StoreAdapter,
    funnel: DeliveryFunnel,
    entitlements: EntitlementManager,
    readReceipt: @escaping @Sendable () -> [UInt8]?,
    trust: DeviceTrust?
  ) {
    self.configuration = configuration
    self.validator = validator
    self.store = store
    self.adapter = adapter
    self.funnel = funnel
    self.entitlements = entitlements
    self.readReceipt = readReceipt
    self.trust = trust
  }

  /// Asks once, behind whoever is asking already.
  func run() async {
    let task = running.withLock { running in
      let earlier = running
      let task = Task {
        await earlier?.value
        await ask()
      }
      running = task
      return task
    }
    await task.value
  }

  /// Follows the states of subscriptions for as long as its task runs.
  func watch() async {
    guard let source = adapter as? any SubscriptionStatusSource else { return }
    let updates = source.statusUpdates()
    for await status in updates where isOwn(status.transaction) { entitlements.apply([status]) }
  }

  private func ask() async {
    await list()
    entitlements.changed()
    guard let validator, await !askAboutCustomer(validator) else { return }
    for record in questions() + usedUp() {
      // No answer is no news: what is known stays, and the next occasion asks again.
      guard let result = try? await validator.validate(evidence(record)) else { continue }
      guard result.transactionId == nil || result.transactionId == record.transactionId
      else { continue }
      if let date = result.revocationDate { await revoke(record, at: date) }
      if let date = result.reversedRevocationDate { await reverse(record, of: date) }
    }
  }

  /// What was handed over and is used up, the newest first: nothing else tells of its refund, or of
  /// that refund's end, to a device that has no token (any more) and nothing that lasts.
  private func usedUp() -> [TransactionRecord] {
    guard validator?.validator is any CustomerSource else { return [] }
    let now = funnel.world.now()
    let user = funnel.account.id
    let isTooEarly = usedUpAskedAt.withLock { askedAt in
      // A clock that was set back does not count.
      if let last = askedAt[user],
        (0..<Self.usedUpSecondsMin).contains(now.timeIntervalSince(last))
      {
        return true
      }
      askedAt[user] = now
      return false
    }
    guard !isTooEarly else { return [] }
    return store.newestUsedUp(Self.questionsMax).filter { isOwn($0.transaction) }
  }

  /// Asks this device: StoreKit 2 for its lists, and on StoreKit 1 the receipt.
  func list() async {
    recallRevocations()
    guard adapter.generation == .storekit2 else { return readReceiptLines() }
    entitlements.applyDeviceList(await adapter.currentEntitlements().filter(isOwn))
    guard let source = adapter as? any SubscriptionStatusSource else { return }
    let statuses = await source.subscriptionStatuses(in: entitlements.groups)
    entitlements.apply(statuses.filter { isOwn($0.transaction) })
  }

  /// Tells of what was taken back while nothing could be done about its goods: refused, set aside,
  /// or waiting for somebody, it has no event of its own, and no list of the device names it.
  private func recallRevocations() {
    store.openRecords()
      .filter { $0.revocationDate != nil && isOwn($0.transaction) }
      .sorted { $0.transactionId < $1.transactionId }
      .forEach { entitlements.apply($0.transaction) }
  }

  /// The App Store's account has what all users of the app bought with it on this device.
  private func isOwn(_ transaction: StoreTransaction) -> Bool {
    funnel.isOwn(transaction.transactionID, transaction.appAccountToken)
  }

  private func readReceiptLines() {
    guard let trust, let bytes = readReceipt(), !bytes.isEmpty,
      let receipt = (try? trust.verdict(on: bytes))?.accepted?.payload
    else { return }
    let lines = receipt.items.compactMap { item -> TransactionPayload? in
      guard var line = item.transaction(in: receipt) else { return nil }
      line.type = line.type ?? configuration.productTypes[item.productID.rawValue]
      return line
    }
    entitlements.applyReceipt(lines.filter { funnel.isOwn($0.transactionID, $0.appAccountToken) })
  }

  /// Whether nothing else has to be asked: the server told all about the customer, or cannot be
  /// reached at all.
  private func askAboutCustomer(_ validator: WatchedValidator) async -> Bool {
    let question = entitlements.ask(about: nil)
    defer { entitlements.end(question) }
    let answer: CustomerAnswer?
    do throws(IAPError) {
      answer = try await validator.customer()
    } catch {
      #if PLANTED_BUGS
      if funnel.world.planted == .takesNothingForNoAccess,
        let nothing = CustomerAnswer(Data(#"{"entitlements":[]}"#.utf8))
      {
        entitlements.take(nothing, question)
      }
      #endif
      return error == .network(underlying: error)
    }
    guard let answer else { return false }
    entitlements.take(answer, question)
    for (id, date) in answer.revocations.sorted(by: { $0.key < $1.key }) {
      if let record = store.record(id) { await revoke(record, at: date) }
    }
    for (id, date) in answer.reversals.sorted(by: { $0.key < $1.key }) {
      if let record = store.record(id) { await reverse(record, of: date) }
    }
    return true
  }

  /// Takes note of what was taken back without the device's knowing.
  private func revoke(_ record: TransactionRecord, at date: Date) async {
    guard record.transaction.revocationDate == nil else { return }
    await funnel.applyRevocation(record.transaction.transactionID, at: date)
  }

  /// Takes note that what was taken back is the customer's again: StoreKit 1 never says so, and
  /// StoreKit 2 only to who listens.
  private func reverse(_ record: TransactionRecord, of date: Date) async {
    await funnel.applyReversal(record.transaction.transactionID, of: date)
  }

  /// The newest judged record of each purchase that gives the user access, the newest first: what
  /// another user of this device bought says nothing about this one.
  private func questions() -> [TransactionRecord] {
    // With an account one answer covers the customer, and a refund of a signed transaction reaches
    // the device by itself.
    let isOneEnough = adapter.generation == .storekit2 && funnel.account.id != nil
    return own(isOneEnough ? 1 : Self.questionsMax)
  }

  /// The newest records that have something to show and are the user's own: a period of the same
  /// subscription that another user's order waits for does not stand for those of this one.
  private func own(_ limit: Int) -> [TransactionRecord] {
    var others: Set<TransactionID> = []
    var found: [TransactionRecord] = []
    for _ in 0..<Self.questionsMax {
      found = store.newestOwned(limit, besides: others)
      let strange = found.filter { $0.transaction.isProofless || !isOwn($0.transaction) }
      guard !strange.isEmpty else { return found }
      others.formUnion(strange.map(\.transaction.transactionID))
    }
    return found.filter { !others.contains($0.transaction.transactionID) }
  }

  private func evidence(_ record: TransactionRecord) -> TransactionEvidence {
    var evidence = TransactionEvidence(
      transactionId: record.transactionId,
      originalTransactionId: record.originalTransactionId,
      productId: record.productId,
      orderNumber: record.orderNumber,
      account: funnel.account.id?.rawValue,
      installation: store.installation?.rawValue,
      isSandbox: record.environment.map { $0 != .production } ?? configuration.isSandbox
    )
    switch record.transaction.proof {
    // What is used up has no signed text any more: the server knows it by its number.
    case .jws(let text): evidence.signedTransaction = text.isEmpty ? nil : text
    case .receipt: evidence.receipt = readReceipt().map { Data($0) }
    }
    return evidence
  }
}

extension StoreTransaction {
  /// Whether there is nothing to show and nothing to read again.
  fileprivate var isProofless: Bool {
    if case .jws(let text) = proof { text.isEmpty } else { false }
  }
}

extension EntitlementManager {
  /// The handler, told of goods after the access that comes with them.
  ///
  /// Before something is taken back the device names what is left: the customer may have the same
  /// product by another purchase, which its list had no room for (a family member's, and the own).
  func applying(_ handler: @escaping DeliveryHandler) -> DeliveryHandler {
    { [self] delivery in
      if delivery.kind == .clawback { await relist.withLock { $0 }() }
      apply(delivery.transaction)
      return try await handler(delivery)
    }
  }

  /// Takes what the delivery funnel tells.
  func follow(_ event: FunnelEvent) {
    switch event {
    case .saved(let record): apply(record.transaction)
    case .accepted(let record, _): apply(record.transaction)
    case .ready(_, let result):
      // What is taken back or given again has no other event of its own.
      apply(result)
    case .held, .rejected, .retryScheduled, .finished, .quarantined, .purchaseFailed,
      .order, .restoreEnded, .storageFailed, .journalRepaired:
      break
    }
  }
}
