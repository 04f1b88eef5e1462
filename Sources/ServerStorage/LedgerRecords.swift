public import Foundation
public import IAPEntitlements
public import IAPModel

/// An intent to buy, as the client or the backend announced it.
///
/// What became of it is not written here: it follows from the facts that carry its number as their
/// account token.
public struct OrderRecord: Hashable, Sendable {
  /// The order's number, which travels as the account token of the purchase.
  public var number: OrderNumber
  /// The app.
  public var app: BundleID
  /// Who ordered, when the app said so.
  public var customer: CustomerID?
  /// What was ordered.
  public var productID: ProductID
  /// How many.
  public var quantity: Int
  /// What the app wants to find again.
  public var context: JSONObject
  /// When it was made.
  public var createdDate: Date

  /// Makes an order.
  ///
  /// - Parameters:
  ///   - number: The order's number.
  ///   - app: The app.
  ///   - customer: Who ordered.
  ///   - productID: What was ordered.
  ///   - quantity: How many.
  ///   - context: What the app wants to find again.
  ///   - createdDate: When it was made.
  public init(
    number: OrderNumber,
    app: BundleID,
    customer: CustomerID?,
    productID: ProductID,
    quantity: Int = 1,
    context: JSONObject = [:],
    createdDate: Date
  ) {
    self.number = number
    self.app = app
    self.customer = customer
    self.productID = productID
    self.quantity = quantity
    self.context = context
    self.createdDate = createdDate
  }
}

/// What happens when another customer presents a purchase that has an owner.
public enum TransferPolicy: String, Hashable, Sendable, CaseIterable {
  /// It stays with its owner, and a conflict is noted.
  case keep
  /// It goes to who presents it; goods that are used up stay where they are.
  case transfer
  /// Both have what it opens; goods that are used up stay where they are.
  case share
  /// People have decided: it goes to who presents it.
  case decided
}

/// A wish to have a purchase credited to a customer.
public struct OwnershipRequest: Hashable, Sendable {
  /// The purchase or subscription.
  public var subject: LedgerSubject
  /// Who presents it.
  public var customer: CustomerID
  /// When.
  public var date: Date
  /// What happens when the purchase has another owner.
  public var policy: TransferPolicy

  /// Makes a request.
  ///
  /// - Parameters:
  ///   - subject: The purchase or subscription.
  ///   - customer: Who presents it.
  ///   - date: When.
  ///   - policy: What happens when the purchase has another owner.
  public init(
    subject: LedgerSubject,
    customer: CustomerID,
    date: Date,
    policy: TransferPolicy = .keep
  ) {
    self.subject = subject
    self.customer = customer
    self.date = date
    self.policy = policy
  }
}

/// Who owns a purchase, and how that was decided.
public struct OwnerRecord: Hashable, Sendable {
  /// How an owner was found.
  public enum Ground: String, Hashable, Sendable {
    /// The purchase carries the token of an order or of a customer.
    case accountToken
    /// Nobody else had presented it.
    case firstPresented
    /// It was presented anew, and the app lets purchases change hands.
    case transferred
    /// People decided so.
    case decided
  }

  /// The owner.
  public let customer: CustomerID
  /// How that was decided.
  public let ground: Ground
  /// When.
  public let date: Date

  /// Makes a record.
  ///
  /// - Parameters:
  ///   - customer: The owner.
  ///   - ground: How that was decided.
  ///   - date: When.
  public init(customer: CustomerID, ground: Ground, date: Date) {
    self.customer = customer
    self.ground = ground
    self.date = date
  }
}

/// Another customer presented a purchase that has an owner; kept once for each pair.
public struct ConflictRecord: Hashable, Sendable {
  /// The purchase or subscription.
  public let subject: LedgerSubject
  /// Who presented it without owning it.
  public let customer: CustomerID
  /// When that was first seen.
  public let date: Date

  /// Makes a record.
  ///
  /// - Parameters:
  ///   - subject: The purchase or subscription.
  ///   - customer: Who presented it without owning it.
  ///   - date: When that was first seen.
  public init(subject: LedgerSubject, customer: CustomerID, date: Date) {
    self.subject = subject
    self.customer = customer
    self.date = date
  }
}

/// The token under which an app knows a customer in its purchases.
public struct CustomerAlias: Hashable, Sendable {
  /// The app.
  public var app: BundleID
  /// The token.
  public var token: AppAccountToken
  /// The customer.
  public var customer: CustomerID

  /// Makes an alias.
  ///
  /// - Parameters:
  ///   - app: The app.
  ///   - token: The token.
  ///   - customer: The customer.
  public init(app: BundleID, token: AppAccountToken, customer: CustomerID) {
    self.app = app
    self.token = token
    self.customer = customer
  }
}

/// A wish of an installation to be the one that delivers a unit, or its word that it has.
public struct ClaimRequest: Hashable, Sendable {
  /// The app and the environment.
  public var scope: LedgerScope
  /// The unit.
  public var unit: UnitID
  /// The installation.
  public var installation: InstallationID
  /// When.
  public var date: Date
  /// How many seconds a claim holds after its claimer was heard of last, unless it acknowledged.
  public var leaseSeconds: TimeInterval
  /// Whether the installation says that it has handed the unit over.
  public var isAcknowledgement: Bool

