public import Foundation
package import IAPModel

/// What a user can send to support: what happened and where it stands, without anything that opens
/// or names something.
///
/// - **Shape:** one JSON object; transactions, orders and installations have made-up names that end
///   with the last four characters of the real ones.
/// - **Units:** dates are UNIX milliseconds.
package struct SupportBundle: Hashable, Sendable, Codable {
  package static let format = "iapkit-support"
  package static let version = 1
  /// The longest text in a bundle, in characters; whatever is longer is left out.
  package static let textMax = 120

  package var format = SupportBundle.format
  package var version = SupportBundle.version
  package var createdAt: Date
  package var launch: Int
  package var generation: StoreGeneration
  package var policies: TracedPolicies
  package var events: [DiagnosticEvent]
  package var records: [TransactionRecord]
  package var orders: [TracedOrder]
}

/// An order without account, token, own number and context.
package struct TracedOrder: Hashable, Sendable, Codable {
  package var number: OrderNumber
  package var productID: ProductID
  package var quantity: Int
  package var createdAt: Date
  package var updatedAt: Date
  package var state: Order.State
  package var transactionID: TransactionID?
  package var failure: String?

  init(_ order: Order) {
    number = order.number
    productID = order.productId
    quantity = order.quantity
    createdAt = order.createdAt
    updatedAt = order.updatedAt
    state = order.state
    transactionID = order.transactionId
    failure = order.failure
  }
}

extension SupportBundle {
  /// The bundle as it may leave the device.
  func redacted() throws(IAPError) -> [UInt8] {
    let bytes = try RecordCoding.encode(self)
    guard let object = try? JSONParser.parseObject(bytes, limits: .document) else {
      throw .storage(.unencodable)
    }
    return Pseudonyms(self).replaced(.object(object)).serialized
  }
}

/// Made-up names for what could be looked up.
private struct Pseudonyms {
  private var names: [String: String] = [:]
  private var orderCount = 0

  init(_ bundle: SupportBundle) {
    for order in bundle.orders { add(order.number) }
    for event in bundle.events {
      if let number = event.order { add(number) }
      if let id = event.transaction { add(id.rawValue, "tx") }
      if let installation = event.step?.installation { add(installation.rawValue, "device") }
      if case .arrived(let transaction, _) = event.step?.event { add(transaction) }
      if case .accepted(let verdict?) = event.step?.event, let claimer = verdict.claimedBy {
        add(claimer.rawValue, "device")
      }
      if let record = event.step?.before { add(record) }
    }
    for record in bundle.records { add(record) }
  }

  private mutating func add(_ record: TransactionRecord) {
    add(record.transaction)
    if let order = record.order { add(order) }
    if let claimer = record.claimedBy { add(claimer.rawValue, "device") }
  }

  private mutating func add(_ transaction: StoreTransaction) {
    add(transaction.transactionID.rawValue, "tx")
    add(transaction.originalTransactionID.rawValue, "tx")
    if let line = transaction.webOrderLineItemID { add(line.rawValue, "line") }
  }

  private mutating func add(_ id: String, _ kind: String) {
    guard names[id] == nil else { return }
    names[id] = "\(kind)\(names.count + 1)…\(id.suffix(4))"
  }

  /// An order's number stays a UUID, made up but for its end.
  private mutating func add(_ number: OrderNumber) {
    guard names[number.description] == nil else { return }
    orderCount += 1
    let count = String(orderCount, radix: 16)
    let part = String(repeating: "0", count: max(0, 4 - count.count)) + count
    let name = "00000000-0000-0000-\(part)-00000000\(number.description.suffix(4))"
    names[number.description] = name
    names[number.rawValue.uuidString] = name
  }

  func replaced(_ value: JSONValue) -> JSONValue {
    switch value {
    case .string(let text): .string(replaced(text))
    case .array(let values): .array(values.map { replaced($0) })
    case .object(let object): .object(replaced(object))
    case .null, .bool, .number: value
    }
  }

  private func replaced(_ object: JSONObject) -> JSONObject {
    var result = JSONObject()
    for member in object.members { result[member.name] = replaced(member.value) }
    return result
  }

  /// Names of units and effects hold identifiers between colons.
  private func replaced(_ text: String) -> String {
    guard text.count <= SupportBundle.textMax else { return "(left out)" }
    return text.split(separator: ":", omittingEmptySubsequences: false)
      .map { names[String($0)] ?? String($0) }
      .joined(separator: ":")
  }
}

extension IAPManager {
  /// What happened to the app's purchases, oldest first: this launch and earlier ones, at most the
  /// newest 2,000 events.
  public var diagnosticEvents: [DiagnosticEvent] { journal.events() }

  /// What happens to the app's purchases, also what brings no transaction: a restore that ended, an
  /// order that waits or was set aside, a purchase that failed.
  ///
  /// - Parameter replayingMissed: Whether the stream begins with what happened since the manager
  ///   was made, as far as it is kept.
  /// - Returns: A stream of its own.
  public func diagnosticEventStream(
    replayingMissed: Bool = false
  ) -> AsyncStream<DiagnosticEvent> {
    journal.stream(replaying: replayingMissed)
  }

  /// What happened to one order, oldest first.
  ///
  /// - Parameter number: The order's number, or the app's own.
  /// - Returns: The events; empty when there is no such order.
  public func timeline(ofOrder number: String) -> [DiagnosticEvent] {
    guard let order = store.order(number) else { return [] }
    let all = journal.events()
    let named = Set(all.filter { $0.order == order.number }.compactMap(\.transaction))
      .union(order.transactionId.map { [$0] } ?? [])
    let found = all.filter { event in
      event.order == order.number || event.transaction.map { named.contains($0) } ?? false
    }
    guard found.first?.name.rawValue != "order.opened" else { return found }
    // The beginning was let go: the journal of orders still knows it.
    var opened = DiagnosticEvent(
      date: order.createdAt,
      launch: found.first?.launch ?? store.launch,
      name: DiagnosticEvent.Name(rawValue: "order.opened")
    )
    opened.product = order.productId
    opened.order = order.number
    var present = DiagnosticEvent(order, at: order.updatedAt, launch: store.launch)
    present.details["source"] = "journal"
    return [opened] + (found.isEmpty ? [present] : found)
  }

  /// What a user can send to support: what happened and where it stands.
  ///
  /// It holds no receipts, signed texts, tokens, accounts or contexts of orders, and no names by
  /// which anything could be looked up; but the traces of calls, which are in the log of the app's
  /// own server and nowhere else. `iap replay` shows it.
  ///
  /// - Returns: JSON.
  /// - Throws: ``IAPError/storage(_:)``.
  public func supportBundle() throws(IAPError) -> Data {
    let events = journal.events()
    let involved = Set(events.compactMap(\.transaction))
    let named = Set(events.compactMap(\.order))
    let bundle = SupportBundle(
      createdAt: world.now(),
      launch: store.launch,
      generation: generation,
      policies: TracedPolicies(configuration),
      events: events,
      records: involved.sorted().compactMap { store.record($0)?.outlined },
      orders: named.sorted().compactMap { store.order($0).map { TracedOrder($0) } }
    )
    return Data(try bundle.redacted())
  }
}
