public import Foundation
public import IAPModel

/// Something that happened and that the app's own backend is told: filed in the same transaction as
/// the facts that it follows from, once for each thing that took effect.
///
/// Events are documents. Their place in the order in which documents were made is the cursor of the
/// event feed; the order within a lane is the order of its numbers.
public struct EventRecord: Hashable, Sendable {
  /// Its name, the same however often it is sent.
  public var id: EventID
  /// The app.
  public var app: BundleID
  /// The environment of the purchase; nil when it is about none.
  public var environment: StoreEnvironment?
  /// What it says.
  public var type: EventType
  /// The customer; nil when nobody owns the purchase, or after the customer was erased.
  public var customer: CustomerID?
  /// The lane.
  public var lane: EventLane
  /// Its number among the customer's events, from 1 without gaps; 0 where there is no customer.
  public var number: Int64
  /// Its number in the app, from 1 without gaps.
  public var ordinal: Int64
  /// When it was recorded.
  public var createdDate: Date
  /// What is told; no receipt and no signed text.
  public var data: JSONObject
  /// The chain of work that brought it about, 32 hexadecimal digits; nil when nobody named one.
  public var trace: String?
  /// Its place in the feed; 0 until it is filed.
  public var sequence: Int64 = 0

  /// Under what it is filed.
  public var key: DocumentKey { DocumentKey(.event, app: app, name: id.rawValue) }

  /// The wish to have it filed.
  var document: DocumentWrite {
    var body: JSONObject = [
      "type": .string(type.rawValue), "number": .integer(number), "ordinal": .integer(ordinal),
      "created": .integer(createdDate.milliseconds), "data": .object(data),
    ]
    body["customer"] = customer.map { .string($0.rawValue) }
    body["environment"] = environment.map { .string($0.rawValue) }
    body["trace"] = trace.map { .string($0) }
    // Its name is made from its number in the app, so there is none of that name.
    return DocumentWrite(key, shelf: lane.rawValue, body: body, condition: .mustBeAbsent)
  }

  /// Reads a document.
  ///
  /// - Parameter document: The document.
  /// - Throws: ``StorageError`` with `corrupt` when it is none of an event.
  public init(_ document: LedgerDocument) throws(StorageError) {
    let body = document.body
    guard let app = document.key.app, let lane = document.shelf,
      let type = body["type"]?.stringValue, let number = body["number"]?.integerValue,
      let ordinal = body["ordinal"]?.integerValue, let created = body["created"]?.integerValue,
      let data = body["data"]?.objectValue
    else { throw StorageError(.corrupt, "an event cannot be read") }
    id = EventID(document.key.name)
    self.app = app
    environment = body["environment"]?.stringValue.map { StoreEnvironment(rawValue: $0) }
    self.type = EventType(rawValue: type)
    customer = body["customer"]?.stringValue.map { CustomerID($0) }
    self.lane = EventLane(stored: lane)
    self.number = number
    self.ordinal = ordinal
    createdDate = Date(milliseconds: created)
    self.data = data
    trace = body["trace"]?.stringValue
    sequence = document.sequence
  }

  /// The event of a draft that got its numbers.
  init(
    _ draft: EventDraft,
    _ place: EventPlace,
    app: BundleID,
    id: EventID,
    at date: Date,
    trace: String?
  ) {
    self.trace = trace
    self.id = id
    self.app = app
    environment = draft.environment
    type = draft.type
    customer = place.customer
    lane = place.lane
    number = place.number
    ordinal = place.ordinal
    createdDate = date
    data = draft.data
  }
}

/// The name of an event: `evt_` and hexadecimal digits.
public struct EventID: Identifier {
  /// The spelling.
  public let rawValue: String
  /// Makes the identifier from its spelling.
  public init(_ rawValue: String) { self.rawValue = rawValue }

  /// How many bytes its digits stand for.
  static let byteCount = 16
  /// How many of them are the milliseconds since 1970: enough for some thousand years.
  static let instantByteCount = 6
}

extension DocumentKind {
  /// Something that happened, for the app's own backend.
  public static let event = Self(rawValue: "event")
  /// How many events there were, in an app and in a lane.
  public static let eventCounter = Self(rawValue: "eventCounter")
  /// What was told last about a purchase, and when the clock changes it.
  public static let eventWatch = Self(rawValue: "eventWatch")
  /// What was told last about what a customer may use.
  public static let eventAccess = Self(rawValue: "eventAccess")
}

extension LedgerReading {
  /// Events behind a place, in the order of the feed.
  ///
  /// - Parameters:
  ///   - app: The app.
  ///   - lane: Only events of this lane; nil for all.
  ///   - sequence: The place.
  ///   - limit: How many at most.
  /// - Returns: The events.
  /// - Throws: ``StorageError``.
  public func events(
    of app: BundleID,
    in lane: EventLane? = nil,
    after sequence: Int64,
    limit: Int
  ) throws(StorageError) -> [EventRecord] {
    var events: [EventRecord] = []
    for document in try documents(
      .event,
      app: app,
      shelf: lane?.rawValue,
      after: sequence,
      limit: limit
    ) {
      events.append(try EventRecord(document))
    }
    return events
  }

  /// How many events there were in an app.
  ///
  /// - Parameter app: The app.
  /// - Returns: The number of the newest one; 0 before the first.
  /// - Throws: ``StorageError``.
  public func eventCount(of app: BundleID) throws(StorageError) -> Int64 {
    try document(EventCounter.key(app))?.body["count"]?.integerValue ?? 0
  }
}

/// The counters that events get their numbers from.
enum EventCounter {
  /// The counter of an app.
  ///
  /// It is written before any event of the same write is filed, so that two writers on one database
  /// file their events one after the other, in the order of the feed.
  static func key(_ app: BundleID) -> DocumentKey { DocumentKey(.eventCounter, app: app, name: "") }

  /// The counter of a lane.
  static func key(_ app: BundleID, _ lane: EventLane) -> DocumentKey {
    DocumentKey(.eventCounter, app: app, name: lane.rawValue)
  }
}
