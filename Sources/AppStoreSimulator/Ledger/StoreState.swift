import Foundation
import IAPModel

/// All that the store knows: a fold over its ledger.
///
/// Lists keep the order in which things happened; the dictionaries are only for looking up.
struct StoreState: Hashable, Sendable {
  /// The terms that the subscription rules go by.
  let terms: SubscriptionTerms
  /// How fast subscriptions live.
  let pace: RenewalPace
  /// How periods are counted.
  let calendar: BillingCalendar
  private(set) var grace: GraceSettings?
  private(set) var families: [FamilyRecord] = []
  private(set) var spentNonces: Set<UUID> = []
  private(set) var apps: [AppRecord] = []
  private(set) var accounts: [AccountRecord] = []
  private(set) var devices: [DeviceRecord] = []
  private(set) var transactions: [StoreTransactionRecord] = []
  private(set) var subscriptions: [SubscriptionRecord] = []
  private(set) var pendings: [PendingPurchase] = []
  private(set) var codes: [OfferCodeRecord] = []
  private(set) var copies: [StoreTransactionRecord] = []
  private(set) var notifications: [NotificationRecord] = []
  private(set) var server = ServerLedger()
  private(set) var entryCount = 0
  private(set) var lastStamp = Date(timeIntervalSince1970: 0)

  private var transactionPlaces: [TransactionID: Int] = [:]
  private var heldPlaces: [Holder: [Int]] = [:]
  private var heldSubscriptions: [Holder: [Int]] = [:]
  private var heldDevices: [Holder: [Int]] = [:]
  private var accountPlaces: [AccountID: Int] = [:]
  private var devicePlaces: [DeviceID: Int] = [:]
  private var subscriptionPlaces: [OriginalTransactionID: Int] = [:]
  private var sharedPlaces: [OriginalTransactionID: [Int]] = [:]
  private var sharedTransactions: [TransactionID: [TransactionID]] = [:]
  private var copyPlaces: [TransactionID: Int] = [:]
  private var notificationPlaces: [NotificationUUID: Int] = [:]
  private var codePlaces: [BundleID: [OfferCode: Int]] = [:]

  /// An account's purchases belong to one app.
  struct Holder: Hashable, Sendable {
    let account: AccountID
    let bundleID: BundleID
  }

  init(terms: SubscriptionTerms, grace: GraceSettings? = nil, pace: RenewalPace = .realTime) {
    self.terms = terms
    self.grace = grace
    self.pace = pace
    calendar = BillingCalendar(pace: pace)
  }

  /// When the next line is said to be signed.
  func nextStamp(at now: Date) -> Date {
    let earliest = Date(milliseconds: lastStamp.milliseconds + 1)
    return max(Date(milliseconds: now.milliseconds), earliest)
  }

