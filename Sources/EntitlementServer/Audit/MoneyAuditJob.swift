import Foundation
import IAPEntitlements
import IAPModel
import ServerStorage

/// Adds the ledger up for an audit, a page of purchases at a time, and compares at the end.
struct MoneyAuditJob: Sendable {
  let parts: ServerParts

  /// How many purchases are looked at in one step.
  static let pageSize = 1000

  /// Goes on with an audit of the app; false when none waits.
  func step(_ app: BundleID, at now: Date) async throws(ServerError) -> Bool {
    let running = try await parts.read { reader throws(StorageError) in
      try reader.documents(
        .moneyAudit,
        app: app,
        shelf: MoneyAudit.State.running.rawValue,
        after: 0,
        limit: 10
      )
    }
    for document in running where try await step(document, at: now) { return true }
    return false
  }

  private func step(_ document: LedgerDocument, at now: Date) async throws(ServerError) -> Bool {
    var audit = try await stored { () throws(StorageError) in try MoneyAudit(document) }
    let tally = try await tally(audit)
    audit.held.add(tally.sums)
    audit.knownProducts.formUnion(tally.products)
    audit.purchases += Int64(tally.purchases)
    audit.after = tally.last ?? audit.after
    if tally.isLast { try await conclude(&audit) }
    var write = LedgerWrite(date: now)
    write.documents = [audit.document(.mustHaveVersion(document.version))]
    guard try await !parts.commit(write).isRefused else { return false }
    if audit.state == .done {
      parts.world.log(
        ServerEvent(
          audit.differenceCount == 0 ? .info : .notice,
          "audit",
          [
            .init("id", audit.id), .init("app", audit.scope.app.rawValue),
            .init("differences", "\(audit.differenceCount)"),
          ]
        )
      )
    }
    return true
  }

  private func conclude(_ audit: inout MoneyAudit) async throws(ServerError) {
    let app = parts.configuration.app(audit.scope.app)
    let scope = audit.scope
    let catalog = try await parts.read { [catalogs = parts.catalogs] reader throws(StorageError) in
      try catalogs.products(scope.app, reader)
    }
    audit.conclude(appAppleID: app?.appAppleID, catalog: catalog)
  }

  /// What a page of the ledger comes to.
  private struct Tally: Sendable {
    var sums = MoneySums()
    var products: Set<String> = []
    var purchases = 0
    var last: OriginalTransactionID?
    var isLast = false
  }

  private func tally(_ audit: MoneyAudit) async throws(ServerError) -> Tally {
    let spans = SpanIndex(audit.spans)
    let (scope, after) = (audit.scope, audit.after)
    return try await parts.read { reader throws(StorageError) in
      var tally = Tally()
      let subjects = try reader.subjects(in: scope, after: after, limit: Self.pageSize)
      for subject in subjects {
        let rows = try reader.transactions(of: subject)
        tally.products.formUnion(rows.map(\.productID.rawValue))
        // Most purchases are of other days: their facts need not be read.
        var dates = rows.flatMap { [$0.purchaseDate, $0.revocationDate].compactMap(\.self) }
        dates += try reader.entries(of: subject).map(\.entry.date)
        guard dates.contains(where: { spans.contains($0) }) else { continue }
        let history = StoreHistory(
          try reader.facts(of: subject),
          environment: .only(scope.environment)
        )
        tally.sums.add(LedgerMoney(history).sums(in: spans))
      }
      tally.purchases = subjects.count
      tally.last = subjects.last?.original
      tally.isLast = subjects.count < Self.pageSize
      return tally
    }
  }
}

/// The spans of days of an audit, found by day.
struct SpanIndex: Sendable {
  private let daily: [ReportDay: [ReportSpan]]
  private let longer: [ReportSpan]

  init(_ spans: [ReportSpan]) {
    daily = Dictionary(grouping: spans.filter { $0.start == $0.end }, by: \.start)
    longer = spans.filter { $0.start != $0.end }
  }

  func spans(_ day: ReportDay) -> [ReportSpan] {
    (daily[day] ?? []) + longer.filter { $0.contains(day) }
  }

