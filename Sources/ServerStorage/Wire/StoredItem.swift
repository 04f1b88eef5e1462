public import IAPEntitlements
import IAPModel

/// One thing that a fact says, in the form in which a backend keeps it.
///
/// Two things are the same when their stored forms are.
///
/// - **Shape:** the kind as a small number, and compact JSON with Apple's member names.
public struct StoredItem: Hashable, Sendable {
  /// What it is; the number is what is stored.
  public enum Kind: Int64, Hashable, Sendable, CaseIterable {
    /// A signed transaction.
    case transaction = 0
    /// A line of a receipt.
    case receiptLine = 1
    /// Signed renewal info.
    case renewal = 2
    /// A notification's own words.
    case notification = 3
  }

  /// What it is.
  public let kind: Kind
  /// The content as compact JSON.
  public let body: [UInt8]

  /// Takes a stored form.
  ///
  /// - Parameters:
  ///   - kind: What it is.
  ///   - body: The content as compact JSON.
  public init(kind: Kind, body: [UInt8]) {
    self.kind = kind
    self.body = body
  }

  /// Makes the stored form of a fact; dates are kept to the millisecond.
  public init(_ fact: StoreFact) {
    switch fact {
    case .transaction(let payload): self.init(kind: .transaction, body: payload.object.serialized)
    case .receiptLine(let payload): self.init(kind: .receiptLine, body: payload.object.serialized)
    case .renewal(let payload): self.init(kind: .renewal, body: payload.object.serialized)
    case .notification(let context):
      self.init(kind: .notification, body: context.object.serialized)
    }
  }

  /// Reads the fact.
  ///
  /// - Returns: The fact.
  /// - Throws: ``StorageError`` with `corrupt` when the stored form cannot be read.
  public func fact() throws(StorageError) -> StoreFact {
    do throws(PayloadError) {
      let object = try JSONParser.parseObject(body, limits: .signedPayload)
      switch kind {
      case .transaction: return .transaction(try TransactionPayload(object))
      case .receiptLine: return .receiptLine(try TransactionPayload(object))
      case .renewal: return .renewal(try RenewalInfoPayload(object))
      case .notification: return .notification(try NotificationContext(object))
      }
    } catch {
      throw StorageError(.corrupt, "a stored \(kind) cannot be read: \(error.code)")
    }
  }
}

extension NotificationContext {
  /// Reads the stored form.
  fileprivate init(_ object: JSONObject) throws(PayloadError) {
    guard let uuid = object["notificationUUID"]?.stringValue,
      let type = object["notificationType"]?.stringValue
    else { throw PayloadError(.missingMember, "a notification has a name and a type") }
    self.init(uuid: NotificationUUID(uuid), type: NotificationType(rawValue: type))
    subtype = object["subtype"]?.stringValue.map { NotificationSubtype(rawValue: $0) }
    signedDate = object["signedDate"]?.integerValue.map { .init(milliseconds: $0) }
    environment = object["environment"]?.stringValue.map { StoreEnvironment(rawValue: $0) }
    status = object["status"]?.integerValue.map { SubscriptionStatus(rawValue: Int($0)) }
    transactionID = object["transactionId"]?.stringValue.map { TransactionID($0) }
    originalTransactionID = object["originalTransactionId"]?.stringValue.map {
      OriginalTransactionID($0)
    }
  }

  /// The stored form.
  fileprivate var object: JSONObject {
    var object: JSONObject = [
      "notificationUUID": .string(uuid.rawValue), "notificationType": .string(type.rawValue),
    ]
    object["subtype"] = subtype.map { .string($0.rawValue) }
    object["signedDate"] = signedDate.map { .integer($0.milliseconds) }
    object["environment"] = environment.map { .string($0.rawValue) }
    object["status"] = status.map { .integer(Int64($0.rawValue)) }
    object["transactionId"] = transactionID.map { .string($0.rawValue) }
    object["originalTransactionId"] = originalTransactionID.map { .string($0.rawValue) }
    return object
  }
}
