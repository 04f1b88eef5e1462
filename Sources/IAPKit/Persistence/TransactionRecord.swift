public import Foundation
public import IAPModel

/// How far a transaction is on its way from the store to the user.
public enum RecordState: String, Hashable, Sendable, Codable, CaseIterable {
  /// Its signature does not hold: kept, never delivered, checked again.
  case held
  /// Saved; not judged yet.
  case received
  /// Judged real; not handed over yet.
  case accepted
  /// Handed over; StoreKit not told yet.
  case delivered
  /// Handed over, and StoreKit told.
  case finished
  /// Set aside for a person to look at.
  case quarantined
  /// The app's handler refused to hand it over; set aside.
  case refused
}

/// Why a transaction is set aside.
public enum QuarantineReason: String, Hashable, Sendable, Codable, CaseIterable {
  /// The server refused explicitly, too often.
  case rejected
  /// The server did not answer for too long. It is still asked, and the transaction not finished.
  case unanswered
  /// Too many checks failed, by a policy that counts every failure.
  case failedChecks
}

/// What the journal knows of one transaction.
///
/// Records that ``TransactionStore`` hands out are copies; changing the journal goes through it.
public struct TransactionRecord: Hashable, Sendable, Identifiable, Codable {
  package var transaction: StoreTransaction
  /// How far it is.
  public package(set) var state: RecordState
  /// Why it is set aside, while ``state`` is `quarantined`.
  public package(set) var quarantine: QuarantineReason?
  /// The number of its order, as a UUID in lower case.
  package var order: OrderNumber?
  /// How often the server was asked.
  public package(set) var attempts: Int
  /// How often it refused explicitly.
  public package(set) var rejections: Int
  /// Whether the last answer was an explicit refusal.
  package var wasRejectedLast: Bool
  /// When a judge accepted it last.
  package var judgedAt: Date?
  /// What holds of it, in order; nil when none does.
  private var marks: [Mark]?
  /// How often the handler asked to be called later.
  package var deliveryAttempts: Int
  /// What went wrong last, in words without secrets.
  public package(set) var lastError: String?
  /// When it was saved first.
  public package(set) var savedAt: Date
  /// The launch in which it was saved first.
  package var savedInLaunch: Int
  /// When it is tried next.
  package var nextAttempt: Date?
  /// The effects that took place, by idempotency key.
  package var acknowledged: [String]
  /// What was paid for, once known: the server's name, else our own.
  package var unit: UnitID?
  /// The installation that the server wants to hand it over, when it is another one.
  package var claimedBy: InstallationID?
  /// Whether StoreKit was told.
  public package(set) var isFinished: Bool
  /// Whether the server's review queue knows.
  package var isReported: Bool
  /// The user who got the goods: what is taken back or given again concerns nobody else.
  ///
  /// Nil before that, and when nobody was signed in.
  package var recipient: CustomerID?
  /// Whether nothing was left of it when this copy was made: one-time goods when acknowledged, a
  /// subscription when its period was over.
  public package(set) var isConsumed = false

  private enum CodingKeys: String, CodingKey {
    case transaction, state, quarantine, order, attempts, rejections, wasRejectedLast
    case deliveryAttempts, lastError, savedAt, savedInLaunch, nextAttempt, acknowledged, unit
    case claimedBy, isFinished, isReported
    case judgedAt, marks, recipient
  }

  package init(transaction: StoreTransaction, state: RecordState, savedAt: Date, launch: Int) {
    self.transaction = transaction
    self.state = state
    self.savedAt = savedAt
    self.savedInLaunch = launch
    self.attempts = 0
    self.rejections = 0
    self.wasRejectedLast = false
    self.deliveryAttempts = 0
    self.acknowledged = []
    self.marks = nil
    self.isFinished = false
    self.isReported = false
  }
}

extension TransactionRecord {
  private enum Mark: String, Hashable, Codable {
    case servedElsewhere, serverTold, staleReceipt, anothers, grantBegun
  }

  /// Whether the last answer was that the receipt does not show the transaction.
  package var hasStaleReceipt: Bool {
    get { has(.staleReceipt) }
    set { set(.staleReceipt, newValue) }
  }

  /// Whether the server was told that the goods were handed over.
  package var isServerTold: Bool {
    get { has(.serverTold) }
    set { set(.serverTold, newValue) }
  }

