/// What can be handed out.
enum ExportKind: String, Hashable, Sendable, CaseIterable {
  /// Every grant, clawback and regrant, in the order in which it took effect.
  case entries
  /// What people and backends did.
  case audit
  /// Every order, by its number.
  case orders
  /// Every transaction of an environment, purchase by purchase.
  case transactions
  /// What the App Store is to be told about purchases that were claimed later.
  case tokens

  /// Whether the place in the list is a text.
  var hasTextCursor: Bool {
    switch self {
    case .orders, .transactions: true
    case .entries, .audit, .tokens: false
    }
  }

  /// The columns of the table.
  var columns: [String] {
    switch self {
    case .entries:
      [
        "sequence", "kind", "environment", "originalTransactionId", "key", "unit", "productId",
        "quantity", "date", "recordedDate",
      ]
    case .audit: ["sequence", "action", "by", "details", "date"]
    case .orders:
      [
        "orderNumber", "account", "productId", "quantity", "state", "createdDate", "context",
        "transactions",
      ]
    case .transactions:
      [
        "environment", "transactionId", "originalTransactionId", "productId", "type", "quantity",
        "price", "currency", "purchaseDate", "expiresDate", "revocationDate", "revoked", "unit",
        "ownership", "offerType", "account",
      ]
    case .tokens:
      [
        "sequence", "environment", "originalTransactionId", "state", "attempts", "problem",
        "askedDate",
      ]
    }
  }
}
