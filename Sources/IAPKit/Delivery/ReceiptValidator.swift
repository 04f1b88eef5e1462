public import Foundation
public import IAPModel

/// Asks somebody who can tell whether a purchase is real.
///
/// Valid means accepted, not valid means rejected, and throwing means unknown: it is asked again.
public protocol ReceiptValidator: Sendable {
  /// Judges the app's receipt.
  ///
  /// - Parameters:
  ///   - receiptData: The receipt as StoreKit gave it. For a transaction that has no receipt but a
  ///     signature (StoreKit 2), the signed transaction's ASCII text.
  ///   - isSandbox: A hint; signed data decides.
  /// - Returns: The verdict.
  /// - Throws: Anything, when there is no verdict.
  func validate(receiptData: Data, isSandbox: Bool) async throws -> ReceiptValidationResult

  /// Judges one transaction with everything that is known of it.
  ///
  /// The default calls ``validate(receiptData:isSandbox:)``.
  ///
  /// - Parameter evidence: What is known of the transaction.
  /// - Returns: The verdict.
  /// - Throws: Anything, when there is no verdict.
  func validate(_ evidence: TransactionEvidence) async throws -> ReceiptValidationResult

  /// Takes note that this installation has handed over a consumable.
  ///
  /// It is called after that was saved and before StoreKit is told, and again on later occasions
  /// while it throws. After a reinstall the journal is gone: whoever remembers this answers with
  /// ``ReceiptValidationResult/isAcknowledged``, and nothing is handed over twice. The default does
  /// nothing.
  ///
  /// - Parameter evidence: What is known of the transaction.
  /// - Throws: Anything, when it is not known whether this was noted.
  func acknowledge(_ evidence: TransactionEvidence) async throws

  /// Puts an order that was set aside into the review queue of the server.
  ///
  /// It is called when the order is set aside, and again on later occasions while it throws. The
  /// default does nothing: without a review queue the order is shown on the device only
  /// (``IAPManager/ordersNeedingAttention``).
  ///
  /// - Parameter report: The order, with everything that is needed to deliver it by hand.
  /// - Throws: Anything, when it is not known whether the queue has it.
  func report(_ report: QuarantineReport) async throws
}

extension ReceiptValidator {
  /// Judges the receipt, or the signed transaction where there is none.
  ///
  /// - Parameter evidence: What is known of the transaction.
  /// - Returns: The verdict.
  /// - Throws: What the other method throws.
  public func validate(_ evidence: TransactionEvidence) async throws -> ReceiptValidationResult {
    let data = evidence.receipt ?? Data((evidence.signedTransaction ?? "").utf8)
    return try await validate(receiptData: data, isSandbox: evidence.isSandbox)
  }

  /// Does nothing: a validator without a memory has nothing to note.
  ///
  /// - Parameter evidence: Is not looked at.
  /// - Throws: Nothing.
  public func acknowledge(_ evidence: TransactionEvidence) async throws {}

  /// Does nothing: a validator without a review queue has nowhere to put it.
  ///
  /// - Parameter report: Is not looked at.
  /// - Throws: Nothing.
  public func report(_ report: QuarantineReport) async throws {}
}

/// What is known of one transaction when it is judged.
public struct TransactionEvidence: Hashable, Sendable {
  /// The signed transaction (StoreKit 2).
  public var signedTransaction: String?
  /// The app receipt (StoreKit 1).
  public var receipt: Data?
  /// The transaction to find in it.
  public var transactionId: String
  /// The first transaction of the product or subscription.
  public var originalTransactionId: String
  /// The product.
  public var productId: String
  /// The number of the order, as a UUID in lower case.
  public var orderNumber: String?
  /// The account that the order belongs to.
  public var account: String?
  /// This installation of the app.
  public var installation: String?
  /// A hint; signed data decides.
  public var isSandbox: Bool
  /// What the server gave to open the customer's own data; a secret.
  public var customerToken: String?
  /// Whether it is another user's purchase, whose name nobody knows here: then nobody is named, and
  /// the present user's token is not shown, because who presents a purchase is taken for its owner.
  package var isOfUnknownUser = false

