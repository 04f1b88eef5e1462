import Foundation
import IAPKit
import IAPModel

/// The books of a fake store: a value, so that everything in it is decided at once.
struct FakeLedger {
  /// A purchase that somebody else has to approve.
  struct Question {
    var productID: ProductID
    var quantity: Int
    var token: AppAccountToken?
  }

  /// A subscription of the customer.
  struct Line {
    var group: String
    var productID: ProductID
    /// What it renews to.
    var nextProductID: ProductID
    var originalID: OriginalTransactionID
    var latest: TransactionID
    var token: AppAccountToken?
    var expires: Date
    var renews = true
    /// The offer in use, and for how many further periods.
    var offer: (terms: IAPOffer, periodsLeft: Int)?
  }

  let generation: StoreGeneration
  var products: [IAPProduct]
  /// Every transaction, oldest first.
  private(set) var transactions: [StoreTransaction] = []
  private(set) var unfinished: [TransactionID] = []
  private(set) var questions: [Question] = []
  private(set) var lines: [String: Line] = [:]
  private var nextNumber = 2_000_000_000_000_001

  init(products: [IAPProduct], generation: StoreGeneration) {
    self.products = products
    self.generation = generation
  }

  // MARK: Looking

  func product(_ id: ProductID) throws(FakeStoreError) -> IAPProduct {
    guard let product = products.first(where: { $0.id == id.rawValue }) else {
      throw FakeStoreError(code: .unknownProduct, subject: id.rawValue)
    }
    return product
  }

  func transaction(_ id: TransactionID) throws(FakeStoreError) -> StoreTransaction {
    guard let found = transactions.first(where: { $0.transactionID == id }) else {
      throw FakeStoreError(code: .unknownTransaction, subject: id.rawValue)
    }
    return found
  }

  func waiting(source: TransactionSource) -> [StoreTransaction] {
    transactions.filter { unfinished.contains($0.transactionID) }.map { $0.from(source) }
  }

  /// What the customer owns at a date: the newest transaction of each purchase.
  func owned(at now: Date) -> [StoreTransaction] {
    var seen: Set<OriginalTransactionID> = []
    let newestFirst = transactions.reversed().filter { transaction in
      transaction.type != .consumable && transaction.revocationDate == nil
        && transaction.expiresDate.map { $0 > now } ?? true && !transaction.isUpgraded
    }
    return newestFirst.filter { seen.insert($0.originalTransactionID).inserted }.reversed()
  }

  func line(of productID: ProductID) throws(FakeStoreError) -> Line {
    let group = try product(productID).groupName
    guard let line = lines[group], line.productID == productID || line.nextProductID == productID
    else { throw FakeStoreError(code: .notSubscribed, subject: productID.rawValue) }
    return line
  }

  /// When the first subscription renews.
  var nextRenewal: Date? { lines.values.filter(\.renews).map(\.expires).min() }

  // MARK: Selling

  /// Takes down that somebody else has to approve.
  mutating func ask(_ question: Question) { questions.append(question) }

  /// The first open question about a product, which is open no more.
  mutating func answerQuestion(about id: ProductID) throws(FakeStoreError) -> Question {
    guard let index = questions.firstIndex(where: { $0.productID == id }) else {
      throw FakeStoreError(code: .nothingPending, subject: id.rawValue)
    }
    return questions.remove(at: index)
  }

  /// Sells, or finds what the customer has already.
  mutating func sell(_ sale: FakeSale, at now: Date) throws(FakeStoreError) -> StorePurchaseResult {
    let product = try product(sale.productID)
    switch product.type {
    case .nonConsumable?:
      if let owned = owned(at: now).first(where: { $0.productID == sale.productID }) {
        return .transaction(owned.from(sale.source))
      }
      return .transaction(add(sale, product, at: now))
    case .autoRenewable?: return try subscribe(sale, product, at: now)
    default: return .transaction(add(sale, product, at: now))
    }
  }

  private mutating func subscribe(
    _ sale: FakeSale,
    _ product: IAPProduct,
    at now: Date
  ) throws(FakeStoreError) -> StorePurchaseResult {
    let group = product.groupName
    guard var line = lines[group], line.expires > now else {
      return .transaction(begin(sale, product, at: now))
    }
    let current = try transaction(line.latest)
    if line.productID == sale.productID, sale.offer == nil {
      line.nextProductID = sale.productID
      line.renews = true
      lines[group] = line
      return .transaction(current.from(sale.source))
    }
    let held = try self.product(line.productID)
    let isUpgrade = (product.subscriptionGroupLevel ?? 1) < (held.subscriptionGroupLevel ?? 1)
    let isCrossgrade =
      product.subscriptionGroupLevel == held.subscriptionGroupLevel
      && product.subscriptionPeriod == held.subscriptionPeriod
    guard isUpgrade || isCrossgrade || line.productID == sale.productID else {
      line.nextProductID = sale.productID
      line.renews = true
      lines[group] = line
      return .scheduled(current.from(sale.source))
    }
    change(line.latest) { $0.isUpgraded = isUpgrade }
    return .transaction(begin(sale, product, original: line.originalID, at: now))
  }

