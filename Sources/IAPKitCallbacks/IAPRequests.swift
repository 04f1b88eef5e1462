public import Foundation
public import IAPKit

/// Hears what became of one request, and of no other.
///
/// It is called on the main thread, and held weakly: a screen that is gone hears nothing.
@MainActor
#if canImport(ObjectiveC)
@objc
#endif
public protocol IAPRequestDelegate: AnyObject, Sendable {
  /// The products that were asked for.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - products: The products that the store knows, in the order asked for.
  ///   - missing: The ids that it does not know.
  func request(_ request: IAPRequest, didLoad products: [ProductItem], missing: [String])

  /// A purchase was handed over, or a restore has ended.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - transactions: The purchase; all of them after a restore, none when there was nothing.
  func request(_ request: IAPRequest, didFinishWith transactions: [TransactionItem])

  /// A purchase is paid or waits for somebody, and its goods come by themselves.
  ///
  /// - Parameter request: The request.
  func requestIsPending(_ request: IAPRequest)

  /// The customer closed the sheet; show nothing.
  ///
  /// - Parameter request: The request.
  func requestWasCancelled(_ request: IAPRequest)

  /// It did not work.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - error: Why, as `IAPError.foundationError`.
  func request(_ request: IAPRequest, didFailWith error: NSError)
}

/// Sells by delegates and by blocks of Objective-C; the client keeps the products, so that callers
/// keep nothing.
///
/// - **Concurrency:** may be called from any thread; it calls back on the main one.
#if canImport(ObjectiveC)
@objcMembers
#endif
public final class IAPRequests: NSObject, Sendable {
  /// The client.
  public let manager: IAPManager

  /// Makes the layer over a client.
  ///
  /// - Parameter manager: The client.
  public init(manager: IAPManager) {
    self.manager = manager
    super.init()
  }

  /// A product that the client has loaded, by whomever it was asked.
  ///
  /// - Parameter id: The product's id.
  /// - Returns: The product; nil before it was loaded, and since the storefront is another one.
  public func product(_ id: String) -> ProductItem? {
    manager.loadedProduct(id).map { ProductItem($0) }
  }

  /// Every product that the client has loaded so far, by id.
  public var products: [ProductItem] { manager.loadedProducts.map { ProductItem($0) } }

  // MARK: Delegates

  /// Loads products; the client keeps them.
  ///
  /// - Parameters:
  ///   - ids: Product ids; none for those of the configuration.
  ///   - delegate: Hears of this request.
  /// - Returns: The request, which the delegate is called with.
  @discardableResult
  public func loadProducts(
    _ ids: [String] = [],
    delegate: any IAPRequestDelegate
  ) -> IAPRequest {
    begin(delegate) { [self] in
      do throws(IAPError) {
        let answer = try await load(ids)
        let items = answer.products.map { ProductItem($0) }
        return { $0.request($1, didLoad: items, missing: answer.missing) }
      } catch {
        return Self.failure(error)
      }
    }
  }

  /// Buys one of a product.
  ///
  /// - Parameters:
  ///   - productId: The product's id.
  ///   - delegate: Hears of this request.
  /// - Returns: The request, which the delegate is called with.
  @discardableResult
  public func purchase(_ productId: String, delegate: any IAPRequestDelegate) -> IAPRequest {
    begin(delegate) { [manager] in
      switch await manager.buy(productId) {
      case .delivered(let result), .alreadyOwned(let result):
        let item = TransactionItem(result)
        return { $0.request($1, didFinishWith: [item]) }
      case .processing, .pending, .scheduled: return { $0.requestIsPending($1) }
      case .cancelled: return { $0.requestWasCancelled($1) }
      case .failed(let error): return Self.failure(error)
      }
    }
  }

  /// Restores what the customer owns; for the user's tap only.
  ///
  /// - Parameter delegate: Hears of this request.
  /// - Returns: The request, which the delegate is called with.
  @discardableResult
  public func restore(delegate: any IAPRequestDelegate) -> IAPRequest {
    begin(delegate) { [manager] in
      let summary = await manager.restoreSummary()
      if summary.isCancelled { return { $0.requestWasCancelled($1) } }
      if let error = summary.error { return Self.failure(error) }
      let items = (summary.restored + summary.alreadyHad).map { TransactionItem($0) }
      return { $0.request($1, didFinishWith: items) }
    }
  }

  private typealias Call = @MainActor @Sendable (any IAPRequestDelegate, IAPRequest) -> Void

  private static func failure(_ error: IAPError) -> Call {
    let error = error.foundationError
    return { $0.request($1, didFailWith: error) }
  }

  private func begin(
    _ delegate: any IAPRequestDelegate,
    _ work: @escaping @Sendable () async -> Call
  ) -> IAPRequest {
    let request = IAPRequest()
    Task { [weak delegate] in
      let call = await work()
      await MainActor.run {
        guard let delegate, !request.isCancelled else { return }
        call(delegate, request)
      }
    }
    return request
  }

  // MARK: Blocks

  /// Loads products; the client keeps them.
  ///
  /// - Parameters:
  ///   - ids: Product ids; none for those of the configuration.
  ///   - completion: Gets the products, or why there are none.
  /// - Returns: The request, for a caller that loses interest.
  @discardableResult
  public func loadProducts(
    _ ids: [String] = [],
    completion: @escaping @MainActor @Sendable ([ProductItem], NSError?) -> Void
  ) -> IAPRequest {
    answer { [self] in
      do throws(IAPError) {
        let items = try await load(ids).products.map { ProductItem($0) }
        return { completion(items, nil) }
      } catch {
        let error = error.foundationError
        return { completion([], error) }
      }
    }
  }

  /// Buys one of a product.
  ///
  /// - Parameters:
  ///   - productId: The product's id.
  ///   - completion: Gets the transaction, or why there is none.
  /// - Returns: The request, for a caller that loses interest.
  @discardableResult
  public func purchase(
    _ productId: String,
    completion: @escaping @MainActor @Sendable (TransactionItem?, NSError?) -> Void
  ) -> IAPRequest {
    answer { [manager] in
      switch await manager.buy(productId).asResult {
      case .success(let result):
        let item = TransactionItem(result)
        return { completion(item, nil) }
      case .failure(let error):
        let error = error.foundationError
        return { completion(nil, error) }
      }
    }
  }

  /// Restores what the customer owns; for the user's tap only.
  ///
  /// - Parameter completion: Gets what is owned, or why that is not known.
  /// - Returns: The request, for a caller that loses interest.
  @discardableResult
  public func restore(
    completion: @escaping @MainActor @Sendable ([TransactionItem], NSError?) -> Void
  ) -> IAPRequest {
    answer { [manager] in
      let summary = await manager.restoreSummary()
      let items = (summary.restored + summary.alreadyHad).map { TransactionItem($0) }
      let error = (summary.isCancelled ? .userCancelled : summary.error)?.foundationError
      return { completion(items, error) }
    }
  }

  private func answer(
    _ work: @escaping @Sendable () async -> (@MainActor @Sendable () -> Void)
  ) -> IAPRequest {
    let request = IAPRequest()
    Task {
      let call = await work()
      await MainActor.run { if !request.isCancelled { call() } }
    }
    return request
  }

  /// Loads products; all of the configuration when none is named.
  private func load(_ ids: [String]) async throws(IAPError) -> ProductAnswer {
    try await manager.products(ids: ids.isEmpty ? nil : ids)
  }
}
