import IAPModel

extension DeliveryFunnel {
  // MARK: Buying

  /// Opens an order, then the payment sheet, and follows the purchase until it is done or waits.
  ///
  /// - Parameters:
  ///   - draft: What is bought.
  ///   - sheet: Makes what the payment sheet gets, once the order is written.
  /// - Returns: What became of it.
  package func buy(
    _ draft: OrderDraft,
    sheet: @escaping SheetPreparation = { _ in SheetOptions() }
  ) async -> PurchaseOutcome {
    begin()
    guard adapter.canMakePayments() else { return .failed(.paymentsNotAllowed) }
    if let first = purchases[draft.productID] {
      guard configuration.orders.secondTap == .join else { return .failed(.purchaseInProgress) }
      return await first.value
    }
    guard purchases.isEmpty || configuration.orders.concurrency == .onePerProduct else {
      return .failed(.purchaseInProgress)
    }
    let task = Task {
      let outcome = await purchase(draft, sheet)
      purchases[draft.productID] = nil
      return outcome
    }
    purchases[draft.productID] = task
    return await task.value
  }

  private func purchase(
    _ draft: OrderDraft,
    _ sheet: SheetPreparation
  ) async -> PurchaseOutcome {
    let order: Order
    do throws(IAPError) {
      order = try store.open(draft, policy: configuration.orders)
    } catch {
      if case .storage = error { tell(.storageFailed(error)) }
      return .failed(error)
    }
    tell(.order(order))
    var request = StorePurchaseRequest(
      productID: order.productId,
      quantity: order.quantity,
      accountToken: order.accountToken
    )
    do throws(IAPError) {
      request.sheet = try await sheet(order)
    } catch {
      move(order, to: .failed, failure: error)
      return .failed(error)
    }
    let result = await adapter.purchase(request)
    return await conclude(result, order, usesOffer: request.sheet.offer != nil)
  }

  /// Follows a sheet that has ended until the purchase is done or waits.
  func conclude(
    _ result: StorePurchaseResult,
    _ order: Order,
    usesOffer: Bool
  ) async -> PurchaseOutcome {
    switch result {
    case .transaction(let transaction):
      return await follow(transaction, order, usesOffer: usesOffer)
    case .pending:
      move(order, to: .pending)
      return .pending(orderNumber: order.displayNumber)
    case .scheduled(let transaction):
      move(order, to: .scheduled)
      guard let transaction else { return .scheduled(nil) }
      _ = await process(transaction)
      return .scheduled(IAPTransactionResult(transaction, order: nil))
    case .failed(let error, let reference):
      let state: Order.State = error == .userCancelled ? .cancelled : .failed
      let isSaved = move(order, to: state, failure: error)
      if let reference { await finishFailed(reference, isSaved: isSaved) }
      return error == .userCancelled ? .cancelled : .failed(error)
    }
  }

  /// Opens an order, then the sheet for offer codes; what is redeemed arrives by itself.
  ///
  /// - Parameters:
  ///   - draft: What the app says about it.
  ///   - anchor: Where the sheet is shown.
  /// - Returns: The order.
  /// - Throws: Why there is no order, or no sheet.
  package func redeemCode(
    _ draft: OrderDraft,
    in anchor: StoreAnchor?
  ) async throws(IAPError) -> Order {
    begin()
    let order = try store.open(draft, policy: configuration.orders)
    tell(.order(order))
    do throws(IAPError) {
      try await adapter.redeemCode(in: anchor)
    } catch {
      move(order, to: error == .userCancelled ? .cancelled : .failed, failure: error)
      throw error
    }
    return order
  }

