import Foundation
import IAPModel

// Family Sharing: members hold copies with identifiers of their own.
extension StoreCore {
  mutating func addFamily(
    _ id: FamilyID,
    organizer: AccountID,
    at now: Date
  ) throws(SimulatorError) {
    guard state.family(id) == nil else {
      throw SimulatorError(.duplicate, "there is a family \"\(id)\" already")
    }
    try requireNoFamily(organizer)
    append(.familyChanged(FamilyRecord(id: id, members: [organizer])), at: now)
  }

  mutating func joinFamily(
    _ id: FamilyID,
    _ account: AccountID,
    at now: Date
  ) throws(SimulatorError) {
    var family = try family(id)
    try requireNoFamily(account)
    guard family.members.count < FamilyRule.memberCountMax else {
      throw SimulatorError(
        .notAllowed,
        "\(id) has \(family.members.count) members, which is the most"
      )
    }
    let others = family.members
    family.members.append(account)
    append(.familyChanged(family), at: now)
    for other in others {
      try shareAll(of: other, with: account, at: now)
      try shareAll(of: account, with: other, at: now)
    }
  }

  mutating func leaveFamily(
    _ id: FamilyID,
    _ account: AccountID,
    at now: Date
  ) throws(SimulatorError) {
    var family = try family(id)
    guard family.members.contains(account) else {
      throw SimulatorError(.notAllowed, "\(account) is not in the family \(id)")
    }
    family.members.removeAll { $0 == account }
    family.silent.removeAll { $0 == account }
    append(.familyChanged(family), at: now)
    for other in family.members {
      try unshareAll(of: other, with: account, at: now)
      try unshareAll(of: account, with: other, at: now)
    }
  }

  /// A member shares its purchases, or keeps them to itself.
  mutating func setShares(
    _ shares: Bool,
    of account: AccountID,
    at now: Date
  ) throws(SimulatorError) {
    guard var family = state.family(of: account) else {
      throw SimulatorError(.notAllowed, "\(account) is in no family")
    }
    guard family.silent.contains(account) == shares else { return }
    family.silent.removeAll { $0 == account }
    if !shares { family.silent.append(account) }
    append(.familyChanged(family), at: now)
    for other in family.members where other != account {
      if shares {
        try shareAll(of: account, with: other, at: now)
      } else {
        try unshareAll(of: account, with: other, at: now)
      }
    }
  }

  /// Gives every member a copy of what was bought or renewed.
  mutating func share(
    _ record: StoreTransactionRecord,
    _ bought: (period: BillingPeriod, kind: PeriodKind)?,
    at now: Date
  ) throws(SimulatorError) {
    guard let family = state.family(of: record.account) else { return }
    let product = state.app(record.bundleID)?.catalog[record.productID]
    let isShared = FamilyRule.isShared(record, product)
    for member in family.members where self.isShared(record.account, member) {
      if isShared, sharesLate(record, with: member, at: now) { continue }
      if isShared {
        try giveCopy(of: record, bought, to: member, at: now)
      } else if let copy = copy(of: record.originalTransactionID, heldBy: member) {
        // What took the place of a shared subscription is not shared.
        try endCopy(copy, at: now)
      }
    }
  }

  /// Lets members' copies of a subscription follow it.
  mutating func mirror(
    _ event: SubscriptionEvent,
    of original: OriginalTransactionID,
    at now: Date
  ) throws(SimulatorError) {
    switch event {
    case .chargeDue, .periodEnded, .graceEnded, .retryEnded, .autoRenewSet, .renewalProductSet,
      .expiredNow:
      for copy in state.shared(from: original) where copy.phase != .revoked {
        try act(on: copy.originalTransactionID, event, at: now)
      }
    case .priceAnswered(false):
      for copy in state.shared(from: original) where copy.phase != .revoked {
        try act(on: copy.originalTransactionID, .autoRenewSet(false), at: now)
      }
    case .periodBought, .paymentRecovered, .refunded, .refundReversed, .offerScheduled,
      .offerStacked, .priceRaised, .priceKept, .priceAnswered, .shareEnded:
      // Periods and refunds come with the transactions; prices and offers are the purchaser's.
      break
    }
  }

  /// Whether the second gets what the first buys.
  func isShared(_ purchaser: AccountID, _ member: AccountID) -> Bool {
    guard purchaser != member, let family = state.family(of: purchaser) else { return false }
    return family.members.contains(member) && !family.silent.contains(purchaser)
  }

  mutating func revokeCopy(
    _ copy: StoreTransactionRecord,
    reason: RevocationReason,
    at now: Date
  ) throws(SimulatorError) {
    let id = copy.transactionID
    append(.refunded(id, Revocation(reason: reason, type: .familyRevoke)), at: now)
    let current = try transaction(id)
    tellDevices(of: copy.account, with: copy.bundleID, .transaction(current, .refunded))
    if copy.type == .autoRenewable {
      try act(on: copy.originalTransactionID, .refunded(id), about: id, at: now)
    } else {
      notify(.revoke, nil, about: current, at: now)
    }
  }
}

extension StoreCore {
  private func family(_ id: FamilyID) throws(SimulatorError) -> FamilyRecord {
    guard let family = state.family(id) else {
      throw SimulatorError(.unknownAccount, "there is no family \"\(id)\"")
    }
    return family
  }

