import Foundation
import IAPEntitlements
import IAPModel
import IAPSignatures
import ServerStorage

/// Keeps the newest receipt of each customer of the store, so that apps without notifications can
/// be told of renewals and refunds by asking about it again.
///
/// A customer is known by a purchase that stays in every receipt: the first subscription, else the
/// first purchase. The receipt is kept once, as the fact that it is; only where the App Store's
/// answer is the fact does the document hold its bytes. It is filed under the fact's key, and goes
/// when a purchase in the receipt is erased.
///
/// - **Source:** decision 0342.
struct NewestReceipts: Sendable {
  let parts: ServerParts

  /// The wishes to keep a receipt that was just found genuine; none when a newer one is kept, or
  /// when nobody could be asked about it.
  ///
  /// - Parameters:
  ///   - record: The receipt as a fact.
  ///   - receipt: Its bytes.
  /// - Returns: The wishes.
  /// - Throws: ``ServerError`` with 503 when the ledger cannot be read.
  func wishes(
    _ record: FactRecord,
    _ receipt: [UInt8]
  ) async throws(ServerError) -> [DocumentWrite] {
    guard parts.apple[record.scope.app]?.receipts != nil, let anchor = Self.anchor(record) else {
      return []
    }
    let date = (record.signedDate ?? record.receivedDate).milliseconds
    let key = Self.key(record.scope, anchor)
    let kept = try await parts.read { reader throws(StorageError) in try reader.document(key) }
    if let kept, (kept.body["date"]?.integerValue ?? 0) >= date { return [] }
    var body: JSONObject = [
      "environment": .string(record.scope.environment.rawValue), "date": .integer(date),
    ]
    if record.bytes != receipt { body["receipt"] = .string(Base64.encode(receipt, .standard)) }
    return [
      DocumentWrite(key, shelf: record.key.description, body: body, condition: .always)
    ]
  }

  /// The purchase by which the customer of a receipt is known.
  private static func anchor(_ record: FactRecord) -> OriginalTransactionID? {
    let lines = record.facts.compactMap(\.transaction)
    let lasting = lines.filter { $0.expiresDate != nil }
    return (lasting.isEmpty ? lines : lasting).map(\.originalTransactionID).min()
  }

  private static func key(_ scope: LedgerScope, _ anchor: OriginalTransactionID) -> DocumentKey {
    DocumentKey(.newestReceipt, app: scope.app, name: "\(scope.environment):\(anchor)")
  }

  /// A receipt to ask about.
  struct Kept: Sendable {
    let sequence: Int64
    /// Nil when it was erased meanwhile.
    let bytes: [UInt8]?
  }

  /// The next kept receipt of a scope behind a place.
  ///
  /// - Parameters:
  ///   - sequence: The place.
  ///   - scope: The app and the environment.
  ///   - only: The purchase that has to be in it; nil for any.
  /// - Returns: The receipt; nil at the end.
  /// - Throws: ``ServerError`` with 503 when the ledger cannot be read.
  func next(
    after sequence: Int64,
    in scope: LedgerScope,
    only: OriginalTransactionID?
  ) async throws(ServerError) -> Kept? {
    try await parts.read { reader throws(StorageError) -> Kept? in
      var after = sequence
      // Bound: ends behind the last document.
      while true {
        let page = try reader.documents(
          .newestReceipt,
          app: scope.app,
          shelf: nil,
          after: after,
          limit: 100
        )
        guard let last = page.last else { return nil }
        for document in page {
          guard document.body["environment"]?.stringValue == scope.environment.rawValue,
            let shelf = document.shelf
          else { continue }
          let key = FactKey(stored: shelf)
          if let only, try !Self.holds(key, only, scope, reader) { continue }
          if let text = document.body["receipt"]?.stringValue {
            return Kept(
              sequence: document.sequence,
              bytes: Base64.decode(text.utf8, .standard)
            )
          }
          let fact = try reader.fact(key, in: scope)
          // A tombstone is no receipt.
          let bytes = fact?.bytes.first == UInt8(ascii: "{") ? nil : fact?.bytes
          return Kept(sequence: document.sequence, bytes: bytes)
        }
        after = last.sequence
      }
    }
  }

  private static func holds(
    _ key: FactKey,
    _ original: OriginalTransactionID,
    _ scope: LedgerScope,
    _ reader: any LedgerReading
  ) throws(StorageError) -> Bool {
    try reader.document(
      DocumentKey(
        .receiptPlace,
        app: scope.app,
        name: "\(scope.environment):\(original):\(key)"
      )
    ) != nil
  }
}
