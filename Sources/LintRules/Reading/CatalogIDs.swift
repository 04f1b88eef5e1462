import Foundation

/// What the `.storekit` files beside an app's sources sell.
struct CatalogIDs: Sendable {
  private(set) var products: Set<String> = []
  private(set) var hasSubscription = false
  private(set) var hasOnlyConsumables = false

  init(_ files: [LintSource]) {
    var types: Set<String> = []
    for file in files {
      guard
        let root = try? JSONSerialization.jsonObject(with: Data(file.text.utf8)) as? [String: Any]
      else { continue }
      var entries = (root["products"] as? [[String: Any]]) ?? []
      entries += (root["nonRenewingSubscriptions"] as? [[String: Any]]) ?? []
      for group in (root["subscriptionGroups"] as? [[String: Any]]) ?? [] {
        entries += (group["subscriptions"] as? [[String: Any]]) ?? []
      }
      for entry in entries {
        if let product = entry["productID"] as? String { products.insert(product) }
        if let type = entry["type"] as? String { types.insert(type) }
      }
    }
    hasSubscription = types.contains("RecurringSubscription")
    hasOnlyConsumables = !types.isEmpty && types.isSubset(of: ["Consumable"])
  }
}
