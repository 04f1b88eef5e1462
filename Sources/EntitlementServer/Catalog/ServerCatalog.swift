import Foundation
import IAPEntitlements
import IAPModel
import ServerStorage
import Synchronization

/// What an app sells, as its developer gave it: checked, in the order in which it is shown.
struct ServerCatalog: Hashable, Sendable {
  /// The most products of an app.
  static let productsMax = 1000
  /// The most entitlements that one product opens.
  static let entitlementsMax = 50
  /// The most languages of a name, and the most balances that a product fills.
  static let namesMax = 50
  /// The most units of a balance that one piece of a product is worth.
  static let creditMax: Int64 = 1_000_000_000

  /// What was given, with nothing else in it.
  let object: JSONObject
  /// What each product opens.
  let rules: [ProductID: EntitlementCatalog.Rule]
  /// How much one piece of a product adds to which balance.
  let credits: [ProductID: JSONObject]

  static let shape = Shape.exactly([.required("products", .list(product, max: productsMax))])

  /// What an answer looks like: the same, and what every answer may carry.
  static let answer = Shape.object([.required("products", .list(product, max: productsMax))])

  private static let product = Shape.exactly([
    .required("id", .text(max: 256)),
    .required("type", .word(types.map(\.rawValue))),
    .optional("entitlements", .list(.text(max: 256), max: entitlementsMax)),
    .optional("displayName", .map(.text(max: 256), max: namesMax)),
    .optional("duration", .text(max: 16)),
    .optional("group", .text(max: 256)),
    .optional("level", .integer(1...1000)),
    .optional("credits", .map(.integer(1...creditMax), max: namesMax)),
  ])

  private static let types: [ProductType] = [
    .consumable, .nonConsumable, .autoRenewable, .nonRenewable,
  ]

  /// Reads an object that has the shape.
  ///
  /// - Throws: ``ServerError`` that names the member that is wrong.
  init(_ object: JSONObject) throws(ServerError) {
    var rules: [ProductID: EntitlementCatalog.Rule] = [:]
    var credits: [ProductID: JSONObject] = [:]
    for (index, value) in (object["products"]?.arrayValue ?? []).enumerated() {
      let place = "products[\(index)]"
      guard let product = value.objectValue, let name = product["id"]?.stringValue,
        let type = product["type"]?.stringValue.map({ ProductType(rawValue: $0) })
      else { throw RequestMembers.invalid(place, "a product") }
      let id = ProductID(name)
      guard rules[id] == nil else {
        throw RequestMembers.invalid("\(place).id", "an identifier that stands once")
      }
      rules[id] = try Self.rule(product, id, type, place)
      guard let credit = product["credits"]?.objectValue, !credit.isEmpty else { continue }
      guard type == .consumable else {
        throw RequestMembers.invalid("\(place).credits", "left out: this is no consumable")
      }
      credits[id] = credit
    }
    self.object = ["products": object["products"] ?? []]
    self.rules = rules
    self.credits = credits
  }

  private static func rule(
    _ product: JSONObject,
    _ id: ProductID,
    _ type: ProductType,
    _ place: String
  ) throws(ServerError) -> EntitlementCatalog.Rule {
    let named = product["entitlements"]?.arrayValue?.compactMap(\.stringValue)
    // What is used up opens nothing unless the developer says so.
    let usual = type == .consumable ? [] : [id.rawValue]
    var rule = EntitlementCatalog.Rule((named ?? usual).map { EntitlementID($0) })
    rule.level = product["level"]?.integerValue.map { Int($0) }
    if let text = product["duration"]?.stringValue {
      guard type == .nonRenewable else {
        throw RequestMembers.invalid(
          "\(place).duration",
          "left out: only a \(ProductType.nonRenewable) has one"
        )
      }
      guard let period = SubscriptionPeriod(iso8601: text) else {
        throw RequestMembers.invalid("\(place).duration", "a period such as P30D or P3M")
      }
      rule.accessPeriod = period
    }
    return rule
  }
}

/// The catalogs in force: looked up in the ledger, read once for each content.
final class CatalogShelf: Sendable {
  private let configured: [BundleID: EntitlementCatalog]
  private let read = Mutex<[BundleID: (content: String, catalog: ServerCatalog)]>([:])

  init(configuration: ServerConfiguration) {
    configured = Dictionary(
      configuration.apps.map { ($0.bundleID, $0.catalog) },
      uniquingKeysWith: { first, _ in first }
    )
  }

  static func currentKey(_ app: BundleID) -> DocumentKey {
    DocumentKey(.catalog, app: app, name: "current")
  }

  static func contentKey(_ app: BundleID, _ content: String) -> DocumentKey {
    DocumentKey(.catalog, app: app, name: "content:" + content)
  }

  /// Which catalog is in force.
  struct Current: Sendable {
    let catalog: ServerCatalog
    let content: String
    let version: Int64

    /// The catalog's name in `ETag` and `If-Match`.
    var tag: String { "\"\(version)-\(content.prefix(16))\"" }
  }

  /// The catalog that an app's developer gave last; nil before the first one.
  func current(_ app: BundleID, _ reader: any LedgerReading) throws(StorageError) -> Current? {
    guard let document = try reader.document(Self.currentKey(app)) else { return nil }
    guard let content = document.body["content"]?.stringValue else {
      throw StorageError(.corrupt, "a catalog names no content")
    }
    if let known = read.withLock({ $0[app] }), known.content == content {
      return Current(catalog: known.catalog, content: content, version: document.version)
    }
    guard let body = try reader.document(Self.contentKey(app, content))?.body,
      let catalog = try? ServerCatalog(body)
    else { throw StorageError(.corrupt, "a catalog cannot be read") }
    read.withLock { $0[app] = (content, catalog) }
    return Current(catalog: catalog, content: content, version: document.version)
  }

  /// What an app's products open: by the catalog, and for others by the server's configuration.
  func rules(
    _ app: BundleID,
    _ reader: any LedgerReading
  ) throws(StorageError) -> EntitlementCatalog {
    var catalog = configured[app] ?? EntitlementCatalog()
    guard let given = try current(app, reader)?.catalog.rules else { return catalog }
    catalog.rules.merge(given) { _, given in given }
    return catalog
  }
}
