public import Foundation

@frozen public enum SKProductStorePromotionVisibility: Int, BitwiseCopyable, Sendable {
  case `default` = 0
  case show = 1
  case hide = 2
}

/// How promoted products are shown on the app's page in the App Store of this device.
public final class SKProductStorePromotionController: NSObject {
  private let host: any StoreHost

  private init(host: any StoreHost) {
    self.host = host
    super.init()
  }

  /// The controller of the app process. It holds nothing, so each is as good as another.
  public class func `default`() -> Self {
    let controller = SKProductStorePromotionController(host: StoreHostBinding.required())
    return controller as! Self
  }

  public override func isEqual(_ object: Any?) -> Bool {
    (object as? SKProductStorePromotionController)?.host === host
  }

  public override var hash: Int { ObjectIdentifier(host).hashValue }
}

extension SKProductStorePromotionController {
  /// Empty while the order is not overridden on this device.
  public func promotionOrder() async throws -> [SKProduct] {
    try await Self.order(host: host)
  }

  public func update(promotionOrder: [SKProduct]) async throws {
    try await Self.setOrder(promotionOrder, host: host)
  }

  public func promotionVisibility(
    for product: SKProduct
  ) async throws -> SKProductStorePromotionVisibility {
    try await Self.visibility(of: product, host: host)
  }

  public func update(
    promotionVisibility: SKProductStorePromotionVisibility,
    for product: SKProduct
  ) async throws {
    try await Self.setVisibility(promotionVisibility, of: product, host: host)
  }
}

extension SKProductStorePromotionController {
  public func fetchStorePromotionOrder(
    completionHandler: (([SKProduct], (any Error)?) -> Void)? = nil
  ) {
    let host = host
    complete {
      try await Self.order(host: host)
    } with: { result in
      switch result {
      case .success(let products): completionHandler?(products, nil)
      case .failure(let error): completionHandler?([], error)
      }
    }
  }

  public func update(
    storePromotionOrder promotionOrder: [SKProduct],
    completionHandler: (((any Error)?) -> Void)? = nil
  ) {
    let host = host
    complete {
      try await Self.setOrder(promotionOrder, host: host)
    } with: { result in
      completionHandler?(result.error)
    }
  }

  public func fetchStorePromotionVisibility(
    for product: SKProduct,
    completionHandler: ((SKProductStorePromotionVisibility, (any Error)?) -> Void)? = nil
  ) {
    let host = host
    complete {
      try await Self.visibility(of: product, host: host)
    } with: { result in
      switch result {
      case .success(let visibility): completionHandler?(visibility, nil)
      case .failure(let error): completionHandler?(.default, error)
      }
    }
  }

  public func update(
    storePromotionVisibility promotionVisibility: SKProductStorePromotionVisibility,
    for product: SKProduct,
    completionHandler: (((any Error)?) -> Void)? = nil
  ) {
    let host = host
    complete {
      try await Self.setVisibility(promotionVisibility, of: product, host: host)
    } with: { result in
      completionHandler?(result.error)
    }
  }

  /// Does the work as code of the app process, and tells the app on the main actor.
  private func complete<Value: Sendable>(
    _ work: @escaping @Sendable () async throws -> Value,
    with handler: @escaping (Result<Value, any Error>) -> Void
  ) {
    let handler = Crossing(value: handler)
    let host = host
    StoreHostBinding.bind(host) {
      _ = Task {
        let result: Result<Value, any Error>
        do {
          result = .success(try await work())
        } catch {
          result = .failure(error)
        }
        host.callBack { handler.value(result) }
      }
    }
  }
}

// What the controller does; apart from it, because it does not cross to other tasks.
extension SKProductStorePromotionController {
  private static func order(host: any StoreHost) async throws -> [SKProduct] {
    try await asking(host) {
      let order = try await host.promotions().order
      guard !order.isEmpty else { return [] }
      let products = try await host.products(for: order)
      return order.compactMap { id in products.first { $0.id == id }.map(SKProduct.init) }
    }
  }

  private static func setOrder(_ products: [SKProduct], host: any StoreHost) async throws {
    let order = products.map(\.productIdentifier)
    try await asking(host) { try await host.changePromotions { $0.order = order } }
  }

  private static func visibility(
    of product: SKProduct,
    host: any StoreHost
  ) async throws -> SKProductStorePromotionVisibility {
    try await asking(host) {
      let override = try await host.promotions().visibilities[product.productIdentifier]
      return override.flatMap(SKProductStorePromotionVisibility.init) ?? .default
    }
  }

  private static func setVisibility(
    _ visibility: SKProductStorePromotionVisibility,
    of product: SKProduct,
    host: any StoreHost
  ) async throws {
    let id = product.productIdentifier
    // The numbers of both generations of StoreKit are the same.
    let override = visibility == .default ? nil : visibility.rawValue
    try await asking(host) { try await host.changePromotions { $0.visibilities[id] = override } }
  }

  private static func asking<Value: Sendable>(
    _ host: any StoreHost,
    _ question: @Sendable () async throws -> Value
  ) async throws -> Value {
    try await host.answering {
      do {
        return try await question()
      } catch {
        throw StoreKitError.storeKit1(error)
      }
    }
  }
}

extension Result {
  fileprivate var error: Failure? {
    if case .failure(let error) = self { error } else { nil }
  }
}