  private func follow(
    _ transaction: StoreTransaction,
    _ order: Order,
    usesOffer: Bool
  ) async -> PurchaseOutcome {
    var transaction = transaction
    if order.origin == .promoted { transaction.source = .promoted }
    // A telephone that has not seen the plan that runs has no receipt that shows it.
    if !transaction.takePaidProduct(), mayRequestReceipt(),
      let receipt = await adapter.refreshedReceipt()
    {
      transaction.proof = .receipt(receipt)
      _ = transaction.takePaidProduct()
    }
    // A change of plan, or an offer, for the next renewal is answered with the transaction of the
    // period that runs, which is not what this order pays for.
    let isItsOwn = transaction.productID == order.productId
    let isSettled = isItsOwn && transaction.isPaidProductKnown
    let progress = await process(transaction, order: isSettled ? order.number : nil)
    let outcome = PurchaseOutcome(progress)
    if !isItsOwn || isForLater(progress, outcome.result, order, usesOffer) {
      move(order, to: .scheduled)
      return .scheduled(outcome.result)
    }
    // The store answered with a purchase of before: nothing was paid for this order.
    if case .alreadyDelivered = progress { move(order, to: .cancelled) }
    return outcome
  }

  /// Whether StoreKit 1 gave a transaction of before the name that was asked for, or the offer is
  /// for the next renewal.
  private func isForLater(
    _ progress: DeliveryProgress,
    _ result: IAPTransactionResult?,
    _ order: Order,
    _ usesOffer: Bool
  ) -> Bool {
    if let result, result.productId != order.productId.rawValue { return true }
    if case .alreadyDelivered = progress { return usesOffer }
    return false
  }

  /// Whether the order's new state is durable.
  @discardableResult
  private func move(_ order: Order, to state: Order.State, failure: IAPError? = nil) -> Bool {
    do throws(IAPError) {
      if let moved = try store.move(order.number, to: state, failure: failure) {
        tell(.order(moved))
      }
      return true
    } catch {
      tell(.storageFailed(error))
      return false
    }
  }

  private func finishFailed(_ reference: StoreReference, isSaved: Bool) async {
    _ = await tellStore(reference, FinishPolicy.Facts(storeState: .failed, isSaved: isSaved))
  }

  // MARK: What arrives by itself

  /// Handles one signal of the adapter.
  ///
  /// It returns at once: a listener never waits for an element.
  package func receive(_ signal: StoreSignal) {
    begin()
    switch signal {
    case .transaction(let transaction):
      post(.arrived(transaction, order: nil), to: transaction.transactionID)
    case .failed(let failure):
      let state: Order.State = failure.error == .userCancelled ? .cancelled : .failed
      let isSaved = moveOpen(
        failure.accountToken,
        failure.productID,
        failure.quantity,
        to: state,
        failure: failure.error
      )
      tell(.purchaseFailed(failure.productID, failure.error))
      Task { await finishFailed(failure.reference, isSaved: isSaved) }
    case .deferred(let deferral):
      moveOpen(deferral.accountToken, deferral.productID, deferral.quantity, to: .pending)
    case .mark(let reached): reached()
    case .promoted(let purchase): promoted.send(purchase)
    }
  }

  @discardableResult
  private func moveOpen(
    _ token: AppAccountToken?,
    _ product: ProductID,
    _ quantity: Int,
    to state: Order.State,
    failure: IAPError? = nil
  ) -> Bool {
    do throws(IAPError) {
      let order = try store.moveOpen(
        token: token,
        product: product,
        quantity: quantity,
        to: state,
        failure: failure
      )
      if let order { tell(.order(order)) }
      return true
    } catch {
      tell(.storageFailed(error))
      return false
    }
  }

  // MARK: Restoring

  /// Asks the store for what the account owns, and brings every copy to its end.
  ///
  /// - Returns: How far each copy came.
  package func restore() async -> RestoreReport {
    begin()
    do throws(IAPError) {
      let copies = try await adapter.restore()
      var progress: [DeliveryProgress] = []
      await withTaskGroup(of: (Int, DeliveryProgress).self) { group in
        for (index, copy) in copies.enumerated() {
          group.addTask { (index, await self.process(copy)) }
        }
        var found: [(Int, DeliveryProgress)] = []
        for await one in group { found.append(one) }
        progress = found.sorted { $0.0 < $1.0 }.map(\.1)
      }
      tell(.restoreEnded(nil))
      return RestoreReport(progress: progress)
    } catch {
      tell(.restoreEnded(error))
      return RestoreReport(error: error)
    }
  }
}
