public import Foundation
import IAPEntitlements
public import IAPModel

/// What backends were told last about a purchase, and when the clock makes it untrue.
///
/// Access ends by the clock, without any fact. So the instant of the next change is kept with each
/// purchase, on a shelf for its hour, and whoever looks after the ledger has those looked at again
/// whose instant has come.
public struct EventWatch: Hashable, Sendable {
  /// The purchase or subscription.
  public let subject: LedgerSubject
  /// When it has to be looked at again; nil when the clock changes nothing.
  public let due: Date?
  let state: JSONObject
  let gives: [String]
  /// Customers who share it, beside its owner.
  var sharers: [String]

  /// How many customers beside the owner hear of changes of a shared purchase.
  static let sharersMax = 100
  /// How long the instants of one shelf lie apart, in seconds.
  public static let shelfSeconds: TimeInterval = 3600

  /// The members of a subscription's state whose change is worth an event.
  private static let telling = [
    "state", "reason", "productId", "willAutoRenew", "pendingProductId",
  ]

  /// Looks at a purchase.
  init(
    _ subject: LedgerSubject,
    _ history: StoreHistory,
    at now: Date,
    catalog: EntitlementCatalog,
    sharers: [String]
  ) {
    self.subject = subject
    self.sharers = sharers
    let subscriptions = history.subscriptions(at: now)
    let report = history.access(at: now, catalog: catalog, subscriptions: subscriptions)
    gives = Set(report.entitlements.map(\.id.rawValue)).sorted()
    let own = subscriptions.first { $0.originalTransactionID == subject.original }
    state = own.map { EventData.subscription($0) } ?? [:]
    due = StoreHistory.nextChange(
      after: now,
      subscriptions: CollectionOfOne(own).compactMap { $0 },
      report: report
    )
  }

  /// Reads a document.
  ///
  /// - Parameter document: The document.
  /// - Throws: ``StorageError`` with `corrupt` when it is none of a watched purchase.
  public init(_ document: LedgerDocument) throws(StorageError) {
    let body = document.body
    let words = document.key.name.split(separator: ":", maxSplits: 1)
    guard let app = document.key.app, words.count == 2, let state = body["state"]?.objectValue,
      let gives = body["gives"]?.arrayValue
    else { throw StorageError(.corrupt, "a watched purchase cannot be read") }
    subject = LedgerSubject(
      scope: LedgerScope(app: app, environment: StoreEnvironment(rawValue: String(words[0]))),
      original: OriginalTransactionID(String(words[1]))
    )
    self.state = state
    self.gives = gives.compactMap(\.stringValue)
    due = body["due"]?.integerValue.map { Date(milliseconds: $0) }
    sharers = (body["sharers"]?.arrayValue ?? []).compactMap(\.stringValue)
  }

  static func key(_ subject: LedgerSubject) -> DocumentKey {
    DocumentKey(
      .eventWatch,
      app: subject.scope.app,
      name: "\(subject.scope.environment):\(subject.original)"
    )
  }

  /// The shelf of an hour.
  ///
  /// - Parameter hour: Hours since 1970.
  /// - Returns: The shelf's name.
  public static func shelf(hour: Int64) -> String { "due:\(hour)" }

  /// The hour that an instant lies in.
  ///
  /// - Parameter date: The instant.
  /// - Returns: Hours since 1970.
  public static func hour(of date: Date) -> Int64 {
    Int64((date.timeIntervalSince1970 / shelfSeconds).rounded(.down))
  }

  /// The wish to have it kept.
  var document: DocumentWrite { document(.always) }

  func document(_ condition: DocumentWrite.Condition) -> DocumentWrite {
    var body: JSONObject = ["state": .object(state), "gives": .array(gives.map { .string($0) })]
    body["due"] = due.map { .integer($0.milliseconds) }
    if !sharers.isEmpty { body["sharers"] = .array(sharers.map { .string($0) }) }
    return DocumentWrite(
      Self.key(subject),
      shelf: due.map { Self.shelf(hour: Self.hour(of: $0)) },
      body: body,
      condition: condition
    )
  }

  /// The event about a subscription that is not what it was; nil when it is.
  func change(since before: EventWatch?) -> EventDraft? {
    guard !state.isEmpty, Self.telling.contains(where: { state[$0] != before?.state[$0] })
    else { return nil }
    var data = state
    data["previousState"] = before?.state["state"]
    return EventDraft(.subscriptionChanged, subject, data: data)
  }
}