  /// Makes evidence.
  public init(
    signedTransaction: String? = nil,
    receipt: Data? = nil,
    transactionId: String,
    originalTransactionId: String,
    productId: String,
    orderNumber: String? = nil,
    account: String? = nil,
    installation: String? = nil,
    isSandbox: Bool
  ) {
    self.signedTransaction = signedTransaction
    self.receipt = receipt
    self.transactionId = transactionId
    self.originalTransactionId = originalTransactionId
    self.productId = productId
    self.orderNumber = orderNumber
    self.account = account
    self.installation = installation
    self.isSandbox = isSandbox
  }
}

/// A server's verdict on a purchase.
///
/// - **Shape:** JSON; only `isValid` (or `verdict`) must be there. Unknown members are ignored.
/// - **Units:** dates are UNIX milliseconds, or ISO 8601 texts.
public struct ReceiptValidationResult: Hashable, Sendable {
  /// Whether the purchase is accepted.
  public var isValid: Bool
  /// The product.
  public var productId: String?
  /// When the subscription's period ends.
  public var expiresDate: Date?
  /// The transaction.
  public var transactionId: String?
  /// The first transaction of the product or subscription.
  public var originalTransactionId: String?
  /// Where it was bought.
  public var environment: StoreEnvironment?
  /// The name of what was paid for.
  public var unit: String?
  /// The installation that is to hand over a consumable.
  public var claimedBy: String?
  /// Whether an installation said before that the goods were handed over.
  public var isAcknowledged: Bool?
  /// Whether the purchase belongs to another customer than the account that was named.
  public var belongsToAnother: Bool?
  /// When the App Store took the purchase back.
  public var revocationDate: Date?
  /// What the customer may use now; nil when the server does not say.
  public var entitlements: [ValidatedEntitlement]?
  /// Why it was not accepted.
  public var reasons: [RejectionReason]
  /// What opens the customer's own data at the server; a secret.
  public var customerToken: String?
  /// Whether the server trusts simulated stores.
  public var isSimulated: Bool
  /// Whether only this device judged, because the server was silent.
  public internal(set) var isProvisional = false
  /// Whether the purchase waits for the server all the same.
  var awaitsServer = false
  /// When it was taken back last, when it is the customer's again since.
  var reversedRevocationDate: Date?
  /// Whether the server did not believe that the account was named by who may speak for it.
  var isAccountUnproven = false
  /// The server's name of this answer.
  public var requestId: String?

  /// Makes a verdict.
  public init(
    isValid: Bool,
    productId: String? = nil,
    expiresDate: Date? = nil,
    unit: String? = nil,
    claimedBy: String? = nil,
    reasons: [RejectionReason] = []
  ) {
    self.isValid = isValid
    self.productId = productId
    self.expiresDate = expiresDate
    self.unit = unit
    self.claimedBy = claimedBy
    self.reasons = reasons
    self.isSimulated = false
  }
}

/// Access to a feature, as the server sees it.
public struct ValidatedEntitlement: Hashable, Sendable, Codable {
  /// The entitlement's name.
  public var id: String
  /// The product that it comes from.
  public var productId: String?
  /// When it ends; nil when it does not.
  public var until: Date?
  /// What it comes from.
  public var source: String?
  /// Why it is there.
  public var reason: String?

  /// Makes an entitlement.
  public init(
    id: String,
    productId: String? = nil,
    until: Date? = nil,
    source: String? = nil,
    reason: String? = nil
  ) {
    self.id = id
    self.productId = productId
    self.until = until
    self.source = source
    self.reason = reason
  }
}

/// One rule that failed.
public struct RejectionReason: Hashable, Sendable, Codable {
  /// The rule.
  public var rule: String
  /// Why it failed.
  public var reason: String

  /// The rule that the evidence shows the transaction that it is said to show.
  static let matchingTransaction = "matchingTransaction"

  /// Makes a reason.
  public init(rule: String, reason: String) {
    self.rule = rule
    self.reason = reason
  }
}