  /// Takes one line of the ledger in.
  mutating func apply(_ entry: LedgerEntry) {
    precondition(entry.sequence == entryCount, "a line of the ledger was left out")
    precondition(
      entry.event.isSigned ? entry.stamp > lastStamp : entry.stamp == lastStamp,
      "stamps must rise"
    )
    entryCount += 1
    lastStamp = entry.stamp
    switch entry.event {
    case .appAdded(let app): apps.append(app)
    case .accountAdded(let account):
      accountPlaces[account.id] = accounts.count
      accounts.append(account)
    case .deviceAdded(let device): add(device)
    case .storefrontChanged(let id, let storefront):
      changeAccount(id) { $0.storefront = storefront }
    case .askToBuyChanged(let id, let asks): changeAccount(id) { $0.asksToBuy = asks }
    case .mayBuyChanged(let id, let may): changeAccount(id) { $0.mayBuy = may }
    case .paymentChanged(let id, let works): changeAccount(id) { $0.paymentWorks = works }
    case .sold(let record): add(record)
    case .upgraded(let id): change(id, entry) { $0.isUpgraded = true }
    case .subscriptionBegan(let record): add(record)
    case .subscription(let id, let event): changeSubscription(id, event, entry)
    case .finished(let id): finish(id)
    case .refunded, .refundReversed, .refundRequested, .refundDeclined: applyRefund(entry)
    case .codesMade(let records): add(records)
    case .codeRedeemed(let app, let code, let account): redeem(code, of: app, by: account)
    case .deleted(let ids): delete(Set(ids), at: entry.date)
    case .offerNonceSpent(let nonce): spentNonces.insert(nonce)
    case .familyChanged(let family): change(family)
    case .priceChanged(let app, let product, let price):
      changeProduct(product, of: app) { $0.price = Decimal(price) / 1000 }
    case .availabilityChanged(let app, let product, let isForSale):
      changeProduct(product, of: app) { $0.isForSale = isForSale }
    case .periodCut(let id, let end): cut(id, to: end, entry)
    case .graceChanged(let settings): grace = settings
    case .asked(let pending): pendings.append(pending)
    case .answered(let id, let answer): self.answer(id, answer)
    case .restored(_, let records):
      for record in records {
        copyPlaces[record.transactionID] = copies.count
        copies.append(record)
      }
    case .receiptRefreshed(let id): refreshReceipt(id, at: entry.date)
    case .notificationMade(let record):
      notificationPlaces[record.uuid] = notifications.count
      notifications.append(record)
    case .notificationSent(let uuid, let attempt, let next):
      guard let place = notificationPlaces[uuid] else { return }
      notifications[place].attempts.append(attempt)
      notifications[place].nextAttemptDate = next
    case .server(let event): apply(event, entry)
    }
  }
}

// MARK: Looking up

extension StoreState {
  func app(_ id: BundleID) -> AppRecord? { apps.first { $0.bundleID == id } }

  func account(_ id: AccountID) -> AccountRecord? { accountPlaces[id].map { accounts[$0] } }

  func device(_ id: DeviceID) -> DeviceRecord? { devicePlaces[id].map { devices[$0] } }

  func transaction(_ id: TransactionID) -> StoreTransactionRecord? {
    transactionPlaces[id].map { transactions[$0] }
  }

  func copy(_ id: TransactionID) -> StoreTransactionRecord? { copyPlaces[id].map { copies[$0] } }

  func subscription(_ id: OriginalTransactionID) -> SubscriptionRecord? {
    subscriptionPlaces[id].map { subscriptions[$0] }
  }

  func notification(_ uuid: NotificationUUID) -> NotificationRecord? {
    notificationPlaces[uuid].map { notifications[$0] }
  }

  func code(_ code: OfferCode, in app: BundleID) -> OfferCodeRecord? {
    codePlaces[app]?[code].map { codes[$0] }
  }

  func pending(_ id: PendingID) -> PendingPurchase? { pendings.first { $0.id == id } }

  /// What the account bought in the app, oldest first.
  func held(by account: AccountID, in app: BundleID) -> [StoreTransactionRecord] {
    let places = heldPlaces[Holder(account: account, bundleID: app)] ?? []
    return places.map { transactions[$0] }
  }

  func subscriptions(of account: AccountID, in app: BundleID) -> [SubscriptionRecord] {
    let places = heldSubscriptions[Holder(account: account, bundleID: app)] ?? []
    return places.map { subscriptions[$0] }
  }

  /// The account's devices that have the app.
  func devices(of account: AccountID, with app: BundleID) -> [DeviceID] {
    (heldDevices[Holder(account: account, bundleID: app)] ?? []).map { devices[$0].id }
  }

  func copies(on device: DeviceID) -> [StoreTransactionRecord] {
    copies.filter { $0.device == device }
  }
}

extension StoreState {
  /// The terms for one subscription: the grace period depends on its length and on a free trial.
  func terms(for record: SubscriptionRecord) -> SubscriptionTerms {
    var terms = terms
    let offer = transaction(record.period.transactionID)?.offer
    terms.grace = GraceRule.length(
      grace,
      pace: pace,
      plan: record.period.anchor.period,
      wasFreeTrial: offer?.discountType == .freeTrial,
      end: record.period.end,
      calendar: calendar
    )
    return terms
  }

  func family(_ id: FamilyID) -> FamilyRecord? { families.first { $0.id == id } }

