public import Foundation
import IAPEntitlements
import IAPModel

/// The state of a ledger as lines of text, the same for the same state whatever way it came about.
///
/// It holds what facts say, what follows from them, and who owns what. When something came, and in
/// which order, is left out, and so are date and product of recorded entries: an entry is recorded
/// once for ever, by what was known then. Two ledgers that heard the same have equal dumps,
/// whichever backend they are on.
public struct LedgerDump: Hashable, Sendable {
  /// The lines, each a JSON object, in the order of scopes and original identifiers.
  public let lines: [String]

  /// How many purchases are read at a time.
  private static let pageCount = 500

  /// Dumps a ledger.
  ///
  /// - Parameters:
  ///   - reader: The ledger at one instant.
  ///   - scopes: The apps and environments, in the order in which they are to stand.
  ///   - instant: At which instant to say who has access; nil leaves that out.
  /// - Throws: ``StorageError``.
  public init(
    _ reader: any LedgerReading,
    scopes: [LedgerScope],
    at instant: Date? = nil
  ) throws(StorageError) {
    var lines: [String] = []
    try Self.visit(reader, scopes: scopes, at: instant) { lines.append($0) }
    self.lines = lines
  }

  /// Visits the lines of a dump one by one: for ledgers that are larger than memory.
  ///
  /// - Parameters:
  ///   - reader: The ledger at one instant.
  ///   - scopes: The apps and environments, in the order in which they are to stand.
  ///   - instant: At which instant to say who has access; nil leaves that out.
  ///   - visit: Takes a line.
  /// - Throws: ``StorageError``.
  public static func visit(
    _ reader: any LedgerReading,
    scopes: [LedgerScope],
    at instant: Date? = nil,
    _ visit: (String) -> Void
  ) throws(StorageError) {
    for scope in scopes {
      var last: OriginalTransactionID?
      var isMore = true
      while isMore {
        let page = try reader.subjects(in: scope, after: last, limit: pageCount)
        try self.visit(reader, page, at: instant, visit)
        last = page.last?.original
        isMore = page.count == pageCount
      }
    }
  }

  /// Visits the lines of some purchases, see ``visit(_:scopes:at:_:)``.
  package static func visit(
    _ reader: any LedgerReading,
    _ subjects: [LedgerSubject],
    at instant: Date? = nil,
    _ visit: (String) -> Void
  ) throws(StorageError) {
    for subject in subjects {
      for line in try lines(of: subject, reader, instant) { visit(line) }
    }
  }

  /// The lines that only one of two dumps has, with a sign for which: for messages of tests.
  ///
  /// - Parameter other: The other dump.
  /// - Returns: Lines of this one behind a minus, of the other behind a plus; empty when both have
  ///   the same lines.
  public func differences(from other: LedgerDump) -> [String] {
    let own = Set(lines)
    let others = Set(other.lines)
    return lines.filter { !others.contains($0) }.map { "- " + $0 }
      + other.lines.filter { !own.contains($0) }.map { "+ " + $0 }
  }

  private static func lines(
    of subject: LedgerSubject,
    _ reader: any LedgerReading,
    _ instant: Date?
  ) throws(StorageError) -> [String] {
    var lines: [String] = []
    func add(_ what: String, _ members: JSONObject) {
      var object: JSONObject = [
        "app": .string(subject.scope.app.rawValue),
        "environment": .string(subject.scope.environment.rawValue),
        "original": .string(subject.original.rawValue), "what": .string(what),
      ]
      for member in members.members { object[member.name] = member.value }
      lines.append(JSONValue.object(object).serializedText)
    }
    let items = try reader.items(of: subject)
    let texts = items.map { (Int64($0.kind.rawValue), String(decoding: $0.body, as: UTF8.self)) }
    for (kind, body) in texts.sorted(by: { $0 < $1 }) {
      add("fact", ["kind": .integer(kind), "body": .string(body)])
    }
    for row in try reader.transactions(of: subject) { add("transaction", row.dump) }
    for record in try reader.entries(of: subject) { add("entry", record.dump) }
    if let owner = try reader.owner(of: subject) {
      add(
        "owner",
        ["customer": .string(owner.customer.rawValue), "ground": .string("\(owner.ground)")]
      )
    }
    for conflict in try reader.conflicts(of: subject) {
      add("conflict", ["customer": .string(conflict.customer.rawValue)])
    }
    if try reader.isErased(subject) { add("erased", [:]) }
    var facts: [StoreFact] = []
    for item in items { facts.append(try item.fact()) }
    let history = StoreHistory(facts, environment: .only(subject.scope.environment))
    for unit in history.units { add("unit", unit.dump) }
    if let instant {
      for state in history.subscriptions(at: instant) { add("subscription", state.dump) }
    }
    return lines
  }
}

extension Ledger {
  /// Dumps the ledger as it is at one instant.
  ///
  /// - Parameters:
  ///   - scopes: The apps and environments, in the order in which they are to stand.
  ///   - instant: At which instant to say who has access; nil leaves that out.
  /// - Returns: The dump.
  /// - Throws: ``StorageError``.
  public func dump(
    of scopes: [LedgerScope],
    at instant: Date? = nil
  ) async throws(StorageError) -> LedgerDump {
    try await read { reader throws(StorageError) in
      try LedgerDump(reader, scopes: scopes, at: instant)
    }
  }
}

extension TransactionRow {
  fileprivate var dump: JSONObject {
    var object: JSONObject = [
      "transaction": .string(transactionID.rawValue), "product": .string(productID.rawValue),
      "purchased": .integer(purchaseDate.milliseconds), "isRevoked": .bool(isRevoked),
    ]
    object["type"] = type.map { .string($0.rawValue) }
    object["expires"] = expiresDate.map { .integer($0.milliseconds) }
    object["revoked"] = revocationDate.map { .integer($0.milliseconds) }
    object["unit"] = unit.map { .string($0.rawValue) }
    return object
  }
}

extension GrantRecord {
  fileprivate var dump: JSONObject {
    [
      "key": .string(entry.key), "quantity": .integer(Int64(quantity)), "credit": .object(credit),
    ]
  }
}

extension UnitState {
  fileprivate var dump: JSONObject {
    let entries = entries.map { entry -> JSONValue in
      ["key": .string(entry.key), "date": .integer(entry.date.milliseconds)]
    }
    var object: JSONObject = [
      "unit": .string(unit.rawValue), "names": .array(names.map { .string($0.rawValue) }),
      "product": .string(productID.rawValue), "type": .string(type.rawValue),
      "transactions": .array(transactionIDs.map { .string($0.rawValue) }),
      "purchased": .integer(purchaseDate.milliseconds), "quantity": .integer(Int64(quantity)),
      "isActive": .bool(isActive), "entries": .array(entries),
    ]
    object["revoked"] = revocationDate.map { .integer($0.milliseconds) }
    return object
  }
}

extension SubscriptionState {
  fileprivate var dump: JSONObject {
    var object: JSONObject = [
      "transaction": .string(transaction.transactionID.rawValue),
      "product": .string(productID.rawValue), "phase": .string(phase.rawValue),
      "reason": .string(reason.rawValue), "since": .integer(since.milliseconds),
    ]
    object["accessUntil"] = accessUntil.map { .integer($0.milliseconds) }
    object["renewal"] = renewal.map { .object($0.object) }
    object["lastNotification"] = lastNotification.map { .string($0.uuid.rawValue) }
    return object
  }
}
