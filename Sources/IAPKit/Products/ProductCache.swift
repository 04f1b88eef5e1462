public import Foundation

/// Whether products that were loaded before are used again.
public enum ProductCachePolicy: Hashable, Sendable {
  /// Products that are known are used, however old; the others are loaded.
  case use
  /// Everything is loaded anew.
  case reload
  /// Products are used for so many seconds, then loaded anew.
  case maxAge(TimeInterval)
}

/// The products that this process has loaded, for one storefront.
final class ProductCache: Sendable {
  /// How many products are kept; when there are more, all are forgotten.
  static let productsMax = 10_000

  private struct Entry {
    let product: IAPProduct
    let loadedAt: Date
  }

  private struct State {
    var entries: [String: Entry] = [:]
    /// Counts how often everything was forgotten.
    var epoch = 0
    var storefront: String?
  }

  private let state = Locked(State())

  /// Everything, by id.
  var all: [IAPProduct] {
    state.withLock { $0.entries.values.map(\.product) }.sorted { $0.id < $1.id }
  }

  /// What may be used, and the epoch in which it was read.
  func products(
    _ ids: [String],
    _ policy: ProductCachePolicy,
    at now: Date
  ) -> (products: [IAPProduct], epoch: Int) {
    state.withLock { state in
      let entries = ids.compactMap { state.entries[$0] }
        .filter { Self.isUsable($0.loadedAt, policy, at: now) }
      return (entries.map(\.product), state.epoch)
    }
  }

  private static func isUsable(_ date: Date, _ policy: ProductCachePolicy, at now: Date) -> Bool {
    switch policy {
    case .use: return true
    case .reload: return false
    case .maxAge(let seconds):
      // A clock that was set back says nothing about the age.
      let age = now.timeIntervalSince(date)
      return age >= 0 && age <= seconds
    }
  }

  /// Keeps products that were asked for in an epoch.
  ///
  /// - Returns: Whether they are still good: false when everything was forgotten meanwhile.
  func keep(_ products: [IAPProduct], epoch: Int, at now: Date) -> Bool {
    state.withLock { state in
      guard state.epoch == epoch else { return false }
      if state.entries.count + products.count > Self.productsMax { state.entries = [:] }
      for product in products { state.entries[product.id] = Entry(product: product, loadedAt: now) }
      return true
    }
  }

  /// Takes note of the storefront; what is known of another one is forgotten.
  ///
  /// - Returns: Whether it is another one.
  @discardableResult
  func note(storefront: String?) -> Bool {
    state.withLock { state in
      // No storefront is no news: nobody is signed in, or the store was not reached.
      guard let storefront, storefront != state.storefront else { return false }
      state.storefront = storefront
      state.entries = [:]
      state.epoch += 1
      return true
    }
  }
}