  /// The family that the account belongs to.
  func family(of account: AccountID) -> FamilyRecord? {
    families.first { $0.members.contains(account) }
  }

  /// Family members' copies of a subscription.
  func shared(from original: OriginalTransactionID) -> [SubscriptionRecord] {
    (sharedPlaces[original] ?? []).map { subscriptions[$0] }
  }

  /// Family members' copies of a transaction.
  func sharedTransactions(from id: TransactionID) -> [StoreTransactionRecord] {
    (sharedTransactions[id] ?? []).compactMap { transaction($0) }
  }

  /// The subscription that the account itself has in a group; copies are not its own.
  func ownSubscription(
    of account: AccountID,
    in app: BundleID,
    group: SubscriptionGroupID
  ) -> SubscriptionRecord? {
    subscriptions(of: account, in: app).last { $0.groupID == group && $0.sharedFrom == nil }
  }
}

// MARK: Changing

extension StoreState {
  private mutating func changeAccount(_ id: AccountID, _ body: (inout AccountRecord) -> Void) {
    guard let place = accountPlaces[id] else { return }
    body(&accounts[place])
  }

  private mutating func add(_ record: StoreTransactionRecord) {
    transactionPlaces[record.transactionID] = transactions.count
    let holder = Holder(account: record.account, bundleID: record.bundleID)
    heldPlaces[holder, default: []].append(transactions.count)
    if let purchased = record.sharedFrom {
      sharedTransactions[purchased, default: []].append(record.transactionID)
    }
    transactions.append(record)
  }

  private mutating func add(_ device: DeviceRecord) {
    devicePlaces[device.id] = devices.count
    let holder = Holder(account: device.account, bundleID: device.bundleID)
    heldDevices[holder, default: []].append(devices.count)
    devices.append(device)
  }

  private mutating func add(_ record: SubscriptionRecord) {
    subscriptionPlaces[record.originalTransactionID] = subscriptions.count
    let holder = Holder(account: record.account, bundleID: record.bundleID)
    heldSubscriptions[holder, default: []].append(subscriptions.count)
    if let purchased = record.sharedFrom {
      sharedPlaces[purchased, default: []].append(subscriptions.count)
    }
    subscriptions.append(record)
  }

  private mutating func change(
    _ id: TransactionID,
    _ entry: LedgerEntry,
    _ body: (inout StoreTransactionRecord) -> Void
  ) {
    guard let place = transactionPlaces[id] else { return }
    body(&transactions[place])
    transactions[place].modifiedDate = entry.stamp
  }

  /// Finishing is the app's business and changes nothing that is signed.
  private mutating func finish(_ id: TransactionID) {
    if let place = transactionPlaces[id] { transactions[place].isFinished = true }
    if let place = copyPlaces[id] { copies[place].isFinished = true }
  }

  private mutating func changeSubscription(
    _ id: OriginalTransactionID,
    _ event: SubscriptionEvent,
    _ entry: LedgerEntry
  ) {
    guard let place = subscriptionPlaces[id] else { return }
    let old = subscriptions[place]
    subscriptions[place] =
      SubscriptionReducer.reduce(old, event, at: entry.date, terms: terms(for: old)).0
    guard case .periodBought(let period, _) = event else { return }
    subscriptions[place].appAccountToken =
      transaction(period.transactionID)?.appAccountToken ?? old.appAccountToken
  }

  private mutating func applyRefund(_ entry: LedgerEntry) {
    switch entry.event {
    case .refunded(let id, let revocation):
      change(id, entry) { record in
        record.revocationDate = entry.date
        record.revocationReason = revocation.reason
        record.revocationType = revocation.type
        record.revocationPercentage = revocation.percentage
        record.refundRequest?.answer = .granted
      }
    case .refundReversed(let id):
      change(id, entry) { record in
        record.revocationDate = nil
        record.revocationReason = nil
        record.revocationType = nil
        record.revocationPercentage = nil
      }
    case .refundRequested(let id, let reason):
      note(id) {
        $0.refundRequest = RefundRequestRecord(reason: reason, date: entry.date, answer: .waiting)
      }
    case .refundDeclined(let id): note(id) { $0.refundRequest?.answer = .declined }
    default: break
    }
  }

