public import Foundation
public import IAPModel

/// One thing that the App Store said and that was verified.
///
/// Facts are never edited; everything else is computed from the set of them. Their order and their
/// duplicates mean nothing. What a fact says is kept apart from it, so that handing facts around
/// copies a reference and not dozens of texts.
public indirect enum StoreFact: Hashable, Sendable {
  /// A signed transaction.
  case transaction(TransactionPayload)
  /// One line of a signed receipt in a transaction's shape; its signed date is the day on which the
  /// receipt was made. See ``ReceiptLine``.
  case receiptLine(TransactionPayload)
  /// Signed renewal info.
  case renewal(RenewalInfoPayload)
  /// What a notification said beside the signed texts in it.
  case notification(NotificationContext)

  /// Where it happened, when the fact says.
  public var environment: StoreEnvironment? {
    switch self {
    case .transaction(let payload), .receiptLine(let payload): payload.environment
    case .renewal(let payload): payload.environment
    case .notification(let context): context.environment
    }
  }

  /// The purchase or subscription that the fact is about.
  public var originalTransactionID: OriginalTransactionID? {
    switch self {
    case .transaction(let payload), .receiptLine(let payload): payload.originalTransactionID
    case .renewal(let payload): payload.originalTransactionID
    case .notification(let context): context.originalTransactionID
    }
  }

  /// When the App Store signed it; the distant past when the fact does not say.
  public var signedDate: Date {
    switch self {
    case .transaction(let payload), .receiptLine(let payload): payload.signedDate ?? .distantPast
    case .renewal(let payload): payload.signedDate ?? .distantPast
    case .notification(let context): context.signedDate ?? .distantPast
    }
  }

  /// The transaction's content, when the fact is a transaction or a receipt's line.
  public var transaction: TransactionPayload? {
    switch self {
    case .transaction(let payload), .receiptLine(let payload): payload
    case .renewal, .notification: nil
    }
  }
}

/// What a notification says itself, without the signed texts that it carries.
public struct NotificationContext: Hashable, Sendable {
  /// The notification's name.
  public var uuid: NotificationUUID
  /// What happened.
  public var type: NotificationType
  /// What exactly happened.
  public var subtype: NotificationSubtype?
  /// When the App Store signed it.
  public var signedDate: Date?
  /// Where it happened.
  public var environment: StoreEnvironment?
  /// The subscription's state when it was signed.
  public var status: SubscriptionStatus?
  /// The transaction that it carries.
  public var transactionID: TransactionID?
  /// The purchase or subscription that it is about.
  public var originalTransactionID: OriginalTransactionID?

  /// Takes the context of a notification and of the texts verified in it.
  ///
  /// - Parameters:
  ///   - payload: The notification.
  ///   - transaction: The verified transaction in it.
  ///   - renewal: The verified renewal info in it.
  public init(
    _ payload: NotificationPayload,
    transaction: TransactionPayload?,
    renewal: RenewalInfoPayload?
  ) {
    self.init(uuid: payload.uuid, type: payload.type)
    subtype = payload.subtype
    signedDate = payload.signedDate
    environment = payload.environment
    status = payload.data?.status
    transactionID = transaction?.transactionID
    originalTransactionID = transaction?.originalTransactionID ?? renewal?.originalTransactionID
  }

  /// Makes a context with what every notification has; the rest is absent.
  public init(uuid: NotificationUUID, type: NotificationType) {
    self.uuid = uuid
    self.type = type
  }
}
