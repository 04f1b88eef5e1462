package import Foundation
package import IAPModel

/// All orders, and the rules by which they are opened, joined and closed.
///
/// Pure: the store makes changes durable.
package struct OrderBook: Sendable {
  /// The longest number that an app may give an order, in UTF-8 bytes.
  package static let numberBytesMax = 256
  /// The longest context of an order, keys and values together, in UTF-8 bytes.
  package static let contextBytesMax = 16_384
  /// The most that can be bought at once.
  ///
  /// - **Source:** StoreKit, `SKMutablePayment.quantity`.
  package static let quantityMax = 10

  /// For how many seconds what is redeemed belongs to the order of a code sheet.
  package static let codeSecondsMax: TimeInterval = 3600

  /// For how many seconds a device's clock may have been ahead of the App Store's when an order was
  /// opened that a restored copy is said to be of.
  package static let copySecondsMax: TimeInterval = 86_400

  private var orders: [OrderNumber: Order] = [:]
  private var byToken: [AppAccountToken: [OrderNumber]] = [:]
  private var byProduct: [ProductID: [OrderNumber]] = [:]
  /// Whose end is not known yet.
  private var unsettled: Set<OrderNumber> = []
  /// Whose code was not redeemed yet.
  private var codes: Set<OrderNumber> = []

  package init() {}

  /// Every order, oldest first.
  package var all: [Order] {
    orders.values.sorted { ($0.createdAt, $0.number) < ($1.createdAt, $1.number) }
  }

  /// The orders whose end is not known yet, oldest first.
  package var waiting: [Order] {
    unsettled.compactMap { orders[$0] }.sorted { $0.createdAt < $1.createdAt }
  }

  package subscript(number: OrderNumber) -> Order? { orders[number] }

  /// The order of this number: a UUID, or the app's own number.
  package func find(_ number: String) -> Order? {
    orders[Self.number(of: number)]
  }

  /// The UUID of an order's number: itself when it is one, else one made from the text.
  package static func number(of text: String) -> OrderNumber {
    OrderNumber(text) ?? OrderNumber(NameUUID.make(text, in: NameUUID.orderNumbers))
  }

  package mutating func put(_ order: Order) {
    if orders[order.number] == nil {
      byToken[order.accountToken, default: []].append(order.number)
      byProduct[order.productId, default: []].append(order.number)
    }
    orders[order.number] = order
    if order.origin == .offerCode, order.transactionId == nil {
      codes.insert(order.number)
    } else {
      codes.remove(order.number)
    }
    switch order.state {
    case .opened, .pending, .paid: unsettled.insert(order.number)
    case .scheduled, .delivered, .cancelled, .failed, .quarantined, .refused:
      unsettled.remove(order.number)
    }
  }

  // MARK: Opening

  /// The order for a purchase that is about to begin; it is not in the book yet.
  package func opening(
    _ draft: OrderDraft,
    policy: OrderPolicy,
    now: Date,
    newNumber: UUID
  ) throws(IAPError) -> Order {
    try Self.check(draft)
    let isBusy = unsettled.contains { number in
      // A clock that was set back must not block purchases for as long.
      guard let order = orders[number], order.state == .opened, order.inFlightUntil > now,
        order.inFlightUntil <= now + policy.inFlightSeconds
      else { return false }
      return policy.concurrency == .oneAtAll || order.productId == draft.productID
    }
    guard !isBusy || draft.origin == .offerCode else { throw .purchaseInProgress }
    let number = draft.number.map(Self.number(of:)) ?? OrderNumber(newNumber)
    var token = policy.userToken.map { AppAccountToken($0) } ?? number.accountToken
    if let text = draft.accountToken {
      token = try Self.token(of: text, policy)
    }
    if let known = orders[number] {
      return try Self.reopened(known, draft, policy: policy, now: now)
    }
    return Order(
      number: number,
      merchantNumber: draft.number.flatMap { OrderNumber($0) == nil ? $0 : nil },
      productId: draft.productID,
      quantity: draft.quantity,
      account: draft.account,
      accountToken: token,
      context: draft.context,
      createdAt: now,
      state: .opened,
      updatedAt: now,
      inFlightUntil: draft.origin == .offerCode ? now : now + policy.inFlightSeconds,
      begunAs: draft.origin
    )
  }

  private static func token(
    of text: String,
    _ policy: OrderPolicy
  ) throws(IAPError) -> AppAccountToken {
    if let token = AppAccountToken(text) { return token }
    guard policy.accountTexts == .derived else {
      throw .invalidOrder(reason: "the account token is no UUID")
    }
    guard !text.isEmpty, text.utf8.count <= numberBytesMax else {
      throw .invalidOrder(reason: "the account token is empty or too long")
    }
    return AppAccountToken(PurchaseOptions.accountToken(for: text))
  }

  private static func check(_ draft: OrderDraft) throws(IAPError) {
    guard (1...quantityMax).contains(draft.quantity) else {
      throw .invalidOrder(reason: "the quantity is not from 1 to \(quantityMax)")
    }
    if let number = draft.number {
      guard !number.isEmpty, number.utf8.count <= numberBytesMax else {
        throw .invalidOrder(reason: "the order number is empty or too long")
      }
    }
    let size = draft.context.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
    guard size <= contextBytesMax else {
      throw .invalidOrder(reason: "the context is longer than \(contextBytesMax) bytes")
    }
  }

  private static func reopened(
    _ known: Order,
    _ draft: OrderDraft,
    policy: OrderPolicy,
    now: Date
  ) throws(IAPError) -> Order {
    guard known.productId == draft.productID, known.quantity == draft.quantity else {
      throw .invalidOrder(reason: "an order of this number is for something else")
    }
    switch known.state {
    case .opened, .cancelled, .failed:
      var order = known
      order.move(to: .opened, now: now)
      order.inFlightUntil = now + policy.inFlightSeconds
      return order
    case .pending, .scheduled:
      throw .invalidOrder(reason: "the order of this number waits for somebody else")
    case .paid, .delivered, .quarantined, .refused:
      throw .invalidOrder(reason: "the order of this number is paid")
    }
  }

  // MARK: Joining

  /// The order that a transaction belongs to; nil when there is none.
  ///
  /// A renewal carries out the change of plan that was bought for it, and a restored copy of
  /// lasting goods brings what the order was opened for. Else by the token that came back; without
  /// one, which only StoreKit 1 leaves out, by product and quantity. An order that was closed
  /// unpaid is found for as long as the policy says.
  package func match(_ transaction: StoreTransaction, policy: OrderPolicy, now: Date) -> Order? {
    if let order = scheduled(for: transaction) { return order }
    if let order = copied(by: transaction, now) { return order }
    if transaction.offerType == .code, let order = redeemed(transaction, now) { return order }
    if let token = transaction.appAccountToken {
      if let order = orders[OrderNumber(token.rawValue)], order.accountToken == token {
        return order
      }
      return best(byToken[token] ?? [], transaction, policy: policy, now: now)
    }
    guard transaction.generation == .storekit1, isUnsolicited(transaction) else { return nil }
    let order = best(byProduct[transaction.productID] ?? [], transaction, policy: policy, now: now)
    if let order, !order.isClosedUnpaid { return order }
    return redeemed(transaction, now) ?? order
  }

  /// The change of plan that a renewal carries out.
  private func scheduled(for transaction: StoreTransaction) -> Order? {
    guard transaction.originalTransactionID.rawValue != transaction.transactionID.rawValue else {
      return nil
    }
    return (byProduct[transaction.productID] ?? []).compactMap { orders[$0] }
      .filter { $0.state == .scheduled && $0.transactionId == nil }
      .min { $0.createdAt < $1.createdAt }
  }

  /// The order whose lasting goods a restored copy stands for; those of a subscription's copies are
  /// told apart by nothing.
  ///
  /// A purchase that another device finished before this one saw it comes only as a copy: it is
  /// that of the order whose sheet was never seen to end, if the receipt says that it was bought
  /// since.
  private func copied(by transaction: StoreTransaction, _ now: Date) -> Order? {
    guard transaction.storeState == .restored,
      transaction.type == .nonConsumable || transaction.type == nil
    else { return nil }
    let original = transaction.originalTransactionID.rawValue
    let like = (byProduct[transaction.productID] ?? []).compactMap { orders[$0] }
    if let order = like.first(where: { $0.transactionId?.rawValue == original }) { return order }
    let open = like.filter { order in
      guard order.transactionId == nil else { return false }
      return order.state == .pending || order.state == .opened && order.inFlightUntil <= now
    }
    // The receipt is read only where it may matter.
    guard !open.isEmpty, let bought = transaction.restoredPurchaseDate else { return nil }
    return open.filter { bought > $0.createdAt - Self.copySecondsMax }
      .min { $0.createdAt < $1.createdAt }
  }

  /// The order of the code sheet that a transaction came from.
  private func redeemed(_ transaction: StoreTransaction, _ now: Date) -> Order? {
    codes.compactMap { orders[$0] }
      .filter { order in
        now < order.createdAt + Self.codeSecondsMax
          && transaction.purchaseDate > order.createdAt - Self.codeSecondsMax
      }
      .min { $0.createdAt < $1.createdAt }
  }

  /// Whether StoreKit 1 brings a new purchase with nothing of ours on it.
  private func isUnsolicited(_ transaction: StoreTransaction) -> Bool {
    transaction.storeState == .purchased && transaction.applicationUsername == nil
      && transaction.appAccountToken == nil
      && transaction.originalTransactionID.rawValue == transaction.transactionID.rawValue
  }

  /// The open order of a purchase that ended without a transaction; nil when there is none.
  package func matchOpen(
    token: AppAccountToken?,
    product: ProductID,
    quantity: Int
  ) -> Order? {
    let numbers = token.map { byToken[$0] ?? [] } ?? byProduct[product] ?? []
    return
      numbers.compactMap { orders[$0] }
      .filter { $0.productId == product && $0.quantity == quantity && $0.transactionId == nil }
      .filter { $0.state == .opened || $0.state == .pending }
      .min { $0.createdAt < $1.createdAt }
  }

  /// Open orders first, the oldest of them; then those closed unpaid, the newest.
  private func best(
    _ numbers: [OrderNumber],
    _ transaction: StoreTransaction,
    policy: OrderPolicy,
    now: Date
  ) -> Order? {
    let candidates = numbers.compactMap { orders[$0] }.filter { order in
      order.transactionId == nil && order.productId == transaction.productID
        && order.quantity == transaction.quantity
    }
    let open = candidates.filter { $0.state == .opened || $0.state == .pending }
    if let order = open.min(by: { $0.createdAt < $1.createdAt }) { return order }
    return
      candidates
      .filter { $0.isClosedUnpaid && now < $0.updatedAt + policy.reopenSeconds }
      .max { $0.updatedAt < $1.updatedAt }
  }

  // MARK: Following

  /// The order of a record, moved to where the record is; nil when nothing changes.
  package func following(_ record: TransactionRecord, policy: OrderPolicy, now: Date) -> Order? {
    guard let number = record.order, var order = orders[number] else { return nil }
    let transactionID = record.transaction.transactionID
    if order.transactionId == nil {
      let isLate = order.isClosedUnpaid && now >= order.updatedAt + policy.reopenSeconds
      if order.origin == .offerCode, order.productId.rawValue.isEmpty {
        order.productId = record.transaction.productID
      }
      guard !isLate, order.productId == record.transaction.productID else { return nil }
      order.transactionId = transactionID
    }
    guard order.transactionId == transactionID, let state = Order.State(record) else { return nil }
    guard order.state != state else { return nil }
    order.move(to: state, now: now)
    return order
  }
}

extension Order {
  /// Whether it ended without a payment.
  var isClosedUnpaid: Bool { state == .cancelled || state == .failed }

  package mutating func move(to state: State, now: Date, failure: IAPError? = nil) {
    self.state = state
    self.updatedAt = now
    self.failure = failure?.code.rawValue
  }
}

extension Order.State {
  /// Where the order of a record is; nil while the record says nothing about it.
  fileprivate init?(_ record: TransactionRecord) {
    switch record.state {
    case .held: return nil
    case .received, .accepted: self = .paid
    case .delivered, .finished: self = .delivered
    case .quarantined: self = .quarantined
    case .refused: self = .refused
    }
  }
}
