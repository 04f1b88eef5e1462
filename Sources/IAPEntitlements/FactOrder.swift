import Foundation
import IAPModel

/// A transaction's content with what decides between facts about the same transaction.
struct RankedTransaction: Hashable {
  let payload: TransactionPayload
  let isReceiptLine: Bool

  var signedDate: Date { payload.signedDate ?? .distantPast }

  /// Whether this fact comes before the other: earlier signed, then receipt before signed
  /// transaction, then by content, so that any two different facts have an order.
  func precedes(_ other: Self) -> Bool {
    if signedDate != other.signedDate { return signedDate < other.signedDate }
    if isReceiptLine != other.isReceiptLine { return isReceiptLine }
    if payload == other.payload { return false }
    return payload.object.serialized.lexicographicallyPrecedes(other.payload.object.serialized)
  }
}

extension RenewalInfoPayload {
  /// Whether this renewal info was signed before the other; ties are broken by content.
  func precedes(_ other: Self) -> Bool {
    let (mine, theirs) = (signedDate ?? .distantPast, other.signedDate ?? .distantPast)
    if mine != theirs { return mine < theirs }
    if self == other { return false }
    return object.serialized.lexicographicallyPrecedes(other.object.serialized)
  }
}

extension NotificationContext {
  /// Whether this notification was signed before the other; ties are broken by its name.
  func precedes(_ other: Self) -> Bool {
    let (mine, theirs) = (signedDate ?? .distantPast, other.signedDate ?? .distantPast)
    if mine != theirs { return mine < theirs }
    return uuid < other.uuid
  }
}