  /// Whether the server says that the purchase belongs to another customer.
  package var isAnothers: Bool {
    get { has(.anothers) }
    set { set(.anothers, newValue) }
  }

  /// Whether another installation, or an earlier one, has handed the goods over: then nothing is
  /// handed over here, and nothing taken back.
  package var isServedElsewhere: Bool {
    get { has(.servedElsewhere) }
    set { set(.servedElsewhere, newValue) }
  }

  /// Whether somebody was, or was about to be, called to hand the goods over: they may be with the
  /// user although nobody has answered.
  package var isGrantBegun: Bool {
    get { has(.grantBegun) }
    set { set(.grantBegun, newValue) }
  }

  private func has(_ mark: Mark) -> Bool { marks?.contains(mark) ?? false }

  private mutating func set(_ mark: Mark, _ isSet: Bool) {
    var all = Set(marks ?? [])
    if isSet { all.insert(mark) } else { all.remove(mark) }
    marks = all.isEmpty ? nil : all.sorted { $0.rawValue < $1.rawValue }
  }
}

extension TransactionRecord {
  /// Makes a record of a purchase that the app learnt of by itself.
  ///
  /// - Parameters:
  ///   - transactionId: The transaction's identifier.
  ///   - productId: The product's identifier.
  ///   - purchaseDate: When the customer was charged.
  ///   - isConsumed: Whether the app has the goods already.
  public init(
    transactionId: String,
    productId: String,
    purchaseDate: Date,
    isConsumed: Bool = false
  ) {
    let transaction = StoreTransaction(
      transactionID: TransactionID(transactionId),
      originalTransactionID: OriginalTransactionID(transactionId),
      productID: ProductID(productId),
      purchaseDate: purchaseDate,
      proof: .receipt(nil),
      verification: .unchecked,
      source: .replay,
      generation: .storekit1
    )
    self.init(transaction: transaction, state: .received, savedAt: purchaseDate, launch: 0)
    self.isConsumed = isConsumed
  }

  /// The transaction's identifier.
  public var id: String { transactionId }
  /// The transaction's identifier.
  public var transactionId: String { transaction.transactionID.rawValue }
  /// The identifier of the first transaction of the product or subscription.
  public var originalTransactionId: String { transaction.originalTransactionID.rawValue }
  /// The product's identifier.
  public var productId: String { transaction.productID.rawValue }
  /// The product's type; nil when it is not known.
  public var productType: ProductType? { transaction.type }
  /// When the customer was charged.
  public var purchaseDate: Date { transaction.purchaseDate }
  /// When an auto-renewable subscription's period ends.
  public var expiresDate: Date? { transaction.expiresDate }
  /// When the App Store took the purchase back.
  public var revocationDate: Date? { transaction.revocationDate }
  /// How many were bought.
  public var quantity: Int { transaction.quantity }
  /// The token that travelled with the purchase.
  public var appAccountToken: UUID? { transaction.appAccountToken?.rawValue }
  /// The number of its order, as a UUID in lower case; nil when there is none.
  public var orderNumber: String? { order?.description }
  /// Where it was bought.
  public var environment: StoreEnvironment? { transaction.environment }
  /// The way by which it arrived.
  public var source: TransactionSource { transaction.source }
  /// The signed transaction, where there is one.
  public var jws: String? {
    guard case .jws(let text) = transaction.proof, !text.isEmpty else { return nil }
    return text
  }
  /// Whether the app has the goods, or another installation of it.
  public var isAcknowledged: Bool { !acknowledged.isEmpty || isServedElsewhere }

  /// Whether work is left: not judged, not handed over, or set aside.
  public var isPending: Bool {
    switch state {
    case .held, .received, .quarantined, .refused: !isAcknowledged
    case .accepted: true
    case .delivered, .finished: false
    }
  }

  /// Whether nothing is left of it at an instant.
  ///
  /// - Parameter now: The instant.
  /// - Returns: True for one-time goods that were acknowledged and for a subscription whose period
  ///   is over.
  public func isConsumed(at now: Date) -> Bool {
    guard transaction.type == .autoRenewable else { return isAcknowledged }
    guard let expiresDate else { return false }
    return expiresDate <= now
  }
}