  /// Whether an instant is in one of the spans.
  func contains(_ date: Date) -> Bool { !spans(ReportDay(of: date)).isEmpty }
}

/// The money of one purchase or subscription.
///
/// - **Source:** decision 0340.
struct LedgerMoney {
  private let history: StoreHistory

  init(_ history: StoreHistory) { self.history = history }

  /// What belongs to the spans.
  func sums(in spans: SpanIndex) -> MoneySums {
    var result = MoneySums()
    for unit in history.units { add(unit, to: &result, spans) }
    // What is known from an old receipt only may have no type, and so no unit.
    for state in history.transactions where state.unit == nil {
      let sale = sale(state.payload, Int64(state.payload.quantity ?? 1))
      add(sale, state.payload, on: state.payload.purchaseDate, to: &result, spans)
    }
    return result
  }

  private func add(_ unit: UnitState, to result: inout MoneySums, _ spans: SpanIndex) {
    guard let payload = face(unit) else { return }
    let units = Int64(unit.quantity)
    for entry in unit.entries {
      var sum = MoneySum()
      switch entry.kind {
      case .grant: sum = sale(payload, units)
      case .regrant:
        sum = sale(payload, units)
        sum.reversed = units
      case .clawback:
        guard payload.ownershipType != .familyShared else { continue }
        sum = refund(payload, units)
      }
      add(sum, payload, on: entry.date, to: &result, spans)
    }
  }

  /// Of a purchase and its restored copies, the purchase: it was paid for.
  func face(_ unit: UnitState) -> TransactionPayload? {
    let members = history.transactions.filter { unit.transactionIDs.contains($0.id) }
    let face =
      members.first { $0.payload.price != nil && $0.payload.ownershipType != .familyShared }
      ?? members.first { $0.id.rawValue == $0.payload.originalTransactionID.rawValue }
      ?? members.first
    return face?.payload
  }

  private func add(
    _ sum: MoneySum,
    _ payload: TransactionPayload,
    on date: Date,
    to result: inout MoneySums,
    _ spans: SpanIndex
  ) {
    var sum = sum
    sum.examples = [payload.transactionID.rawValue]
    for span in spans.spans(ReportDay(of: date)) {
      // Only subscriptions have subscribers.
      if span.kind == .subscriber, payload.type != .autoRenewable { continue }
      let key = MoneyKey(
        span: span,
        product: payload.productID.rawValue,
        currency: payload.price?.currency ?? "",
        parent: ""
      )
      result.add(sum, under: key)
    }
  }

  func sale(_ payload: TransactionPayload, _ units: Int64) -> MoneySum {
    var sum = MoneySum()
    guard payload.ownershipType != .familyShared else {
      sum.familyShared = units
      return sum
    }
    sum.sold = units
    if let price = payload.price {
      sum.soldAmount = price.milliunits
      sum.free = price.milliunits == 0 ? units : 0
    } else {
      sum.soldUnpriced = units
    }
    sum.offerCode = payload.offerType == .code ? units : 0
    sum.upgraded = payload.isUpgraded ? units : 0
    return sum
  }

  func refund(_ payload: TransactionPayload, _ units: Int64) -> MoneySum {
    var sum = MoneySum()
    sum.refunded = units
    guard let price = payload.price else {
      sum.refundedUnpriced = units
      return sum
    }
    let share = payload.revocationType == .refundProrated ? payload.revocationPercentage : nil
    sum.prorated = share == nil ? 0 : 1
    sum.refundedAmount = share.map { Self.part(price.milliunits, $0) } ?? price.milliunits
    return sum
  }

  /// A share in thousandths of a percent, without leaving the range of whole numbers.
  private static func part(_ amount: Int64, _ share: Int) -> Int64 {
    let whole = Int64(100_000)
    let share = Int64(min(max(share, 0), 100_000))
    return amount / whole * share + amount % whole * share / whole
  }
}

extension CatalogShelf {
  /// The products that the catalog or the configuration of an app names.
  func products(_ app: BundleID, _ reader: any LedgerReading) throws(StorageError) -> Set<String> {
    Set(try rules(app, reader).rules.keys.map(\.rawValue))
  }
}