extension LedgerEngine {
  /// Looks at a purchase, and leaves drafts of what is not as it was told last.
  mutating func watch(
    _ subject: LedgerSubject,
    in tables: inout some LedgerTables
  ) throws(StorageError) {
    let history = try history(of: subject, in: tables)
    guard history.transactions.contains(where: { $0.payload.type != .consumable }) else { return }
    let before = try tables.document(EventWatch.key(subject)).map { document throws(StorageError) in
      try EventWatch(document)
    }
    let watch = EventWatch(
      subject,
      history,
      at: write.date,
      catalog: try catalog(of: subject.scope.app, in: tables),
      sharers: before?.sharers ?? []
    )
    if watch != before {
      if before == nil {
        try tables.addDocument(watch.document(.mustBeAbsent), date: write.date)
      } else {
        _ = try tables.setDocument(watch.document, date: write.date)
      }
    }
    if let change = watch.change(since: before) { events.add(change) }
    guard watch.gives != before?.gives ?? [] else { return }
    if let owner = try owner(of: subject, in: tables) { events.note(owner.customer, subject.scope) }
    for sharer in watch.sharers { events.note(CustomerID(sharer), subject.scope) }
  }

  /// Leaves a draft when a customer may use something else than it was told last.
  mutating func tellAccess(
    of holder: PendingEvents.Holder,
    in tables: inout some LedgerTables
  ) throws(StorageError) {
    var facts: [StoreFact] = []
    for subject in try tables.subjects(opening: holder.customer, in: holder.scope) {
      facts += try history(of: subject, in: tables).facts
    }
    let report = StoreHistory(facts, environment: .only(holder.scope.environment))
      .access(at: write.date, catalog: try catalog(of: holder.scope.app, in: tables))
    let key = Self.accessKey(holder)
    let now = Set(report.entitlements.map(\.id.rawValue))
    let told = try tables.document(key)?.body["has"]?.arrayValue?.compactMap(\.stringValue) ?? []
    guard now != Set(told) else { return }
    let has: JSONValue = .array(now.sorted().map { .string($0) })
    _ = try tables.setDocument(
      DocumentWrite(key, body: ["has": has], condition: .always),
      date: write.date
    )
    let gained = now.subtracting(told).sorted().map { JSONValue.string($0) }
    let lost = Set(told).subtracting(now).sorted().map { JSONValue.string($0) }
    let data: JSONObject = [
      "entitlements": .array(
        report.entitlements.prefix(Self.toldEntitlementsMax).map(EventData.entitlement)
      ),
      "gained": .array(gained), "lost": .array(lost),
    ]
    events.add(
      EventDraft(
        .entitlementsChanged,
        app: holder.scope.app,
        holder.scope.environment,
        .customer(holder.customer),
        data: data
      )
    )
  }

  /// How many entitlements one event lists; who has more is asked for.
  static let toldEntitlementsMax = 100

  static func accessKey(_ holder: PendingEvents.Holder) -> DocumentKey {
    DocumentKey(
      .eventAccess,
      app: holder.scope.app,
      name: "\(holder.scope.environment):\(holder.customer)"
    )
  }

  private func catalog(
    of app: BundleID,
    in tables: some LedgerTables
  ) throws(StorageError) -> EntitlementCatalog {
    guard let look = write.catalog else { return EntitlementCatalog() }
    return try look(app, tables)
  }

  /// Notes that a purchase is shared with a customer, who hears of its changes from now on.
  mutating func noteShare(
    _ subject: LedgerSubject,
    with customer: CustomerID,
    in tables: inout some LedgerTables
  ) throws(StorageError) {
    events.note(customer, subject.scope)
    try watch(subject, in: &tables)
    guard let document = try tables.document(EventWatch.key(subject)) else { return }
    var watch = try EventWatch(document)
    guard !watch.sharers.contains(customer.rawValue),
      watch.sharers.count < EventWatch.sharersMax
    else { return }
    watch.sharers.append(customer.rawValue)
    _ = try tables.setDocument(watch.document, date: write.date)
  }
}

extension LedgerReading {
  /// Watched purchases whose instant lies in an hour.
  ///
  /// - Parameters:
  ///   - app: The app.
  ///   - hour: Hours since 1970.
  ///   - sequence: The place behind which the list goes on.
  ///   - limit: How many at most.
  /// - Returns: The documents' places and the purchases.
  /// - Throws: ``StorageError``.
  public func watches(
    of app: BundleID,
    dueIn hour: Int64,
    after sequence: Int64,
    limit: Int
  ) throws(StorageError) -> [(sequence: Int64, watch: EventWatch)] {
    var result: [(sequence: Int64, watch: EventWatch)] = []
    for document in try documents(
      .eventWatch,
      app: app,
      shelf: EventWatch.shelf(hour: hour),
      after: sequence,
      limit: limit
    ) {
      result.append((document.sequence, try EventWatch(document)))
    }
    return result
  }
}
