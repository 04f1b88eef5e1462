public import Foundation
public import IAPEntitlements
public import IAPModel

/// What makes a fact unique in its scope.
///
/// Bytes under a known key are not stored again. Should they say something new all the same (a
/// notification sent again with newer parts, two contents signed at the same millisecond), they are
/// stored under a variant of the key, so that the order of arrival changes nothing.
public struct FactKey: Hashable, Sendable, CustomStringConvertible {
  /// The key's spelling, for example `notification:` and the notification's name.
  public let description: String

  init(_ description: String) { self.description = description }

  /// Takes a key as it was stored; for backends.
  public init(stored description: String) { self.description = description }

  /// The key of a notification.
  public static func notification(_ uuid: NotificationUUID) -> FactKey {
    FactKey("notification:\(uuid)")
  }

  /// The key of a signed transaction.
  public static func transaction(_ payload: TransactionPayload) -> FactKey {
    FactKey("transaction:\(payload.transactionID):\(payload.signedDate?.milliseconds ?? 0)")
  }

  /// The key of signed renewal info.
  public static func renewal(_ payload: RenewalInfoPayload) -> FactKey {
    FactKey("renewal:\(payload.originalTransactionID):\(payload.signedDate?.milliseconds ?? 0)")
  }

  /// The key of a receipt.
  ///
  /// - Parameter digest: A cryptographic hash of the receipt's bytes.
  /// - Returns: The key.
  public static func receipt(digest: some Sequence<UInt8>) -> FactKey {
    let digits = Array("0123456789abcdef".utf8)
    let hex = digest.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    return FactKey("receipt:" + String(decoding: hex, as: UTF8.self))
  }

  /// Whether it is the key of a receipt.
  var isReceipt: Bool { description.hasPrefix("receipt:") }

  /// The key for other bytes that came under this key.
  func variant(_ bytes: [UInt8]) -> FactKey {
    // FNV-1a: the variants of one key are a handful, and all of them were signed by the store.
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return FactKey(description + "#" + String(hash, radix: 16))
  }
}

/// A fact as it is handed to the ledger: bytes that were verified, and what they say.
public struct FactRecord: Hashable, Sendable {
  /// What makes it unique.
  public var key: FactKey
  /// The app and the environment that it is about.
  public var scope: LedgerScope
  /// The bytes as they came: the text of a JWS, or a receipt's DER.
  public var bytes: [UInt8]
  /// When the App Store signed it.
  public var signedDate: Date?
  /// When it came.
  public var receivedDate: Date
  /// What it says.
  ///
  /// One part for a transaction, up to three for a notification, one a line for a receipt. Parts of
  /// another environment than the scope's must not be among them.
  public var facts: [StoreFact]

  /// Makes a record.
  ///
  /// - Parameters:
  ///   - key: What makes it unique.
  ///   - scope: The app and the environment that it is about.
  ///   - bytes: The bytes as they came.
  ///   - signedDate: When the App Store signed it.
  ///   - receivedDate: When it came.
  ///   - facts: What it says.
  public init(
    key: FactKey,
    scope: LedgerScope,
    bytes: [UInt8],
    signedDate: Date?,
    receivedDate: Date,
    facts: [StoreFact]
  ) {
    self.key = key
    self.scope = scope
    self.bytes = bytes
    self.signedDate = signedDate
    self.receivedDate = receivedDate
    self.facts = facts
  }

  /// What it says, by the purchase or subscription that each part is about.
  var factsBySubject: [(subject: LedgerSubject, facts: [StoreFact])] {
    var order: [LedgerSubject] = []
    var result: [LedgerSubject: [StoreFact]] = [:]
    for fact in facts {
      guard let original = fact.originalTransactionID else { continue }
      let subject = LedgerSubject(scope: scope, original: original)
      if result[subject] == nil { order.append(subject) }
      result[subject, default: []].append(fact)
    }
    return order.map { ($0, result[$0] ?? []) }
  }
}

/// A fact as the ledger keeps it.
public struct StoredFact: Hashable, Sendable {
  /// What makes it unique.
  public let key: FactKey
  /// The app and the environment.
  public let scope: LedgerScope
  /// The bytes as they came.
  public let bytes: [UInt8]
  /// When the App Store signed it.
  public let signedDate: Date?
  /// When it came first.
  public let receivedDate: Date

  /// Makes a stored fact; for backends.
  ///
  /// - Parameters:
  ///   - key: What makes it unique.
  ///   - scope: The app and the environment.
  ///   - bytes: The bytes as they came.
  ///   - signedDate: When the App Store signed it.
  ///   - receivedDate: When it came first.
  public init(
    key: FactKey,
    scope: LedgerScope,
    bytes: [UInt8],
    signedDate: Date?,
    receivedDate: Date
  ) {
    self.key = key
    self.scope = scope
    self.bytes = bytes
    self.signedDate = signedDate
    self.receivedDate = receivedDate
  }
}

extension StoredFact {
  /// Whether only a tombstone is left of it: its customer was erased.
  package var isTombstone: Bool { Tombstone.isOne(bytes) }
}