  /// Makes a request.
  ///
  /// - Parameters:
  ///   - scope: The app and the environment.
  ///   - unit: The unit.
  ///   - installation: The installation.
  ///   - date: When.
  ///   - leaseSeconds: How long a claim holds after its claimer was heard of last; for ever by
  ///     default.
  ///   - isAcknowledgement: Whether the installation says that it has handed the unit over.
  public init(
    scope: LedgerScope,
    unit: UnitID,
    installation: InstallationID,
    date: Date,
    leaseSeconds: TimeInterval = .infinity,
    isAcknowledgement: Bool = false
  ) {
    self.scope = scope
    self.unit = unit
    self.installation = installation
    self.date = date
    self.leaseSeconds = leaseSeconds
    self.isAcknowledgement = isAcknowledgement
  }
}

/// Which installation delivers a unit, and whether it has.
public struct ClaimRecord: Hashable, Sendable {
  /// The installation; once the unit is acknowledged, the one that handed it over.
  public let installation: InstallationID
  /// When that installation was heard of last before it acknowledged.
  public let date: Date
  /// When it said that it has handed the unit over; nil before that.
  public let acknowledgedDate: Date?

  /// Makes a record.
  ///
  /// - Parameters:
  ///   - installation: The installation.
  ///   - date: When it was heard of last before it acknowledged.
  ///   - acknowledgedDate: When it said that it has handed the unit over.
  public init(installation: InstallationID, date: Date, acknowledgedDate: Date? = nil) {
    self.installation = installation
    self.date = date
    self.acknowledgedDate = acknowledgedDate
  }

  /// The claim after a request.
  ///
  /// An acknowledged claim stays as it is. Whoever says that it has handed the unit over is
  /// believed, for an effect that took place cannot be undone by a claim. Another installation
  /// becomes the claimer when the lease has run out; the claimer's own requests begin it anew.
  ///
  /// - Parameters:
  ///   - claim: The claim before; nil when there is none.
  ///   - request: The request.
  /// - Returns: The claim.
  static func following(_ claim: ClaimRecord?, _ request: ClaimRequest) -> ClaimRecord {
    if let claim, claim.acknowledgedDate != nil { return claim }
    let isOwn = claim.map { $0.installation == request.installation } ?? true
    if request.isAcknowledgement {
      return ClaimRecord(
        installation: request.installation,
        date: isOwn ? claim?.date ?? request.date : request.date,
        acknowledgedDate: request.date
      )
    }
    guard let claim else {
      return ClaimRecord(installation: request.installation, date: request.date)
    }
    let hasLapsed = request.date.timeIntervalSince(claim.date) > request.leaseSeconds
    guard isOwn || hasLapsed else { return claim }
    return ClaimRecord(
      installation: request.installation,
      date: max(claim.date, request.date)
    )
  }
}

/// A unit's entry as the ledger recorded it: once for ever.
public struct GrantRecord: Hashable, Sendable {
  /// The entry.
  public let entry: UnitEntry
  /// The purchase or subscription.
  public let subject: LedgerSubject
  /// The product.
  public let productID: ProductID
  /// How many.
  public let quantity: Int
  /// When it was recorded.
  public let recordedDate: Date
  /// What one piece was worth in which balance when it was granted; later entries of the unit have
  /// the same.
  public let credit: JSONObject

  /// Makes a record.
  ///
  /// - Parameters:
  ///   - entry: The entry.
  ///   - subject: The purchase or subscription.
  ///   - productID: The product.
  ///   - quantity: How many.
  ///   - recordedDate: When it was recorded.
  ///   - credit: What one piece was worth in which balance.
  public init(
    entry: UnitEntry,
    subject: LedgerSubject,
    productID: ProductID,
    quantity: Int,
    recordedDate: Date,
    credit: JSONObject = [:]
  ) {
    self.entry = entry
    self.subject = subject
    self.productID = productID
    self.quantity = quantity
    self.recordedDate = recordedDate
    self.credit = credit
  }
}

/// Something that the app's own backend is to be told.
public struct OutboxRecord: Hashable, Sendable {
  /// Its place in the order of recording; 0 until it is recorded.
  public var sequence: Int64
  /// What happened, for example `unit.grant`.
  public var kind: String
  /// The purchase or subscription.
  public var subject: LedgerSubject
  /// What is told.
  public var body: JSONObject
  /// When it was recorded.
  public var date: Date

  /// Makes a record.
  ///
  /// - Parameters:
  ///   - sequence: Its place; 0 until it is recorded.
  ///   - kind: What happened.
  ///   - subject: The purchase or subscription.
  ///   - body: What is told.
  ///   - date: When it was recorded.
  public init(
    sequence: Int64 = 0,
    kind: String,
    subject: LedgerSubject,
    body: JSONObject,
    date: Date
  ) {
    self.sequence = sequence
    self.kind = kind
    self.subject = subject
    self.body = body
    self.date = date
  }
}

/// Who did what, for people who have to know later.
public struct AuditRecord: Hashable, Sendable {
  /// Its place in the order of recording; 0 until it is recorded.
  public var sequence: Int64
  /// The app, when it is about one.
  public var app: BundleID?
  /// What was done, as a stable word.
  public var action: String
  /// The circumstances; no secret, no receipt.
  public var details: JSONObject
  /// When.
  public var date: Date

  /// Makes a record.
  ///
  /// - Parameters:
  ///   - sequence: Its place; 0 until it is recorded.
  ///   - app: The app.
  ///   - action: What was done.
  ///   - details: The circumstances.
  ///   - date: When.
  public init(
    sequence: Int64 = 0,
    app: BundleID?,
    action: String,
    details: JSONObject = [:],
    date: Date
  ) {
    self.sequence = sequence
    self.app = app
    self.action = action
    self.details = details
    self.date = date
  }
}
