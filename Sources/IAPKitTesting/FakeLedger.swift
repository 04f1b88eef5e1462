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
    /// How the next charge fails, when it does.
    var failure: ChargeFailure?
    /// Whether a charge has failed and is tried again.
    var isInRetry = false
    /// Until when access goes on meanwhile.
    var graceUntil: Date?
    /// The price that the customer pays, where it is not the product's.
    var price: Decimal?
    /// What the next period costs, when that is another price, and whether the customer agreed.
    var increase: (price: Decimal, status: PriceIncreaseStatus)?
    /// Why it ended.
    var ended: ExpirationIntent?
    /// When the store changed it last.
    var changedAt: Date
  }

  /// A charge that fails.
  struct ChargeFailure {
    /// For how many seconds access goes on.
    var grace: TimeInterval
  }

  let generation: StoreGeneration
  var products: [IAPProduct]
  /// Every transaction, oldest first.
  private(set) var transactions: [StoreTransaction] = []
  private(set) var unfinished: [TransactionID] = []
  private(set) var questions: [Question] = []
  private(set) var lines: [String: Line] = [:]
  private var nextNumber = 2_000_000_000_000_001
  private var lastStamp = Date.distantPast

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

  /// When the first subscription renews, ends, or is let go.
  var nextRenewal: Date? { lines.values.compactMap(\.nextMoment).min() }

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
      setLine(line, at: now)
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
      setLine(line, at: now)
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
    let mayTry = sale.isIntroductory ?? (earlier == nil)
    let offer = sale.offer ?? (mayTry ? product.introductoryOffer : nil)
    let sold = add(sale, product, original: earlier, offer: offer, at: now)
    lines[group] = Line(
      group: group,
      productID: sale.productID,
      nextProductID: sale.productID,
      originalID: sold.originalTransactionID,
      latest: sold.transactionID,
      token: sale.token,
      expires: sold.expiresDate ?? now,
      offer: offer.flatMap { $0.periodsAfterFirst > 0 ? ($0, $0.periodsAfterFirst) : nil },
      changedAt: stamp(now)
    )
    return sold
  }

  /// Renews every subscription whose time has come, or lets it fail or end.
  mutating func renewDue(at now: Date) -> [StoreTransaction] {
    var renewed: [StoreTransaction] = []
    let due = lines.values.filter { $0.nextMoment.map { $0 <= now } ?? false }
    for var line in due.sorted(by: { ($0.expires, $0.group) < ($1.expires, $1.group) }) {
      if line.isInRetry {
        line.graceUntil = nil
        setLine(line, at: now)
      } else if let failure = line.failure {
        line.failure = nil
        line.isInRetry = true
        line.graceUntil = failure.grace > 0 ? line.expires.addingTimeInterval(failure.grace) : nil
        setLine(line, at: now)
      } else if line.increase?.status == .pending {
        line.renews = false
        line.ended = .didNotConsentToPriceIncrease
        setLine(line, at: now)
      } else if let sold = renew(line, from: line.expires, at: now) {
        renewed.append(sold)
      } else {
        // What it renews to is not sold any more.
        line.renews = false
        line.ended = .productUnavailable
        setLine(line, at: now)
      }
    }
    return renewed
  }

  /// Charges the next period; nil when its product is not sold any more.
  mutating func renew(_ line: Line, from start: Date, at now: Date) -> StoreTransaction? {
    var line = line
    guard let product = try? product(line.nextProductID) else { return nil }
    var sale = FakeSale(productID: line.nextProductID, token: line.token, source: .updates)
    sale.price = line.increase?.price ?? line.price
    let sold = add(sale, product, original: line.originalID, offer: line.offer?.terms, at: start)
    line.productID = line.nextProductID
    line.latest = sold.transactionID
    line.expires = sold.expiresDate ?? line.expires
    if let offer = line.offer {
      line.offer = offer.periodsLeft > 1 ? (offer.terms, offer.periodsLeft - 1) : nil
    }
    line.price = sale.price
    line.increase = nil
    line.isInRetry = false
    line.graceUntil = nil
    setLine(line, at: now)
    return sold
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
      milliunits: (offer?.price ?? sale.price ?? product.price).milliunits * Int64(sale.quantity),
      currency: product.currency ?? "USD"
    )
    sold.sign(at: now)
    transactions.append(sold)
    unfinished.append(id)
    return sold
  }

  // MARK: Changing

  mutating func finish(_ id: TransactionID) { unfinished.removeAll { $0 == id } }

  mutating func setLine(_ line: Line, at now: Date) {
    var line = line
    line.changedAt = stamp(now)
    lines[line.group] = line
  }

  /// When the store signs; of two changes at one moment the second counts.
  private mutating func stamp(_ now: Date) -> Date {
    lastStamp = max(now, lastStamp.addingTimeInterval(0.001))
    return lastStamp
  }

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
      for var line in lines.values where line.originalID == found.originalTransactionID {
        line.renews = false
        line.expires = min(line.expires, now)
        setLine(line, at: now)
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
