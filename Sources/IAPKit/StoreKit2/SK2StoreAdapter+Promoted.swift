import StoreKit

// Purchases that began in the App Store.
@available(iOS 15.0, macOS 12.0, tvOS 15.0, watchOS 8.0, *)
extension SK2StoreAdapter {
  /// What listens to promoted purchases.
  enum Promoting: Sendable {
    case intents(Task<Void, Never>)
    #if !os(watchOS)
    case queue(SKPaymentQueue, SK1PromotedObserver)
    #endif

    func end() {
      switch self {
      case .intents(let task): task.cancel()
      #if !os(watchOS)
      case .queue(let queue, let observer): queue.remove(observer)
      #endif
      }
    }
  }

  /// Whether StoreKit 2 brings promoted purchases itself.
  static var hasIntents: Bool {
    #if os(iOS) || os(macOS) || os(Linux)
    if #available(iOS 16.4, macOS 14.4, *) { return true }
    #endif
    return false
  }

  /// Begins to listen; nil where the App Store promotes nothing.
  func listenToPromoted(
    overQueue: Bool,
    _ tell: @escaping @Sendable (PromotedPurchase) -> Void
  ) -> Promoting? {
    #if os(iOS) || os(macOS) || os(Linux)
    if #available(iOS 16.4, macOS 14.4, *), !overQueue {
      let intents = PurchaseIntent.intents
      return .intents(
        Task { [loader] in
          for await intent in intents {
            loader.remember(intent.product)
            tell(PromotedPurchase(intent))
          }
        }
      )
    }
    #endif
    #if os(watchOS)
    return nil
    #else
    let observer = SK1PromotedObserver(tell)
    let queue = SKPaymentQueue.default()
    queue.add(observer)
    return .queue(queue, observer)
    #endif
  }
}

#if os(iOS) || os(macOS) || os(Linux)
extension PromotedPurchase {
  /// Flattens StoreKit's intent.
  @available(iOS 16.4, macOS 14.4, *)
  init(_ intent: PurchaseIntent) {
    if #available(iOS 18.0, macOS 15.0, *) {
      self.init(productId: intent.product.id, offerId: intent.offer?.id)
    } else {
      self.init(productId: intent.product.id)
    }
  }
}
#endif