  private mutating func cut(_ id: OriginalTransactionID, to end: Date, _ entry: LedgerEntry) {
    guard let place = subscriptionPlaces[id] else { return }
    let period = subscriptions[place].period
    subscriptions[place].period = period.ending(at: end)
    change(period.transactionID, entry) { $0.expiresDate = end }
  }

  /// Changes what is not signed.
  private mutating func note(
    _ id: TransactionID,
    _ body: (inout StoreTransactionRecord) -> Void
  ) {
    guard let place = transactionPlaces[id] else { return }
    body(&transactions[place])
  }

  private mutating func change(_ family: FamilyRecord) {
    if let place = families.firstIndex(where: { $0.id == family.id }) {
      families[place] = family
    } else {
      families.append(family)
    }
  }

  private mutating func changeProduct(
    _ id: ProductID,
    of app: BundleID,
    _ body: (inout CatalogProduct) -> Void
  ) {
    guard let place = apps.firstIndex(where: { $0.bundleID == app }) else { return }
    apps[place].catalog.change(id, body)
  }

  private mutating func answer(_ id: PendingID, _ answer: PendingPurchase.Answer) {
    guard let place = pendings.firstIndex(where: { $0.id == id }) else { return }
    pendings[place].answer = answer
  }

  private mutating func refreshReceipt(_ id: DeviceID, at date: Date) {
    guard let place = devicePlaces[id] else { return }
    let device = devices[place]
    devices[place].receipt = ReceiptSnapshot(
      // Receipts count in whole seconds.
      creationDate: Date(timeIntervalSince1970: date.timeIntervalSince1970.rounded(.down)),
      purchases: ReceiptRule.purchases(
        held: held(by: device.account, in: device.bundleID),
        copies: copies(on: id)
      )
    )
  }
}

// MARK: Codes, and what tests delete

extension StoreState {
  private mutating func add(_ records: [OfferCodeRecord]) {
    for record in records {
      codePlaces[record.bundleID, default: [:]][record.code] = codes.count
      codes.append(record)
    }
  }

  private mutating func redeem(_ code: OfferCode, of app: BundleID, by account: AccountID) {
    guard let place = codePlaces[app]?[code] else { return }
    codes[place].redeemers.append(account)
  }

  /// Takes transactions and what is left of their subscriptions away, as a test session does.
  private mutating func delete(_ ids: Set<TransactionID>, at now: Date) {
    let left = transactions.filter { !ids.contains($0.transactionID) }
    let leftCopies = copies.filter { !ids.contains($0.transactionID) }
    let leftSubscriptions = subscriptions.compactMap { $0.without(ids, left, at: now) }
    (transactions, copies, subscriptions) = ([], [], [])
    (transactionPlaces, heldPlaces, sharedTransactions) = ([:], [:], [:])
    (copyPlaces, heldSubscriptions, subscriptionPlaces, sharedPlaces) = ([:], [:], [:], [:])
    for record in left { add(record) }
    for record in leftSubscriptions { add(record) }
    for record in leftCopies {
      copyPlaces[record.transactionID] = copies.count
      copies.append(record)
    }
  }
}

// MARK: What a developer's server did

extension StoreState {
  private mutating func apply(_ event: DeveloperEvent, _ entry: LedgerEntry) {
    server.apply(event, at: entry.date)
    switch event {
    case .renewalExtended(let done):
      change(done.transactionID, entry) { $0.expiresDate = done.effectiveDate }
      guard let place = subscriptionPlaces[done.originalTransactionID] else { return }
      let period = subscriptions[place].period
      subscriptions[place].period = ExtensionRule.extended(period, to: done.effectiveDate)
    case .appAccountTokenSet(let id, let token):
      change(id, entry) { $0.appAccountToken = token }
      guard let original = transaction(id)?.originalTransactionID,
        let place = subscriptionPlaces[original]
      else { return }
      subscriptions[place].appAccountToken = token
    case .consumptionSent, .massExtensionAsked, .massExtensionDone, .retention: break
    }
  }
}
