public import IAPKit

// Completion handlers, for apps that are not on async/await yet. Each method stands twice: the
// first form calls back on the main thread, the second wherever the caller wants.
extension IAPManager {
  // MARK: Products

  /// Loads products and calls back on the main thread.
  ///
  /// - Parameters:
  ///   - ids: Product ids, in any number; a repeated one counts once.
  ///   - completion: Gets the products in the order asked for, or why there is no answer.
  /// - Returns: The request, for a caller that loses interest.
  @discardableResult
  public func loadProducts(
    ids: [String],
    completion: @escaping @MainActor @Sendable (Result<[IAPProduct], IAPError>) -> Void
  ) -> IAPRequest {
    ask(completion) { manager in await manager.productResult(ids) }
  }

  /// Loads products.
  ///
  /// - Parameters:
  ///   - ids: Product ids, in any number; a repeated one counts once.
  ///   - queue: Where the callback arrives.
  ///   - completion: Gets the products in the order asked for, or why there is no answer.
  /// - Returns: The request, for a caller that loses interest.
  @discardableResult
  public func loadProducts(
    ids: [String],
    on queue: CallbackQueue,
    completion: @escaping @Sendable (Result<[IAPProduct], IAPError>) -> Void
  ) -> IAPRequest {
    ask(queue, completion) { manager in await manager.productResult(ids) }
  }

  // MARK: Buying

  /// Buys, and calls back on the main thread with how it ended.
  ///
  /// - Parameters:
  ///   - productId: The product's id.
  ///   - options: What the app says beside it.
  ///   - completion: Gets how it ended.
  /// - Returns: The request, for a caller that loses interest.
  @discardableResult
  public func buy(
    _ productId: String,
    options: PurchaseOptions = PurchaseOptions(),
    completion: @escaping @MainActor @Sendable (PurchaseOutcome) -> Void
  ) -> IAPRequest {
    ask(completion) { manager in await manager.buy(productId, options: options) }
  }

  /// Buys, and tells how it ended.
  ///
  /// - Parameters:
  ///   - productId: The product's id.
  ///   - options: What the app says beside it.
  ///   - queue: Where the callback arrives.
  ///   - completion: Gets how it ended.
  /// - Returns: The request, for a caller that loses interest.
  @discardableResult
  public func buy(
    _ productId: String,
    options: PurchaseOptions = PurchaseOptions(),
    on queue: CallbackQueue,
    completion: @escaping @Sendable (PurchaseOutcome) -> Void
  ) -> IAPRequest {
    ask(queue, completion) { manager in await manager.buy(productId, options: options) }
  }

  /// Buys one of a product, and calls back on the main thread.
  ///
  /// - Parameters:
  ///   - productId: The product's id.
  ///   - completion: Gets the transaction, or why there is none; `userCancelled` needs no message.
  /// - Returns: The request, for a caller that loses interest.
  @discardableResult
  public func purchase(
    productId: String,
    completion: @escaping @MainActor @Sendable (Result<IAPTransactionResult, IAPError>) -> Void
  ) -> IAPRequest {
    ask(completion) { manager in await manager.buy(productId).asResult }
  }

  /// Buys one of a product.
  ///
  /// - Parameters:
  ///   - productId: The product's id.
  ///   - queue: Where the callback arrives.
  ///   - completion: Gets the transaction, or why there is none; `userCancelled` needs no message.
  /// - Returns: The request, for a caller that loses interest.
  @discardableResult
  public func purchase(
    productId: String,
    on queue: CallbackQueue,
    completion: @escaping @Sendable (Result<IAPTransactionResult, IAPError>) -> Void
  ) -> IAPRequest {
    ask(queue, completion) { manager in await manager.buy(productId).asResult }
  }

  // MARK: Restoring

  /// Restores what the customer owns, and calls back on the main thread; for the user's tap only.
  ///
  /// - Parameter completion: Gets what became of each purchase.
  /// - Returns: The request, for a caller that loses interest.
  @discardableResult
  public func restore(
    completion: @escaping @MainActor @Sendable (RestoreSummary) -> Void
  ) -> IAPRequest {
    ask(completion) { manager in await manager.restoreSummary() }
  }

  /// Restores what the customer owns; for the user's tap only.
  ///
  /// - Parameters:
  ///   - queue: Where the callback arrives.
  ///   - completion: Gets what became of each purchase.
  /// - Returns: The request, for a caller that loses interest.
  @discardableResult
  public func restore(
    on queue: CallbackQueue,
    completion: @escaping @Sendable (RestoreSummary) -> Void
  ) -> IAPRequest {
    ask(queue, completion) { manager in await manager.restoreSummary() }
  }

  // MARK: Listening

  /// Tells of everything that becomes ready from now on; any number of callers may listen.
  ///
  /// - Parameter onTransaction: Called on the main thread, in order.
  /// - Returns: The request; cancel it to hear no more.
  @discardableResult
  public func listen(
    _ onTransaction: @escaping @MainActor @Sendable (IAPTransactionResult) -> Void
  ) -> IAPRequest {
    let request = IAPRequest()
    let stream = transactionStream
    request.listen {
      for await result in stream {
        await MainActor.run { if !request.isCancelled { onTransaction(result) } }
      }
    }
    return request
  }

  /// Tells of everything that becomes ready from now on; any number of callers may listen.
  ///
  /// - Parameters:
  ///   - queue: Where the callback arrives.
  ///   - onTransaction: Called in order, as far as the queue keeps it.
  /// - Returns: The request; cancel it to hear no more.
  @discardableResult
  public func listen(
    on queue: CallbackQueue,
    _ onTransaction: @escaping @Sendable (IAPTransactionResult) -> Void
  ) -> IAPRequest {
    let request = IAPRequest()
    let stream = transactionStream
    request.listen {
      for await result in stream {
        await queue.run { if !request.isCancelled { onTransaction(result) } }
      }
    }
    return request
  }
}

// MARK: Asking

extension IAPManager {
  func ask<Answer: Sendable>(
    _ completion: @escaping @MainActor @Sendable (Answer) -> Void,
    _ work: @escaping @Sendable (IAPManager) async -> Answer
  ) -> IAPRequest {
    let request = IAPRequest()
    Task { [self] in
      let answer = await work(self)
      await MainActor.run { if !request.isCancelled { completion(answer) } }
    }
    return request
  }

  func ask<Answer: Sendable>(
    _ queue: CallbackQueue,
    _ completion: @escaping @Sendable (Answer) -> Void,
    _ work: @escaping @Sendable (IAPManager) async -> Answer
  ) -> IAPRequest {
    let request = IAPRequest()
    Task { [self] in
      let answer = await work(self)
      await queue.run { if !request.isCancelled { completion(answer) } }
    }
    return request
  }

  func productResult(_ ids: [String]) async -> Result<[IAPProduct], IAPError> {
    do throws(IAPError) {
      return .success(try await products(ids: ids).products)
    } catch {
      return .failure(error)
    }
  }
}

extension PurchaseOutcome {
  var asResult: Result<IAPTransactionResult, IAPError> {
    do throws(IAPError) {
      return .success(try get())
    } catch {
      return .failure(error)
    }
  }
}
