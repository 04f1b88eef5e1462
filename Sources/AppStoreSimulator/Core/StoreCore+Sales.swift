import Foundation
import IAPModel

extension StoreCore {
  /// What a transaction is made from.
  struct Sale {
    var account: AccountRecord
    var app: AppRecord
    var product: CatalogProduct
    var original: OriginalTransactionID?
    var quantity = 1
    var start: Date
    var end: Date?
    var priceMilliunits: Int64
    var offer: AppliedOffer?
    var reason = TransactionReason.purchase
    var request: PurchaseRequest?
    var token: AppAccountToken?
    var pending: PendingID?
    var ownership = OwnershipType.purchased
    var sharedFrom: TransactionID?
  }

  /// Makes a transaction and all that follows from it.
  mutating func sell(
    _ request: PurchaseRequest,
    _ kind: SaleKind,
    _ offer: OfferReference?,
    at now: Date,
    pending: PendingPurchase?
  ) throws(SimulatorError) -> StoreTransactionRecord {
    let device = try device(request.device)
    let app = try app(device.bundleID)
    guard let product = app.catalog[request.productID] else {
      throw SimulatorError(.unknownProduct, "\(app.bundleID) has no \"\(request.productID)\"")
    }
    var sale = Sale(
      account: try account(device.account),
      app: app,
      product: product,
      quantity: request.quantity,
      start: now,
      priceMilliunits: product.priceMilliunits * Int64(request.quantity),
      request: request,
      token: request.token,
      pending: pending?.id
    )
    if let subscription = product.subscription {
      return try sellSubscription(&sale, subscription, kind, offer, at: now)
    }
    if let offer, let code = code(of: request, in: app) { apply(code, offer, to: &sale) }
    let record = make(sale, at: now)
    append(.sold(record), at: now)
    notify(.oneTimeCharge, nil, about: record, at: now)
    try share(record, nil, at: now)
    return record
  }

  /// Makes the transaction of a renewal or recovery.
  mutating func renew(
    _ subscription: SubscriptionRecord,
    to productID: ProductID,
    from start: Date,
    _ kind: PeriodKind,
    at now: Date
  ) throws(SimulatorError) {
    let app = try app(subscription.bundleID)
    guard let product = app.catalog[productID], let plan = product.subscription else {
      throw SimulatorError(.unknownProduct, "\(app.bundleID) has no subscription \"\(productID)\"")
    }
    let running = state.transaction(subscription.period.transactionID)?.offer?.reference
    let conditions = OfferRule.renewal(
      of: product,
      plan,
      after: subscription,
      running: running
    )
    let anchor = calendar.anchor(
      from: start,
      of: conditions.period,
      after: subscription.period
    )
    let sale = Sale(
      account: try account(subscription.account),
      app: app,
      product: product,
      original: subscription.originalTransactionID,
      start: start,
      end: calendar.end(of: anchor),
      priceMilliunits: conditions.priceMilliunits,
      offer: conditions.offer,
      reason: .renewal,
      token: subscription.appAccountToken
    )
    let record = make(sale, at: now)
    append(.sold(record), at: now)
    let bought = period(record, anchor, conditions.periodsLeft)
    try act(on: subscription.originalTransactionID, .periodBought(bought, kind), at: now)
    tellDevices(of: record.account, with: record.bundleID, .transaction(record, .renewed))
    try share(record, (bought, kind), at: now)
  }

