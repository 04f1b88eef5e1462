/// A purchase as it stands in a database: its number there, and the store's name of it.
package struct ArchivedPurchase: Hashable, Sendable {
  package let number: Int64
  package let original: String

  package init(number: Int64, original: String) {
    self.number = number
    self.original = original
  }
}

extension LedgerTable {
  /// The tables that say what is known about a purchase.
  package static var ofPurchases: [LedgerTable] {
    let names = ["subjects", "items", "transactions", "entries", "conflicts"]
    return all.filter { names.contains($0.name) }
  }
}
