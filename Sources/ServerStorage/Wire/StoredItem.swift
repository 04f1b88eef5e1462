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
    let (kind, object) = Self.form(fact)
    self.init(kind: kind, body: object.serialized)
  }

  /// A fact in its stored form, and as it will be read.
  ///
  /// - Parameter fact: The fact.
  /// - Returns: The form, and what ``fact()`` says about it.
  /// - Throws: ``StorageError`` with `corrupt` when the stored form cannot be read.
  static func stored(
    _ fact: StoreFact
  ) throws(StorageError) -> (item: StoredItem, fact: StoreFact) {
    let (kind, object) = form(fact)
    let item = StoredItem(kind: kind, body: object.serialized)
    // Members of our own are read from the text as they were written into it; what somebody else
    // may have nested or spelt is looked at through the text.
    guard fact.hasKnownMembersOnly, item.body.count <= plainBytesMax else {
      return (item, try item.fact())
    }
    do throws(PayloadError) {
      return (item, try Self.fact(kind, object))
    } catch {
      throw StorageError(.corrupt, "a stored \(kind) cannot be read: \(error.code)")
    }
  }

  /// Far below what is read of a stored form.
  private static let plainBytesMax = 16 * 1024

  private static func form(_ fact: StoreFact) -> (Kind, JSONObject) {
    switch fact {
    case .transaction(let payload): (.transaction, payload.object)
    case .receiptLine(let payload): (.receiptLine, payload.object)
    case .renewal(let payload): (.renewal, payload.object)
    case .notification(let context): (.notification, context.object)
    }
  }

  private static func fact(_ kind: Kind, _ object: JSONObject) throws(PayloadError) -> StoreFact {
    switch kind {
    case .transaction: .transaction(try TransactionPayload(object))
    case .receiptLine: .receiptLine(try TransactionPayload(object))
    case .renewal: .renewal(try RenewalInfoPayload(object))
    case .notification: .notification(try NotificationContext(object))
    }
  }

  /// Reads the fact.
  ///
  /// - Returns: The fact.
  /// - Throws: ``StorageError`` with `corrupt` when the stored form cannot be read.
  public func fact() throws(StorageError) -> StoreFact {
    do throws(PayloadError) {
      return try Self.fact(kind, try JSONParser.parseObject(body, limits: .signedPayload))
    } catch {
      throw StorageError(.corrupt, "a stored \(kind) cannot be read: \(error.code)")
    }
  }
}

extension StoreFact {
  /// Whether nothing is kept in it that is not known here.
  fileprivate var hasKnownMembersOnly: Bool {
    switch self {
    case .transaction(let payload), .receiptLine(let payload): payload.otherMembers.isEmpty
    case .renewal(let payload): payload.otherMembers.isEmpty
    case .notification: true
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