  private mutating func sellSubscription(
    _ sale: inout Sale,
    _ plan: CatalogSubscription,
    _ kind: SaleKind,
    _ offer: OfferReference?,
    at now: Date
  ) throws(SimulatorError) -> StoreTransactionRecord {
    let (account, app) = (sale.account.id, sale.app.bundleID)
    let periodKind: PeriodKind
    switch kind {
    case .first: periodKind = .first
    case .resubscribe(let original): (sale.original, periodKind) = (original, .resubscribed)
    case .upgrade(let original):
      (sale.original, periodKind) = (original, offer == nil ? .upgraded : .upgradedWithOffer)
    }
    let isNew = periodKind == .first || periodKind == .resubscribed
    let isEligible = isNew && mayHaveIntroductoryOffer(sale, plan)
    // A stackable code waits behind the introductory offer.
    let code = offer.flatMap { $0.type == .code ? plan.offer($0) : nil }
    let stacks = isEligible && plan.introductoryOffer != nil && code?.isStackable == true
    let conditions = OfferRule.firstPeriod(
      of: sale.product,
      plan,
      offer: stacks ? nil : offer,
      isEligible: isEligible
    )
    let anchor = calendar.anchor(from: now, of: conditions.period, after: nil)
    sale.end = calendar.end(of: anchor)
    sale.priceMilliunits = conditions.priceMilliunits
    sale.offer = conditions.offer
    let record = make(sale, at: now)
    let period = period(record, anchor, conditions.periodsLeft)
    let original = record.originalTransactionID
    let old = state.subscription(original)
    append(.sold(record), at: now)
    if old == nil {
      append(
        .subscriptionBegan(
          SubscriptionRecord(
            original: original,
            account: account,
            bundleID: app,
            groupID: plan.groupID,
            period: period
          )
        ),
        at: now
      )
    }
    if !isNew, let old { try supersede(old, at: now) }
    try act(on: original, .periodBought(period, periodKind), at: now)
    if stacks, let offer { try act(on: original, .offerStacked(offer), at: now) }
    try share(record, (period, periodKind), at: now)
    return record
  }

  /// Who never had an introductory offer in the group, unless the app's server says otherwise.
  private func mayHaveIntroductoryOffer(_ sale: Sale, _ plan: CatalogSubscription) -> Bool {
    if let word = sale.request?.introductoryIsAllowed { return word }
    return !state.held(by: sale.account.id, in: sale.app.bundleID).contains {
      $0.usedIntroductoryOffer(in: plan.groupID)
    }
  }

  /// Marks what a higher level takes the place of: the newest period, and the present one when
  /// the newest was charged ahead.
  mutating func supersede(_ old: SubscriptionRecord, at now: Date) throws(SimulatorError) {
    let running = old.isPreviousRefunded ? nil : old.previousPeriod
    let periods = [running, old.period].compactMap { $0 }.filter { $0.end > now }
    let newest = periods.isEmpty ? [old.period] : periods
    for period in newest {
      append(.upgraded(period.transactionID), at: now)
      if options.revokesUpgraded {
        append(.refunded(period.transactionID, Revocation(reason: .other)), at: now)
      }
      let record = try transaction(period.transactionID)
      tellDevices(of: old.account, with: old.bundleID, .transaction(record, .upgraded))
    }
  }

  func period(
    _ record: StoreTransactionRecord,
    _ anchor: BillingAnchor,
    _ periodsLeft: Int
  ) -> BillingPeriod {
    BillingPeriod(
      transactionID: record.transactionID,
      productID: record.productID,
      start: record.purchaseDate,
      end: record.expiresDate ?? record.purchaseDate,
      anchor: anchor,
      introductoryPeriodsLeft: periodsLeft
    )
  }

  mutating func make(_ sale: Sale, at now: Date) -> StoreTransactionRecord {
    let id = identifiers.nextTransaction()
    let original = sale.original ?? OriginalTransactionID(id.rawValue)
    let first = state.transaction(TransactionID(original.rawValue))
    let isSubscription = sale.product.subscription != nil
    return StoreTransactionRecord(
      transactionID: id,
      originalTransactionID: original,
      webOrderLineItemID: isSubscription ? identifiers.nextLineItem() : nil,
      account: sale.account.id,
      bundleID: sale.app.bundleID,
      productID: sale.product.id,
      type: sale.product.type,
      groupID: sale.product.subscription?.groupID,
      purchaseDate: sale.start,
      originalPurchaseDate: first?.purchaseDate ?? sale.start,
      expiresDate: sale.end,
      quantity: sale.quantity,
      appAccountToken: sale.token,
      applicationUsername: sale.request?.applicationUsername,
      reason: sale.reason,
      ownership: sale.ownership,
      offer: sale.offer,
      storefront: sale.account.storefront,
      priceMilliunits: sale.priceMilliunits,
      device: sale.request?.device,
      pending: sale.pending,
      modifiedDate: state.nextStamp(at: now),
      restoredFrom: nil,
      sharedFrom: sale.sharedFrom
    )
  }
}
