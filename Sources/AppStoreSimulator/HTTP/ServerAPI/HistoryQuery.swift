import Foundation
import HTTPValues
import IAPModel

/// The questions that a transaction history answers, and its pages.
///
/// - **Source:** the server-interface facts, section 5.2.
struct HistoryQuery: Hashable, Sendable {
  /// The most transactions on a page.
  static let pageCountMax = 20

  var startDate: Date?
  var endDate: Date?
  var productIDs: [ProductID] = []
  var types: [ProductType] = []
  var groups: [SubscriptionGroupID] = []
  var ownership: OwnershipType?
  var isRevoked: Bool?
  var isDescending = false
  var position: Position?

  /// Where a page ended: the last record's change, then its identifier.
  struct Position: Hashable, Comparable, Sendable {
    let modified: Int64
    let id: TransactionID

    init(_ record: StoreTransactionRecord) {
      modified = record.modifiedDate.milliseconds
      id = record.transactionID
    }

    init?(revision: String) {
      guard let (modified, id) = PageToken.read(revision, kind: "history") else { return nil }
      self.modified = modified
      self.id = TransactionID(id)
    }

    var revision: String { PageToken.write(modified, id.rawValue, kind: "history") }

    static func < (left: Self, right: Self) -> Bool {
      (left.modified, left.id) < (right.modified, right.id)
    }
  }

  struct Page: Hashable, Sendable {
    let records: [StoreTransactionRecord]
    let revision: String
    let hasMore: Bool
  }

  init() {}

  init(_ request: HTTPRequest) throws(SimulatorError) {
    self.init()
    for item in request.queryItems {
      let value = item.value ?? ""
      switch item.name {
      case "startDate": startDate = try Self.date(value, else: .invalidStartDate)
      case "endDate": endDate = try Self.date(value, else: .invalidEndDate)
      case "productId":
        guard !value.isEmpty else { throw .refusal(.invalidProductID) }
        productIDs.append(ProductID(value))
      case "productType": types.append(try Self.type(value))
      case "subscriptionGroupIdentifier":
        guard !value.isEmpty else { throw .refusal(.invalidGroupID) }
        groups.append(SubscriptionGroupID(value))
      case "inAppOwnershipType":
        guard ["PURCHASED", "FAMILY_SHARED"].contains(value) else {
          throw .refusal(.invalidOwnershipType)
        }
        ownership = OwnershipType(rawValue: value)
      case "revoked":
        isRevoked = try Self.flag(value, else: .invalidRevoked)
      case "excludeRevoked":
        if try Self.flag(value, else: .invalidExcludeRevoked) { isRevoked = false }
      case "sort":
        guard ["ASCENDING", "DESCENDING"].contains(value) else { throw .refusal(.invalidSort) }
        isDescending = value == "DESCENDING"
      case "revision":
        guard let found = Position(revision: value) else { throw .refusal(.invalidRevision) }
        position = found
      default: break
      }
    }
    // What Apple answers to a range that holds nothing is not known.
    if let startDate, let endDate, startDate >= endDate { throw .refusal(.invalidEndDate) }
  }

  /// Apple's library for Python writes `True`.
  private static func flag(
    _ text: String,
    else refusal: ServerAPIAnswer
  ) throws(SimulatorError) -> Bool {
    switch text.lowercased() {
    case "true": return true
    case "false": return false
    default: throw .refusal(refusal)
    }
  }

  /// The latest instant that a question may name: the end of the year 9999.
  static let millisecondsMax: Int64 = 253_402_300_799_999

  /// The next page of a customer's transactions.
  func page(of records: [StoreTransactionRecord]) -> Page {
    let sorted = records.filter(matches).sorted { left, right in
      isDescending ? Position(left) > Position(right) : Position(left) < Position(right)
    }
    let rest = sorted.filter { record in
      guard let position else { return true }
      return isDescending ? Position(record) < position : Position(record) > position
    }
    let page = Array(rest.prefix(Self.pageCountMax))
    let last = page.last.map { Position($0) } ?? position
    return Page(
      records: page,
      revision: last?.revision ?? PageToken.write(0, "0", kind: "history"),
      hasMore: rest.count > page.count
    )
  }

  private func matches(_ record: StoreTransactionRecord) -> Bool {
    if let startDate, record.purchaseDate < startDate { return false }
    if let endDate, record.purchaseDate >= endDate { return false }
    if !productIDs.isEmpty, !productIDs.contains(record.productID) { return false }
    if !types.isEmpty, !types.contains(record.type) { return false }
    if !groups.isEmpty, !groups.contains(where: { $0 == record.groupID }) { return false }
    if let ownership, record.ownership != ownership { return false }
    if let isRevoked, (record.revocationDate != nil) != isRevoked { return false }
    return true
  }

  private static func date(
    _ text: String,
    else refusal: ServerAPIAnswer
  ) throws(SimulatorError) -> Date {
    guard let milliseconds = Int64(text), (0...millisecondsMax).contains(milliseconds) else {
      throw .refusal(refusal)
    }
    return Date(milliseconds: milliseconds)
  }

  private static func type(_ text: String) throws(SimulatorError) -> ProductType {
    switch text {
    case "AUTO_RENEWABLE": .autoRenewable
    case "NON_RENEWABLE": .nonRenewable
    case "CONSUMABLE": .consumable
    case "NON_CONSUMABLE": .nonConsumable
    default: throw .refusal(.invalidProductType)
    }
  }
}
