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
  }

  /// Makes a transaction and all that follows from it.
  mutating func sell(
    _ request: PurchaseRequest,
    _ kind: SaleKind,
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
      return try sellSubscription(&sale, subscription, kind, at: now)
    }
    let record = make(sale, at: now)
    append(.sold(record), at: now)
    notify(.oneTimeCharge, nil, about: record, at: now)
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
    let conditions = OfferRule.renewal(of: product, plan, after: subscription.period)
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
    try act(
      on: subscription.originalTransactionID,
      .periodBought(period(record, anchor, conditions.periodsLeft), kind),
      at: now
    )
    tellDevices(of: record.account, with: record.bundleID, .transaction(record, .renewed))
  }

  private mutating func sellSubscription(
    _ sale: inout Sale,
    _ plan: CatalogSubscription,
    _ kind: SaleKind,
    at now: Date
  ) throws(SimulatorError) -> StoreTransactionRecord {
    let (account, app) = (sale.account.id, sale.app.bundleID)
    let hadOffer = state.held(by: account, in: app).contains {
      $0.usedIntroductoryOffer(in: plan.groupID)
    }
    let periodKind: PeriodKind
    switch kind {
    case .first: periodKind = .first
    case .resubscribe(let original): (sale.original, periodKind) = (original, .resubscribed)
    case .upgrade(let original): (sale.original, periodKind) = (original, .upgraded)
    }
    let conditions = OfferRule.firstPeriod(
      of: sale.product,
      plan,
      isEligible: !hadOffer && periodKind != .upgraded
    )
    let anchor = calendar.anchor(from: now, of: conditions.period, after: nil)
    sale.end = calendar.end(of: anchor)
    sale.priceMilliunits = conditions.priceMilliunits
    sale.offer = conditions.offer
    let record = make(sale, at: now)
    let period = period(record, anchor, conditions.periodsLeft)
    let original = record.originalTransactionID
    let superseded = state.subscription(original)?.period.transactionID
    append(.sold(record), at: now)
    if state.subscription(original) == nil {
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
    if periodKind == .upgraded, let superseded {
      append(.upgraded(superseded), at: now)
      tellDevices(of: account, with: app, .transaction(try transaction(superseded), .upgraded))
    }
    try act(on: original, .periodBought(period, periodKind), at: now)
    return record
  }

  private func period(
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

  private mutating func make(_ sale: Sale, at now: Date) -> StoreTransactionRecord {
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
      ownership: .purchased,
      offer: sale.offer,
      storefront: sale.account.storefront,
      priceMilliunits: sale.priceMilliunits,
      device: sale.request?.device,
      pending: sale.pending,
      modifiedDate: state.nextStamp(at: now),
      restoredFrom: nil
    )
  }
}

extension StoreTransactionRecord {
  // Not inlined: in the closure above it ends the optimiser of Swift 6.3.1 with an error.
  @inline(never)
  fileprivate func usedIntroductoryOffer(in group: SubscriptionGroupID) -> Bool {
    groupID == group && offer?.type == .introductory
  }
}
