public import Foundation
import Synchronization

public protocol SKRequestDelegate: NSObjectProtocol {
  // Both are optional on Apple's platforms.
  func requestDidFinish(_ request: SKRequest)
  func request(_ request: SKRequest, didFailWithError error: any Error)
}

extension SKRequestDelegate {
  public func requestDidFinish(_ request: SKRequest) {}
  public func request(_ request: SKRequest, didFailWithError error: any Error) {}
}

/// Gives requests their `delegate`; a subclass may declare one of a narrower type.
public protocol SKRequestDelegating: AnyObject {}

open class SKRequest: NSObject, SKRequestDelegating {
  private struct State {
    var delegate = WeakReference(object: nil)
    var run = 0
    var isRunning = false
  }

  let host: any StoreHost
  private let state = Mutex(Crossing(value: State()))

  public override init() {
    host = StoreHostBinding.required()
    super.init()
  }

  /// Asks the store again from the beginning; a request that is running goes on.
  open func start() {
    let run: Int? = state.withLock { state in
      guard !state.value.isRunning else { return nil }
      state.value.isRunning = true
      state.value.run += 1
      return state.value.run
    }
    guard let run else { return }
    let request = Crossing(value: self)
    let ask = makeQuestion()
    let host = host
    StoreHostBinding.bind(host) {
      _ = Task {
        let outcome: Result<any Sendable, any Error>
        do {
          outcome = .success(try await ask())
        } catch {
          outcome = .failure(StoreKitError.storeKit1(error))
        }
        host.callBack { request.value.end(run, outcome) }
      }
    }
  }

  /// Stops the request: its delegate hears nothing more of it.
  open func cancel() {
    state.withLock { $0.value.isRunning = false }
  }

  /// What the request asks the store.
  func makeQuestion() -> @Sendable () async throws -> any Sendable { { () } }

  /// Tells the delegate the answer, before it is told that the request finished.
  @MainActor func deliver(_ answer: any Sendable) {}

  @MainActor private func end(_ run: Int, _ outcome: Result<any Sendable, any Error>) {
    let isWanted = state.withLock { state in
      guard state.value.isRunning, state.value.run == run else { return false }
      state.value.isRunning = false
      return true
    }
    guard isWanted else { return }
    switch outcome {
    case .success(let answer):
      deliver(answer)
      requestDelegate?.requestDidFinish(self)
    case .failure(let error):
      requestDelegate?.request(self, didFailWithError: error)
    }
  }

  fileprivate(set) final var requestDelegate: (any SKRequestDelegate)? {
    get {
      state.withLock { Crossing(value: $0.value.delegate) }.value.object as? any SKRequestDelegate
    }
    set {
      let reference = Crossing(value: WeakReference(object: newValue))
      state.withLock { $0.value.delegate = reference.value }
    }
  }
}

extension SKRequestDelegating where Self: SKRequest {
  public var delegate: (any SKRequestDelegate)? {
    get { requestDelegate }
    set { requestDelegate = newValue }
  }
}

public protocol SKProductsRequestDelegate: SKRequestDelegate {
  func productsRequest(_ request: SKProductsRequest, didReceive response: SKProductsResponse)
}

open class SKProductsRequest: SKRequest {
  private let productIdentifiers: Set<String>

  public init(productIdentifiers: Set<String>) {
    self.productIdentifiers = productIdentifiers
    super.init()
  }

  open weak var delegate: (any SKProductsRequestDelegate)? {
    get { requestDelegate as? any SKProductsRequestDelegate }
    set { requestDelegate = newValue }
  }

  override func makeQuestion() -> @Sendable () async throws -> any Sendable {
    let identifiers = productIdentifiers.sorted()
    let host = host
    return {
      let products = try await host.products(for: identifiers)
      let known = Set(products.map(\.id))
      return SKProductsResponse(
        products: products.map(SKProduct.init),
        invalidProductIdentifiers: identifiers.filter { !known.contains($0) }
      )
    }
  }

  override func deliver(_ answer: any Sendable) {
    guard let response = answer as? SKProductsResponse else { return }
    delegate?.productsRequest(self, didReceive: response)
  }
}

public final class SKProductsResponse: NSObject, Sendable {
  public let products: [SKProduct]
  public let invalidProductIdentifiers: [String]

  init(products: [SKProduct], invalidProductIdentifiers: [String]) {
    self.products = products
    self.invalidProductIdentifiers = invalidProductIdentifiers
    super.init()
  }
}

open class SKReceiptRefreshRequest: SKRequest {
  public let receiptProperties: [String: Any]?

  public init(receiptProperties properties: [String: Any]?) {
    receiptProperties = properties
    super.init()
  }

  override func makeQuestion() -> @Sendable () async throws -> any Sendable {
    let host = host
    return { try await host.refreshReceipt() }
  }
}

extension StoreKitError {
  /// The error that StoreKit 1 reports where StoreKit 2 reports another one.
  package static func storeKit1(_ error: any Error) -> any Error {
    guard !(error is SKError) else { return error }
    let code: SKError.Code =
      switch error {
      case StoreKitError.userCancelled: .paymentCancelled
      case StoreKitError.notAvailableInStorefront: .storeProductNotAvailable
      case Product.PurchaseError.productUnavailable: .storeProductNotAvailable
      case Product.PurchaseError.purchaseNotAllowed: .paymentNotAllowed
      case Product.PurchaseError.invalidQuantity: .paymentInvalid
      case Product.PurchaseError.ineligibleForOffer: .ineligibleForOffer
      case Product.PurchaseError.invalidOfferIdentifier: .invalidOfferIdentifier
      case Product.PurchaseError.invalidOfferPrice: .invalidOfferPrice
      case Product.PurchaseError.invalidOfferSignature: .invalidSignature
      case Product.PurchaseError.missingOfferParameters: .missingOfferParams
      default: .unknown
      }
    return SKError(code, userInfo: [NSUnderlyingErrorKey: error as NSError])
  }
}
