import IAPModel

// Purchases whose sheet is opened by a view of the system, not by us: SwiftUI's store views.
extension DeliveryFunnel {
  /// Writes the order of a sheet that is about to open.
  ///
  /// The view cannot be told to wait: an order of the product whose end is not known is joined.
  ///
  /// - Parameter draft: What is bought.
  /// - Returns: The order.
  /// - Throws: Why there is none; the sheet opens all the same.
  package func openForView(_ draft: OrderDraft) throws(IAPError) -> Order {
    begin()
    do throws(IAPError) {
      let order = try store.open(draft, policy: configuration.orders)
      tell(.order(order))
      return order
    } catch {
      if case .storage = error { tell(.storageFailed(error)) }
      guard error == .purchaseInProgress, let open = openOrder(draft) else { throw error }
      return open
    }
  }

  /// Takes how such a sheet ended, and follows the purchase until it is done or waits.
  ///
  /// - Parameters:
  ///   - result: How it ended.
  ///   - number: The order that was written before; nil for one of a view that did not ask for it.
  ///   - draft: What was bought.
  /// - Returns: What became of it.
  package func closeForView(
    _ result: StorePurchaseResult,
    of number: OrderNumber?,
    _ draft: OrderDraft
  ) async -> PurchaseOutcome {
    begin()
    do throws(IAPError) {
      let order: Order
      if let known = number.flatMap({ store.order($0) }) ?? openOrder(draft) {
        order = known
      } else {
        order = try openForView(draft)
      }
      return await conclude(result, order, usesOffer: false)
    } catch {
      // There is no order, and yet it may be paid for.
      switch result {
      case .transaction(let transaction), .scheduled(let transaction?):
        return PurchaseOutcome(await process(transaction))
      case .failed(.userCancelled, _): return .cancelled
      case .pending, .scheduled(nil), .failed: return .failed(error)
      }
    }
  }

  private func openOrder(_ draft: OrderDraft) -> Order? {
    store.waitingOrders.last { order in
      order.state == .opened && order.productId == draft.productID
        && order.quantity == draft.quantity && order.origin == draft.origin
    }
  }
}
