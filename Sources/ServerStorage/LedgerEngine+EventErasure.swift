import Foundation
public import IAPModel

// What of the events names a person, and what becomes of it.
extension LedgerEngine {
  private static let eventPageMax = 500

  /// Takes a customer out of the events that were filed, and out of what is kept beside them.
  ///
  /// The events stay in the feed, in their order, and name nobody; those that endpoints still wait
  /// for are sent like that.
  func forgetEvents(
    of names: [CustomerID],
    app: BundleID,
    in tables: inout some LedgerTables
  ) throws(StorageError) {
    for name in names {
      let lane = EventLane.customer(name)
      try conceal(lane, app, in: &tables)
      try tables.removeDocument(EventCounter.key(app, lane))
      for environment in StoreEnvironment.sold {
        let holder = PendingEvents.Holder(
          customer: name,
          scope: LedgerScope(app: app, environment: environment)
        )
        try tables.removeDocument(Self.accessKey(holder))
      }
    }
  }

  private func conceal(
    _ lane: EventLane,
    _ app: BundleID,
    in tables: inout some LedgerTables
  ) throws(StorageError) {
    var nobodys: EventLane?
    var page: [LedgerDocument]
    var after: Int64 = 0
    repeat {
      page = try tables.documents(
        .event,
        app: app,
        shelf: lane.rawValue,
        after: after,
        limit: Self.eventPageMax
      )
      for document in page {
        after = document.sequence
        let shelf = nobodys ?? .erased(document.sequence)
        nobodys = shelf
        var body = document.body
        body["customer"] = nil
        body["erased"] = true
        var data = body["data"]?.objectValue ?? [:]
        for member in EventData.personalMembers { data[member] = nil }
        body["data"] = .object(data)
        _ = try tables.setDocument(
          DocumentWrite(document.key, shelf: shelf.rawValue, body: body, condition: .always),
          date: write.date
        )
      }
    } while page.count == Self.eventPageMax
    try moveHeldLanes(lane, to: nobodys, app, in: &tables)
  }

  /// Endpoints that hold the lane's events back hold them back under the lane's new name.
  private func moveHeldLanes(
    _ lane: EventLane,
    to nobodys: EventLane?,
    _ app: BundleID,
    in tables: inout some LedgerTables
  ) throws(StorageError) {
    for endpoint in try tables.documents(
      .webhook,
      app: app,
      shelf: nil,
      after: 0,
      limit: Self.eventPageMax
    ) {
      let key = DocumentKey.heldLane(lane, of: endpoint.key.name, app)
      guard let held = try tables.document(key) else { continue }
      try tables.removeDocument(key)
      guard let nobodys else { continue }
      var body = held.body
      body["lane"] = .string(nobodys.rawValue)
      _ = try tables.setDocument(
        DocumentWrite(
          .heldLane(nobodys, of: endpoint.key.name, app),
          shelf: held.shelf,
          body: body,
          condition: .always
        ),
        date: write.date
      )
    }
  }

  /// Takes a customer off a purchase that was shared.
  func forgetShare(
    _ document: LedgerDocument,
    in tables: inout some LedgerTables
  )
    throws(StorageError)
  {
    guard let app = document.key.app, let customer = document.shelf,
      let environment = document.body["environment"]?.stringValue,
      let original = document.body["original"]?.stringValue
    else { return }
    let subject = LedgerSubject(
      scope: LedgerScope(app: app, environment: StoreEnvironment(rawValue: environment)),
      original: OriginalTransactionID(original)
    )
    guard let known = try tables.document(EventWatch.key(subject)) else { return }
    var watch = try EventWatch(known)
    watch.sharers.removeAll { $0 == customer }
    _ = try tables.setDocument(watch.document, date: write.date)
  }

  /// What was told about the first name counts for nobody, and the second is looked at anew.
  mutating func mergeEvents(
    _ merge: CustomerMerge,
    in tables: inout some LedgerTables
  ) throws(StorageError) {
    for environment in StoreEnvironment.sold {
      let scope = LedgerScope(app: merge.app, environment: environment)
      let old = PendingEvents.Holder(customer: merge.from, scope: scope)
      try tables.removeDocument(Self.accessKey(old))
      events.note(merge.into, scope)
    }
  }
}

extension StoreEnvironment {
  /// The environments whose purchases customers have.
  fileprivate static let sold: [StoreEnvironment] = [
    .production, .sandbox, .xcode, .localTesting,
  ]
}

extension DocumentKind {
  /// An address that events are sent to.
  public static let webhook = Self(rawValue: "webhook")
  /// How far an endpoint has been told.
  public static let webhookProgress = Self(rawValue: "webhookProgress")
  /// A lane whose events an endpoint holds back, because one of them did not arrive.
  public static let webhookLane = Self(rawValue: "webhookLane")
  /// What became of one event at one endpoint.
  public static let webhookDelivery = Self(rawValue: "webhookDelivery")
}

extension DocumentKey {
  /// Where it is kept that an endpoint holds a lane back.
  ///
  /// - Parameters:
  ///   - lane: The lane.
  ///   - endpoint: The endpoint's name.
  ///   - app: The app.
  /// - Returns: The key.
  public static func heldLane(
    _ lane: EventLane,
    of endpoint: String,
    _ app: BundleID
  ) -> DocumentKey {
    DocumentKey(.webhookLane, app: app, name: "\(endpoint):\(lane.rawValue)")
  }
}
