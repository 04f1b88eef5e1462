/// What becomes of a document when a ledger is made anew as it was at an instant.
///
/// Facts have an instant at which they came, and everything that follows from them is computed
/// again. Documents are replaced when they change, so only the newest text of one is known: each
/// kind has a rule of its own.
package enum PastRule: Hashable, Sendable, CaseIterable {
  /// As it is in the ledger that the past is made from: what people set up, what must never be
  /// forgotten, and what backends were told last.
  case kept
  /// Only what was made up to the instant: each is made once, about one thing that happened.
  case madeBy
  /// Only what was written last up to the instant: how far work has come.
  case writtenBy
  /// Nothing of it: what waits to be told, what is counted again, and who is there at the moment.
  case left

  /// The rule of a kind; one that is not known here is kept.
  ///
  /// - Parameter kind: The kind of document.
  /// - Returns: The rule.
  package static func of(_ kind: DocumentKind) -> PastRule { words[kind.rawValue] ?? .kept }

  /// The kinds that follow a rule, in order.
  package func kinds() -> [String] {
    Self.words.filter { $0.value == self }.map(\.key).sorted()
  }

  /// The rule of every kind that there is, by its word.
  package static let words: [String: PastRule] = [
    // Keys that were withdrawn stay withdrawn, nonces that were used stay used.
    "apiKey": .kept, "secret": .kept, "nonce": .kept, "customer": .kept, "catalog": .kept,
    "credit": .kept, "webhook": .kept, "dashboardOperator": .kept, "dashboardApp": .kept,
    "dashboardTries": .kept,
    // Numbers of events go on behind those that were given, and no state is told twice.
    "eventCounter": .kept, "eventWatch": .kept, "eventAccess": .kept, "eventClock": .kept,
    "webhookProgress": .kept,
    // The sum of the debits that are left out is taken from it.
    "spent": .kept,
    "debit": .madeBy, "idempotency": .madeBy, "review": .madeBy, "share": .madeBy,
    "orderLink": .madeBy, "receiptPlace": .madeBy, "tokenTask": .madeBy, "consumption": .madeBy,
    "legacyNotification": .madeBy,
    "newestReceipt": .writtenBy, "reconciliation": .writtenBy, "storeRevision": .writtenBy,
    "moneyAudit": .writtenBy,
    "event": .left, "webhookDelivery": .left, "webhookLane": .left, "dashboardFigures": .left,
    "dashboardPlace": .left, "dashboardUnpriced": .left, "dashboardSession": .left, "lease": .left,
    "presence": .left,
  ]
}
