import Foundation
import IAPEntitlements
public import IAPModel

/// A wish to forget a customer: who it was, and everything that says so.
///
/// What the App Store signed is replaced by a tombstone with its key, dates and hash; what follows
/// from it, stripped of whatever names a person, stays, so that the state folds to the same.
public struct Erasure: Sendable {
  /// The customer's own name.
  public var customer: CustomerID
  /// The app.
  public var app: BundleID

  /// Makes a wish.
  ///
  /// - Parameters:
  ///   - customer: The customer's own name.
  ///   - app: The app.
  public init(_ customer: CustomerID, app: BundleID) {
    self.customer = customer
    self.app = app
  }
}

/// A wish to make one customer a second name of another.
public struct CustomerMerge: Hashable, Sendable {
  /// The app.
  public var app: BundleID
  /// The name that becomes a second one.
  public var from: CustomerID
  /// The customer that has everything then.
  public var into: CustomerID

  /// Makes a wish.
  ///
  /// - Parameters:
  ///   - app: The app.
  ///   - from: The name that becomes a second one.
  ///   - into: The customer that has everything then.
  public init(app: BundleID, from: CustomerID, into: CustomerID) {
    precondition(from != into, "a name is not a second name of itself")
    self.app = app
    self.from = from
    self.into = into
  }
}

/// What was forgotten.
public struct ErasureOutcome: Hashable, Sendable {
  /// How many purchases and subscriptions.
  public var subjects: Int = 0
  /// How many facts are tombstones now.
  public var facts: Int = 0

  /// Nothing yet.
  public init() {}
}

/// What stands in the place of a fact's bytes.
enum Tombstone {
  /// Makes the bytes.
  ///
  /// - Parameters:
  ///   - key: The fact's key, which says what it was.
  ///   - bytes: The bytes that are replaced.
  ///   - signed: When it was signed.
  ///   - received: When it came.
  ///   - digest: SHA-256; without it there is no hash.
  /// - Returns: The bytes.
  static func bytes(
    _ key: FactKey,
    replacing bytes: [UInt8],
    signed: Date?,
    received: Date,
    digest: (([UInt8]) -> [UInt8])?
  ) -> [UInt8] {
    var object: JSONObject = ["tombstone": .string(key.description)]
    object["signedDate"] = signed.map { .integer($0.milliseconds) }
    object["receivedDate"] = .integer(received.milliseconds)
    object["sha256"] = digest.map { .string(Self.hexadecimal($0(bytes))) }
    return object.serialized
  }

  /// Whether bytes are a tombstone already.
  static func isOne(_ bytes: [UInt8]) -> Bool { bytes.starts(with: #"{"tombstone":"#.utf8) }

  static func hexadecimal(_ bytes: [UInt8]) -> String {
    String(unsafeUninitializedCapacity: 2 * bytes.count) { text in
      for (index, byte) in bytes.enumerated() {
        text[2 * index] = digit(byte >> 4)
        text[2 * index + 1] = digit(byte & 15)
      }
      return 2 * bytes.count
    }
  }

  private static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
  }
}

extension StoredItem {
  /// The members that name a person or a device.
  private static let personalMembers: Set = [
    "appAccountToken", "appTransactionId", "deviceVerification", "deviceVerificationNonce",
  ]

  /// The same without whatever names a person or a device.
  func stripped() throws(StorageError) -> StoredItem {
    let object: JSONObject
    do throws(PayloadError) {
      object = try JSONParser.parseObject(body, limits: .signedPayload)
    } catch {
      throw StorageError(.corrupt, "a stored \(kind) cannot be read: \(error.code)")
    }
    let kept = object.members.filter { !Self.personalMembers.contains($0.name) }
    guard kept.count < object.members.count else { return self }
    return StoredItem(kind: kind, body: JSONObject(kept).serialized)
  }

  /// The key of the fact that it may have come in by itself; nil for a receipt's line.
  package func key() throws(StorageError) -> FactKey? {
    switch try fact() {
    case .transaction(let payload): .transaction(payload)
    case .renewal(let payload): .renewal(payload)
    case .notification(let context): .notification(context.uuid)
    case .receiptLine: nil
    }
  }
}

/// Where a purchase stands in receipts, whose lines do not say which receipt they are from.
enum ReceiptPlace {
  static func document(_ key: FactKey, _ subject: LedgerSubject) -> DocumentWrite {
    let shelf = shelf(subject)
    return DocumentWrite(
      DocumentKey(.receiptPlace, app: subject.scope.app, name: "\(shelf):\(key)"),
      shelf: shelf,
      body: ["key": .string(key.description)],
      condition: .ifAbsent
    )
  }

  static func shelf(_ subject: LedgerSubject) -> String {
    "\(subject.scope.environment):\(subject.original)"
  }

  /// The most receipts of one purchase that are looked at at once.
  static let pageMax = 1000
}
