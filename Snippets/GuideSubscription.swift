// The code of docs/guide, in its order. Built with the package.
import Foundation
import IAPKit

/// The products, named once.
enum Products {
  static let monthly = "com.example.pro.monthly"
  static let yearly = "com.example.pro.yearly"
  static let coins = "com.example.coins"
  static let all = [monthly, yearly, coins]
}

/// What was handed over; a real app keeps it in its database.
actor Goods {
  private var applied: Set<String> = []
  private(set) var coins = 0

  func apply(_ delivery: Delivery) -> DeliveryAnswer {
    // The same key is the same effect: a second call changes nothing.
    guard applied.insert(delivery.idempotencyKey).inserted else { return .delivered }
    if delivery.transaction.productId == Products.coins {
      let sign = delivery.kind == .clawback ? -1 : 1
      coins += sign * 100 * delivery.transaction.quantity
    }
    return .delivered
  }
}

/// Made once, when the app starts, before any screen.
final class Store: Sendable {
  let manager: IAPManager
  let goods = Goods()

  init(server: URL?, account: String?) {
    var configuration = IAPConfiguration(
      productIds: Products.all,
      validator: server.map { ServerReceiptValidator(endpoint: $0) },
      delivery: { [goods] delivery in await goods.apply(delivery) }
    )
    configuration.account = account
    // Both subscriptions open the same feature.
    configuration.entitlements = [Products.monthly: ["pro"], Products.yearly: ["pro"]]
    // StoreKit 1 does not tell the types of one-time purchases.
    configuration.productTypes = [Products.coins: .consumable]
    manager = IAPManager(configuration: configuration)
  }
}

/// What a screen shows; it knows of no StoreKit.
@MainActor
final class Paywall {
  private let manager: IAPManager
  private(set) var products: [IAPProduct] = []
  private(set) var message: String?

  init(manager: IAPManager) { self.manager = manager }

  func load() async {
    do {
      let answer = try await manager.products()
      products = answer.products
      // The log says which ids are missing, and what usually is behind it.
      message = answer.products.isEmpty ? "Nothing is for sale here right now." : nil
    } catch {
      message = error.userText(.best(of: Locale.preferredLanguages))
    }
  }
}

extension Paywall {
  func buy(_ product: IAPProduct) async {
    switch await manager.buy(product.id) {
    case .delivered, .alreadyOwned: message = "Thank you."
    case .processing: message = "Paid. It opens as soon as the purchase was checked."
    case .pending: message = "Waiting for approval."
    case .scheduled: message = "Your plan changes with the next renewal."
    case .cancelled: message = nil
    case .failed(let error): message = error.userText(.best(of: Locale.preferredLanguages))
    }
  }
}

extension Paywall {
  /// For the restore button only: the App Store may ask for a password.
  func restore() async {
    let summary = await manager.restoreSummary()
    if summary.isNothingFound {
      message = "Nothing was found. Did you buy with another App Store account?"
    } else if !summary.couldNotCheck.isEmpty {
      message = "Some purchases are still being checked."
    } else if let error = summary.error {
      message = error.userText(.best(of: Locale.preferredLanguages))
    }
  }
}

extension Store {
  /// What the screens ask: at once, without waiting, also without a network.
  var pro: String {
    switch manager.entitlements.access(to: "pro") {
    case .yes(let until, _, _): until.map { "until \($0)" } ?? "for ever"
    case .no: "not bought"
    // Nobody has answered yet: show what was there before, never a paywall.
    case .unknown: "being checked"
    }
  }

  /// Changes, for as long as somebody listens.
  func follow(_ show: @escaping @MainActor (Set<String>) -> Void) async {
    for await products in manager.entitlements.purchasedProductIDStream { await show(products) }
  }
}

extension Store {
  /// What waits and what was set aside: for a support screen.
  func openOrders() -> [String] {
    manager.store.pendingRecords().map { "\($0.productId): \($0.state)" }
  }
}
