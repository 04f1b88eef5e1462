public import Foundation
import IAPModel

extension StoreHistory {
  /// What the customer may use.
  ///
  /// Grace keeps access and billing retry does not; what was revoked or upgraded gives none; what
  /// is shared by the family counts; consumables never give access.
  ///
  /// - Parameters:
  ///   - now: The instant to judge at.
  ///   - catalog: Which product opens what.
  /// - Returns: The access there is, and the access there was.
  public func access(at now: Date, catalog: EntitlementCatalog = .init()) -> AccessReport {
    access(at: now, catalog: catalog, subscriptions: subscriptions(at: now))
  }

  /// What the customer may use, for who has looked at the subscriptions already.
  ///
  /// - Parameters:
  ///   - now: The instant to judge at.
  ///   - catalog: Which product opens what.
  ///   - subscriptions: What ``subscriptions(at:)`` says at that instant.
  /// - Returns: The access there is, and the access there was.
  package func access(
    at now: Date,
    catalog: EntitlementCatalog,
    subscriptions: [SubscriptionState]
  ) -> AccessReport {
    var collector = AccessCollector(catalog: catalog)
    collector.add(subscriptions)
    for transaction in transactions where transaction.payload.type == .nonConsumable {
      collector.addOwned(transaction)
    }
    collector.addNonRenewing(units.filter { $0.type == .nonRenewable }, history: self, now: now)
    return collector.report
  }

  /// When the clock changes what ``subscriptions(at:)`` and ``access(at:catalog:)`` say, as long as
  /// nothing new is heard.
  ///
  /// - Parameters:
  ///   - now: The instant at which both were asked.
  ///   - subscriptions: What the one said.
  ///   - report: What the other said.
  /// - Returns: The first such instant behind it; nil when there is none.
  package static func nextChange(
    after now: Date,
    subscriptions: some Sequence<SubscriptionState>,
    report: AccessReport
  ) -> Date? {
    var instants = report.entitlements.compactMap(\.until)
    for subscription in subscriptions {
      if let end = subscription.accessUntil { instants.append(end) }
      if subscription.phase == .inBillingRetry, let end = subscription.expiresDate {
        instants.append(end.addingTimeInterval(billingRetryMax))
      }
    }
    return instants.filter { $0 > now }.min()
  }
}

/// Gathers access product by product.
private struct AccessCollector {
  let catalog: EntitlementCatalog
  private var held: [Entitlement] = []
  private var lapsed: [LapsedEntitlement] = []

  init(catalog: EntitlementCatalog) { self.catalog = catalog }

  /// The best access for each entitlement and product, and what gives none.
  var report: AccessReport {
    struct Pair: Hashable {
      let id: EntitlementID
      let product: ProductID
    }
    let best = Dictionary(grouping: held) { Pair(id: $0.id, product: $0.productID) }
      .compactMapValues { $0.max { $0.endsEarlier(than: $1) } }
    let gone = Dictionary(grouping: lapsed) { Pair(id: $0.id, product: $0.productID) }
      .filter { best[$0.key] == nil }
      .compactMapValues { candidates in
        candidates.max {
          ($0.since, $0.originalTransactionID) < ($1.since, $1.originalTransactionID)
        }
      }
    return AccessReport(
      entitlements: best.values.sorted { ($0.id, $0.productID) < ($1.id, $1.productID) },
      lapsed: gone.values.sorted { ($0.id, $0.productID) < ($1.id, $1.productID) }
    )
  }

  mutating func add(_ subscriptions: [SubscriptionState]) {
    let counted = subscriptions.filter(\.hasAccess)
    for state in subscriptions {
      guard state.hasAccess, let until = state.accessUntil else {
        lapse(state.transaction, Self.reason(of: state.phase), since: state.since)
        continue
      }
      if catalog.onlyHighestLevelCounts, let group = state.groupID,
        let top = counted.filter({ $0.groupID == group }).map({ level($0.productID) }).min(),
        level(state.productID) > top
      {
        lapse(state.transaction, .higherLevelHeld, since: state.since)
        continue
      }
      hold(
        state.transaction,
        until: until,
        source: .subscription,
        reason: state.phase == .inGracePeriod ? .inGracePeriod : .subscribed
      )
    }
  }

  mutating func addOwned(_ transaction: TransactionState) {
    let payload = transaction.payload
    if transaction.isRevoked {
      lapse(payload, .revoked, since: payload.revocationDate ?? payload.purchaseDate)
    } else {
      hold(payload, until: nil, source: .nonConsumable, reason: .owned)
    }
  }

  /// Purchases of the same product follow one another: each begins when it was bought or, when
  /// another one is still running, at that one's end.
  mutating func addNonRenewing(_ units: [UnitState], history: StoreHistory, now: Date) {
    var ends: [ProductID: Date] = [:]
    for unit in units {
      guard let payload = unit.transactionIDs.first.flatMap({ history.transaction($0)?.payload })
      else { continue }
      guard unit.isActive else {
        lapse(payload, .revoked, since: unit.revocationDate ?? unit.purchaseDate)
        continue
      }
      guard let period = catalog.rule(for: unit.productID).accessPeriod else {
        hold(payload, until: nil, source: .nonRenewable, reason: .withinPeriod)
        continue
      }
      let start = max(unit.purchaseDate, ends[unit.productID] ?? unit.purchaseDate)
      let end = period.end(from: start, count: unit.quantity)
      ends[unit.productID] = end
      if end > now {
        hold(payload, until: end, source: .nonRenewable, reason: .withinPeriod)
      } else {
        lapse(payload, .expired, since: end)
      }
    }
  }

  private func level(_ product: ProductID) -> Int { catalog.rule(for: product).level ?? .max }

  private mutating func hold(
    _ payload: TransactionPayload,
    until: Date?,
    source: EntitlementSource,
    reason: EntitlementReason
  ) {
    for id in catalog.rule(for: payload.productID).entitlements {
      held.append(
        Entitlement(
          id: id,
          productID: payload.productID,
          transactionID: payload.transactionID,
          originalTransactionID: payload.originalTransactionID,
          until: until,
          source: source,
          reason: reason,
          ownership: payload.ownershipType
        )
      )
    }
  }

  private mutating func lapse(
    _ payload: TransactionPayload,
    _ reason: EntitlementReason,
    since: Date
  ) {
    for id in catalog.rule(for: payload.productID).entitlements {
      lapsed.append(
        LapsedEntitlement(
          id: id,
          productID: payload.productID,
          originalTransactionID: payload.originalTransactionID,
          reason: reason,
          since: since
        )
      )
    }
  }

  private static func reason(of phase: SubscriptionState.Phase) -> EntitlementReason {
    switch phase {
    case .subscribed: .subscribed
    case .inGracePeriod: .inGracePeriod
    case .inBillingRetry: .inBillingRetry
    case .expired: .expired
    case .revoked: .revoked
    }
  }
}

extension SubscriptionPeriod {
  /// The end of this period taken `count` times from `start`, in the Gregorian calendar and UTC.
  func end(from start: Date, count: Int) -> Date {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = TimeZone(secondsFromGMT: 0) ?? calendar.timeZone
    let component: Calendar.Component =
      switch unit {
      case .day, .week: .day
      case .month: .month
      case .year: .year
      }
    let amount = value * max(count, 1) * (unit == .week ? 7 : 1)
    return calendar.date(byAdding: component, value: amount, to: start) ?? start
  }
}
