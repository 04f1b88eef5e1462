public import Foundation
public import IAPModel

/// One thing that happened to the app's purchases.
///
/// It holds no receipt, no signed text, no token and no account. On this device it names
/// transactions and orders in full; in a support bundle it does not.
public struct DiagnosticEvent: Hashable, Sendable, Codable {
  /// What happened, as a stable word.
  ///
  /// Of a transaction: `arrived`, `accepted`, `rejected`, `unanswered`, `staleReceipt`,
  /// `delivered`, `postponed`, `refused`, `acknowledged`, `finished`, `notAnnounced`, `due`,
  /// `released`, `reported`, `serverTold`, and `undone` when the step before could not be saved. Of
  /// an order: `order.` and its state. Beside these the constants below.
  public struct Name: OpenValue {
    /// The word.
    public let rawValue: String
    /// Makes a name from its word.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The app was started.
    public static let launched = Self(rawValue: "launched")
    /// A purchase ended without a payment.
    public static let purchaseFailed = Self(rawValue: "purchaseFailed")
    /// A restore ended.
    public static let restoreEnded = Self(rawValue: "restoreEnded")
    /// The journal could not be read or written.
    public static let storageFailed = Self(rawValue: "storageFailed")
    /// Damaged records were set aside.
    public static let journalRepaired = Self(rawValue: "journalRepaired")
    /// The app's server was called: `details` has the trace by which its log has the call, the last
    /// word of the address, and the status of the answer, when there was one.
    public static let serverCalled = Self(rawValue: "serverCalled")
  }

  /// When.
  public let date: Date
  /// In which launch of the app, from 1.
  public let launch: Int
  /// What.
  public let name: Name
  /// The product that it was about.
  public internal(set) var product: ProductID?
  /// The order that it was about.
  public internal(set) var order: OrderNumber?
  /// The transaction that it was about.
  public internal(set) var transaction: TransactionID?
  /// What else is to be known, without secrets.
  public internal(set) var details: [String: String] = [:]
  /// The decision, for those that can be made again.
  package internal(set) var step: TracedStep?

  init(date: Date, launch: Int, name: Name) {
    self.date = date
    self.launch = launch
    self.name = name
  }
}

extension DiagnosticEvent {
  /// What the funnel tells beside the steps of transactions; nil for what those say already.
  init?(_ event: FunnelEvent, at date: Date, launch: Int) {
    switch event {
    case .order(let order): self.init(order, at: date, launch: launch)
    case .purchaseFailed(let product, let error):
      self.init(date: date, launch: launch, name: .purchaseFailed)
      self.product = product
      details = ["error": error.code.rawValue]
    case .restoreEnded(let error):
      self.init(date: date, launch: launch, name: .restoreEnded)
      details = error.map { ["error": $0.code.rawValue] } ?? [:]
    case .storageFailed(let error):
      self.init(date: date, launch: launch, name: .storageFailed)
      if case .storage(let problem) = error { details = ["problem": problem.rawValue] }
    case .journalRepaired(let count):
      self.init(date: date, launch: launch, name: .journalRepaired)
      details = ["records": "\(count)"]
    case .ready, .saved, .held, .accepted, .rejected, .retryScheduled, .finished, .quarantined:
      return nil
    }
  }

  init(_ order: Order, at date: Date, launch: Int) {
    self.init(date: date, launch: launch, name: Name(rawValue: "order.\(order.state.rawValue)"))
    product = order.productId
    self.order = order.number
    transaction = order.transactionId
    details = order.failure.map { ["error": $0] } ?? [:]
  }

  init(_ call: NamedCall, at date: Date, launch: Int) {
    self.init(date: date, launch: launch, name: .serverCalled)
    product = call.subject.product
    order = call.subject.order
    transaction = call.subject.transaction
    details = ["trace": call.trace, "call": call.call]
    details["status"] = call.status.map { "\($0)" }
  }

  /// A decision about a transaction.
  init(
    _ id: TransactionID,
    _ record: TransactionRecord?,
    _ step: TracedStep,
    at date: Date,
    launch: Int
  ) {
    let words = step.event?.words ?? (name: "undone", details: [:])
    self.init(date: date, launch: launch, name: Name(rawValue: words.name))
    transaction = id
    details = words.details
    product = record?.transaction.productID
    order = record?.order
    if case .arrived(let arrived, let number) = step.event {
      product = arrived.productID
      order = number ?? order
    }
    self.step = step
  }
}