  private func requireNoFamily(_ account: AccountID) throws(SimulatorError) {
    _ = try self.account(account)
    guard let other = state.family(of: account) else { return }
    throw SimulatorError(.notAllowed, "\(account) is in the family \(other.id) already")
  }

  func copy(
    of original: OriginalTransactionID,
    heldBy member: AccountID
  ) -> SubscriptionRecord? {
    state.shared(from: original).last { $0.account == member }
  }

  private mutating func shareAll(
    of purchaser: AccountID,
    with member: AccountID,
    at now: Date
  ) throws(SimulatorError) {
    guard isShared(purchaser, member) else { return }
    for app in state.apps.map(\.bundleID) {
      for subscription in state.subscriptions(of: purchaser, in: app)
      where subscription.sharedFrom == nil && subscription.isEntitled {
        try share(subscription, with: member, at: now)
      }
      for record in state.held(by: purchaser, in: app) where record.type == .nonConsumable {
        guard FamilyRule.isShared(record, state.app(app)?.catalog[record.productID]) else {
          continue
        }
        try giveCopy(of: record, nil, to: member, at: now)
      }
    }
  }

  /// Gives a member a copy of a subscription as it stands.
  mutating func share(
    _ subscription: SubscriptionRecord,
    with member: AccountID,
    at now: Date
  ) throws(SimulatorError) {
    let record = try transaction(subscription.period.transactionID)
    let product = state.app(subscription.bundleID)?.catalog[record.productID]
    guard FamilyRule.isShared(record, product) else { return }
    // Of a period that was charged ahead the one before is still running.
    if let running = subscription.previousPeriod, running.end > now,
      !subscription.isPreviousRefunded
    {
      let before = try transaction(running.transactionID)
      try giveCopy(of: before, (running, .first), to: member, at: now)
      try giveCopy(of: record, (subscription.period, .renewed), to: member, at: now)
    } else {
      try giveCopy(of: record, (subscription.period, .first), to: member, at: now)
    }
  }

  private mutating func unshareAll(
    of purchaser: AccountID,
    with member: AccountID,
    at now: Date
  ) throws(SimulatorError) {
    for app in state.apps.map(\.bundleID) {
      for copy in state.subscriptions(of: member, in: app) {
        guard let original = copy.sharedFrom,
          state.subscription(original)?.account == purchaser
        else { continue }
        try endCopy(copy, at: now)
      }
      for copy in state.held(by: member, in: app) where copy.type == .nonConsumable {
        guard copy.revocationDate == nil, let id = copy.sharedFrom,
          state.transaction(id)?.account == purchaser
        else { continue }
        try revokeCopy(copy, reason: .other, at: now)
      }
    }
  }

  /// Takes a member's copy of a subscription back at once, paid or not.
  private mutating func endCopy(
    _ copy: SubscriptionRecord,
    at now: Date
  ) throws(SimulatorError) {
    guard copy.isRunning else { return }
    let record = try transaction(copy.period.transactionID)
    guard record.revocationDate == nil else { return }
    if let running = copy.previousPeriod, running.end > now, !copy.isPreviousRefunded {
      let revocation = Revocation(reason: .other, type: .familyRevoke)
      append(.refunded(running.transactionID, revocation), at: now)
    }
    append(
      .refunded(record.transactionID, Revocation(reason: .other, type: .familyRevoke)),
      at: now
    )
    let current = try transaction(record.transactionID)
    tellDevices(of: copy.account, with: copy.bundleID, .transaction(current, .refunded))
    try act(on: copy.originalTransactionID, .shareEnded, at: now)
  }

  mutating func giveCopy(
    of record: StoreTransactionRecord,
    _ bought: (period: BillingPeriod, kind: PeriodKind)?,
    to member: AccountID,
    at now: Date
  ) throws(SimulatorError) {
    let app = try app(record.bundleID)
    guard let product = app.catalog[record.productID] else { return }
    let known = copy(of: record.originalTransactionID, heldBy: member)
    let kind = bought.map { FamilyRule.kind($0.kind, of: known) }
    var sale = Sale(
      account: try account(member),
      app: app,
      product: product,
      original: known?.originalTransactionID,
      start: record.purchaseDate,
      end: record.expiresDate,
      priceMilliunits: record.priceMilliunits,
      offer: record.offer,
      reason: kind == .renewed || kind == .recovered ? .renewal : .purchase
    )
    sale.ownership = .familyShared
    sale.sharedFrom = record.transactionID
    let copied = make(sale, at: now)
    append(.sold(copied), at: now)
    tellDevices(of: member, with: app.bundleID, .transaction(copied, .purchasedElsewhere))
    guard let bought, let kind else {
      notify(.oneTimeCharge, nil, about: copied, at: now)
      return
    }
    let period = period(copied, bought.period.anchor, bought.period.introductoryPeriodsLeft)
    if let known {
      if kind == .upgraded || kind == .upgradedWithOffer { try supersede(known, at: now) }
    } else {
      append(
        .subscriptionBegan(
          SubscriptionRecord(
            original: copied.originalTransactionID,
            account: member,
            bundleID: app.bundleID,
            groupID: product.subscription?.groupID ?? "",
            period: period,
            sharedFrom: record.originalTransactionID
          )
        ),
        at: now
      )
    }
    try act(on: copied.originalTransactionID, .periodBought(period, kind), at: now)
  }
}