  /// Begins a subscription's period from now on.
  private mutating func begin(
    _ sale: FakeSale,
    _ product: IAPProduct,
    original: OriginalTransactionID? = nil,
    at now: Date
  ) -> StoreTransaction {
    let group = product.groupName
    let earlier = original ?? lines[group]?.originalID
    let offer = sale.offer ?? (earlier == nil ? product.introductoryOffer : nil)
    let sold = add(sale, product, original: earlier, offer: offer, at: now)
    lines[group] = Line(
      group: group,
      productID: sale.productID,
      nextProductID: sale.productID,
      originalID: sold.originalTransactionID,
      latest: sold.transactionID,
      token: sale.token,
      expires: sold.expiresDate ?? now,
      offer: offer.flatMap { $0.periodsAfterFirst > 0 ? ($0, $0.periodsAfterFirst) : nil }
    )
    return sold
  }

  /// Renews every subscription whose time has come.
  mutating func renewDue(at now: Date) -> [StoreTransaction] {
    var renewed: [StoreTransaction] = []
    let due = lines.values.filter { $0.renews && $0.expires <= now }
    for var line in due.sorted(by: { ($0.expires, $0.group) < ($1.expires, $1.group) }) {
      guard let product = try? product(line.nextProductID) else { continue }
      let sale = FakeSale(productID: line.nextProductID, token: line.token, source: .updates)
      let sold = add(
        sale,
        product,
        original: line.originalID,
        offer: line.offer?.terms,
        at: line.expires
      )
      line.productID = line.nextProductID
      line.latest = sold.transactionID
      line.expires = sold.expiresDate ?? line.expires
      if let offer = line.offer {
        line.offer = offer.periodsLeft > 1 ? (offer.terms, offer.periodsLeft - 1) : nil
      }
      lines[line.group] = line
      renewed.append(sold)
    }
    return renewed
  }

  private mutating func add(
    _ sale: FakeSale,
    _ product: IAPProduct,
    original: OriginalTransactionID? = nil,
    offer: IAPOffer? = nil,
    at now: Date
  ) -> StoreTransaction {
    let id = TransactionID("\(nextNumber)")
    nextNumber += 1
    var sold = StoreTransaction(
      transactionID: id,
      originalTransactionID: original ?? OriginalTransactionID(id.rawValue),
      productID: sale.productID,
      purchaseDate: now,
      proof: .receipt(nil),
      verification: sale.isVerified
        ? (generation == .storekit2 ? .verified : .unchecked)
        : .unverified(reason: "a fake signature that is wrong"),
      source: sale.source,
      generation: generation
    )
    sold.type = product.type
    sold.quantity = sale.quantity
    sold.appAccountToken = sale.token
    sold.environment = .xcode
    sold.ownership = sale.isFamilyShared ? .familyShared : .purchased
    if product.type == .autoRenewable {
      sold.subscriptionGroupID = product.subscriptionGroupID.map { SubscriptionGroupID($0) }
      sold.webOrderLineItemID = WebOrderLineItemID("\(nextNumber)")
      sold.expiresDate = (offer?.lengthOfFirst ?? product.subscriptionPeriod)?.end(from: now)
    }
    sold.offerType = offer?.type
    sold.offerID = offer?.id.map { OfferID($0) }
    sold.price = Money(
      milliunits: (offer?.price ?? product.price).milliunits * Int64(sale.quantity),
      currency: product.currency ?? "USD"
    )
    sold.sign(at: now)
    transactions.append(sold)
    unfinished.append(id)
    return sold
  }

  // MARK: Changing

  mutating func finish(_ id: TransactionID) { unfinished.removeAll { $0 == id } }

  mutating func setLine(_ line: Line) { lines[line.group] = line }

  /// Takes a purchase back, or gives it again.
  ///
  /// - Returns: The transaction as it is announced; a revoked subscription ends.
  mutating func revoke(
    _ id: TransactionID,
    reason: RevocationReason?,
    at date: Date?,
    now: Date
  ) throws(FakeStoreError) -> StoreTransaction {
    let found = try transaction(id)
    change(id) { transaction in
      transaction.revocationDate = date
      transaction.revocationReason = reason
      transaction.sign(at: now)
    }
    if date != nil {
      for (group, line) in lines where line.originalID == found.originalTransactionID {
        lines[group]?.renews = false
        lines[group]?.expires = min(line.expires, now)
      }
    }
    if !unfinished.contains(id) { unfinished.append(id) }
    return try transaction(id).from(.updates)
  }

  private mutating func change(_ id: TransactionID, _ body: (inout StoreTransaction) -> Void) {
    guard let index = transactions.firstIndex(where: { $0.transactionID == id }) else { return }
    body(&transactions[index])
  }
}
