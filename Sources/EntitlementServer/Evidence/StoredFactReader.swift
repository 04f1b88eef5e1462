import Foundation
package import IAPEntitlements
import IAPModel
import IAPSignatures
package import ServerStorage

/// Reads once more what a fact says that the ledger holds.
///
/// Nothing is verified: it was when the fact was recorded, and a certificate may have ended since.
package enum StoredFactReader {
  /// The longest answer of the old receipt service that is read, and how deep it is nested.
  private static let answerLimits = JSONLimits(sizeBytesMax: 64 * 1024 * 1024, depthMax: 32)

  /// What a fact says, as it was recorded.
  ///
  /// - Parameter fact: The fact; not a tombstone.
  /// - Returns: Its parts.
  /// - Throws: ``StorageError`` with `corrupt` when the bytes cannot be read.
  package static func facts(of fact: StoredFact) throws(StorageError) -> [StoreFact] {
    let kind = fact.key.description.prefix { $0 != ":" }
    do throws(PayloadError) {
      switch kind {
      case "transaction": return [.transaction(try TransactionPayload(members(fact.bytes)))]
      case "renewal": return [.renewal(try RenewalInfoPayload(members(fact.bytes)))]
      case "notification": return try notification(fact.bytes)
      case "receipt": return try receipt(fact)
      default: throw PayloadError(.wrongType, "a key of an unknown kind")
      }
    } catch {
      throw StorageError(.corrupt, "a stored \(kind) cannot be read: \(error.code)")
    }
  }

  private static func notification(_ bytes: [UInt8]) throws(PayloadError) -> [StoreFact] {
    let notification = try NotificationPayload(members(bytes))
    var transaction: TransactionPayload?
    var renewal: RenewalInfoPayload?
    if let text = notification.data?.signedTransactionInfo {
      transaction = try TransactionPayload(members(Array(text.utf8)))
    }
    if let text = notification.data?.signedRenewalInfo {
      renewal = try RenewalInfoPayload(members(Array(text.utf8)))
    }
    return NotificationUseCase.facts(notification, transaction, renewal)
  }

  private static func receipt(_ fact: StoredFact) throws(PayloadError) -> [StoreFact] {
    guard fact.bytes.first == UInt8(ascii: "{") else {
      guard let payload = ReceiptPayload(unverified: fact.bytes) else {
        throw PayloadError(.wrongType, "no receipt")
      }
      return payload.items.compactMap { $0.transaction(in: payload) }.map { .receiptLine($0) }
    }
    let object = try JSONParser.parseObject(fact.bytes, limits: answerLimits)
    let answer = VerifyReceiptAnswer(
      object,
      environment: fact.scope.environment,
      now: fact.signedDate ?? fact.receivedDate
    )
    guard let answer else { throw PayloadError(.missingMember, "an answer names an app") }
    return answer.facts
  }

  /// The members of a signed text's payload.
  private static func members(_ text: [UInt8]) throws(PayloadError) -> JSONObject {
    let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 3, let bytes = Base64.decode(parts[1], .url) else {
      throw PayloadError(.wrongType, "no signed text")
    }
    return try JSONParser.parseObject(bytes, limits: .signedPayload)
  }
}
