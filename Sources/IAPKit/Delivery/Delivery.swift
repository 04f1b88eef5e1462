/// Hands the goods of one purchase to the user, or takes them back.
///
/// It may be called again with the same key when the app was killed between the effect and the
/// record of it: effects must be exactly once for each key. Throwing is no answer: it is called
/// again later, as after ``DeliveryAnswer/retryLater``.
public typealias DeliveryHandler = @Sendable (Delivery) async throws -> DeliveryAnswer

/// What a delivery handler is called with.
public struct Delivery: Hashable, Sendable {
  /// What is to be done with the goods.
  public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
    /// Hand them over.
    case grant
    /// Take them back: the App Store refunded or revoked the purchase.
    case clawback
    /// Hand them over again: the App Store reversed the refund.
    case regrant
  }

  /// What is to be done.
  public let kind: Kind
  /// The purchase.
  public let transaction: IAPTransactionResult
  /// The name of this effect: the same at every call for it, on every launch.
  public let idempotencyKey: String
  /// The order that the purchase belongs to, when there is one.
  public let order: Order?
  /// What the server answered; nil without a validator.
  public let validation: ReceiptValidationResult?

  package init(
    kind: Kind,
    transaction: IAPTransactionResult,
    idempotencyKey: String,
    order: Order?,
    validation: ReceiptValidationResult?
  ) {
    self.kind = kind
    self.transaction = transaction
    self.idempotencyKey = idempotencyKey
    self.order = order
    self.validation = validation
  }
}

/// What a delivery handler answers.
public enum DeliveryAnswer: Hashable, Sendable {
  /// The effect is durable.
  case delivered
  /// Not now: call again later with the same key.
  case retryLater
  /// Never: the purchase is set aside with this reason and its transaction finished.
  case refuse(reason: String)
}
