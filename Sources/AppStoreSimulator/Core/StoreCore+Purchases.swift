import Foundation
import IAPModel

extension StoreCore {
  /// Sells, asks, or refuses.
  mutating func purchase(
    _ request: PurchaseRequest,
    _ verdict: OfferProofVerdict,
    at now: Date
  ) throws(SimulatorError) -> PurchaseOutcome {
    let device = try device(request.device)
    let account = try account(device.account)
    let app = try app(device.bundleID)
    if let failure = failureOfReach(device.id) ?? faults.purchaseFailure {
      return .failed(failure)
    }
    if app.catalog.settings.failsTransactions { return .failed(.paymentFailed) }
    if let failure = spend(verdict, at: now) { return .failed(failure) }
    var request = request
    if case .introductory(let isAllowed, _) = verdict {
      request.introductoryIsAllowed = isAllowed
    }
    guard account.mayBuy else { return .failed(.paymentNotAllowed) }
    let decision = decide(request, account, app, at: now)
    guard case .sell = decision else {
      return try carryOut(decision, request, at: now, pending: nil)
    }
    guard account.paymentWorks else { return .failed(.paymentFailed) }
    if asksParent(request, account, app) {
      return .pending(ask(request, account, .askToBuy, at: now))
    }
    if faults.interruptsPurchases || app.catalog.settings.interruptsPurchases {
      _ = ask(request, account, .interruption, at: now)
      return .failed(.interrupted)
    }
    return try carryOut(decision, request, at: now, pending: nil)
  }

  /// Answers a question: approving sells, and every device of the account hears of it.
  mutating func answer(
    _ id: PendingID,
    _ answer: PendingPurchase.Answer,
    at now: Date
  ) throws(SimulatorError) -> PurchaseOutcome? {
    guard let pending = state.pending(id) else {
      throw SimulatorError(.unknownPending, "nothing waits under \"\(id)\"")
    }
    guard pending.answer == .waiting else {
      throw SimulatorError(.notAllowed, "\(id) was answered: \(pending.answer.rawValue)")
    }
    append(.answered(id, answer), at: now)
    let device = try device(pending.request.device)
    switch answer {
    case .waiting, .lapsed: return nil
    case .declined:
      tell(device.id, .declined(id))
      return nil
    case .approved:
      let decision = decide(
        pending.request,
        try account(pending.account),
        try app(device.bundleID),
        at: now
      )
      return try carryOut(decision, pending.request, at: now, pending: pending)
    }
  }

  /// Lets a question lapse when nobody has answered it.
  mutating func lapse(_ id: PendingID, at now: Date) {
    guard let pending = state.pending(id), pending.answer == .waiting else { return }
    append(.answered(id, .lapsed), at: now)
  }

  /// A nonce is good for one attempt, even for one that fails.
  private mutating func spend(_ verdict: OfferProofVerdict, at now: Date) -> StoreFailure? {
    let (nonce, failure): (UUID?, StoreFailure?) =
      switch verdict {
      case .notNeeded: (nil, nil)
      case .valid(let nonce), .introductory(_, let nonce): (nonce, nil)
      case .refused(let failure, let nonce): (nonce, failure)
      }
    guard let nonce else { return failure }
    guard !state.spentNonces.contains(nonce) else { return .invalidOfferSignature }
    append(.offerNonceSpent(nonce), at: now)
    return failure
  }

  private func asksParent(
    _ request: PurchaseRequest,
    _ account: AccountRecord,
    _ app: AppRecord
  ) -> Bool {
    if account.asksToBuy || app.catalog.settings.asksToBuy { return true }
    return request.simulatesAskToBuy && environment != .production
  }

  private mutating func ask(
    _ request: PurchaseRequest,
    _ account: AccountRecord,
    _ cause: PendingPurchase.Cause,
    at now: Date
  ) -> PendingID {
    let pending = PendingPurchase(
      id: identifiers.nextPending(),
      cause: cause,
      request: request,
      account: account.id,
      askedDate: now,
      answer: .waiting
    )
    append(.asked(pending), at: now)
    if cause == .askToBuy {
      perform(.wake(now.addingTimeInterval(options.askToBuyPeriod), .pending(pending.id)))
    }
    return pending.id
  }

  private func decide(
    _ request: PurchaseRequest,
    _ account: AccountRecord,
    _ app: AppRecord,
    at now: Date
  ) -> PurchaseDecision {
    let product = app.catalog[request.productID]
    var use = request.offerUse
    let code = code(of: request, in: app)
    if let code {
      if let failure = code.failure(request, account.id, at: now) { return .refuse(failure) }
      use = code.isForSubscription ? .code(OfferCode(code.offerName)) : nil
    }
    var holdings = PurchaseRule.Holdings()
    if let product, product.type == .nonConsumable {
      holdings.owned = state.held(by: account.id, in: app.bundleID).last {
        $0.productID == product.id
      }
    }
    if let group = product?.subscription?.groupID {
      holdings.subscription = state.ownSubscription(
        of: account.id,
        in: app.bundleID,
        group: group
      )
      holdings.subscribedProduct = holdings.subscription.flatMap {
        app.catalog[$0.period.productID]
      }
    }
    let decision = PurchaseRule.decide(
      product,
      quantity: request.quantity,
      offer: use,
      holdings: holdings
    )
    guard let code, !code.isForSubscription, case .sell(let kind, _) = decision else {
      return decision
    }
    return .sell(kind, offer: code.reference)
  }

  private mutating func carryOut(
    _ decision: PurchaseDecision,
    _ request: PurchaseRequest,
    at now: Date,
    pending: PendingPurchase?
  ) throws(SimulatorError) -> PurchaseOutcome {
    switch decision {
    case .refuse(let failure): return .failed(failure)
    case .keep(let id, let reason): return .unchanged(try transaction(id), reason)
    case .switchAutoRenewOn(let original):
      try act(on: original, .autoRenewSet(true), at: now)
      let held = try transaction(try subscription(original).period.transactionID)
      return .unchanged(held, .alreadySubscribed)
    case .schedule(let original, let product):
      // A change that was withdrawn only needs to be switched on again.
      if try subscription(original).renewalProductID == product {
        try act(on: original, .autoRenewSet(true), at: now)
      }
      try act(on: original, .renewalProductSet(product), at: now)
      let held = try transaction(try subscription(original).period.transactionID)
      return .unchanged(held, .changeScheduled)
    case .scheduleOffer(let original, let product, let offer):
      redeemCode(of: request, at: now)
      let scheduled = ScheduledOffer(offer: offer, startsAfterRunning: false)
      try act(on: original, .offerScheduled(scheduled, product), at: now)
      let held = try transaction(try subscription(original).period.transactionID)
      return .unchanged(held, .offerScheduled)
    case .sell(let kind, let offer):
      let record = try sell(request, kind, offer, at: now, pending: pending)
      redeemCode(of: request, at: now)
      append(.receiptRefreshed(request.device), at: now)
      let cause: TransactionCause
      switch pending?.cause {
      case nil: cause = .purchasedElsewhere
      case .askToBuy?: cause = .approved(record.pending ?? "")
      case .interruption?: cause = .resumed
      }
      tellDevices(
        of: record.account,
        with: record.bundleID,
        except: pending == nil ? request.device : nil,
        .transaction(record, cause)
      )
      return .purchased(record)
    }
  }
}
