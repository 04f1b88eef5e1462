// How an app sells with IAPKit. Built with the package; README.md shows the same lines.
import Foundation
import IAPKit

/// What the user owns; a real app keeps it in its database.
actor Wallet {
  private var applied: Set<String> = []
  private(set) var coins = 0

  func apply(_ delivery: Delivery) {
    // The same key is the same effect: a second call changes nothing.
    guard applied.insert(delivery.idempotencyKey).inserted else { return }
    coins += delivery.kind == .clawback ? -100 : 100
  }
}

/// Made once, when the app starts, before any screen.
final class Shop: Sendable {
  let manager: IAPManager

  init(wallet: Wallet, server: URL) {
    manager = IAPManager(
      configuration: IAPConfiguration(
        productIds: ["com.example.coins", "com.example.pro"],
        validator: ServerReceiptValidator(endpoint: server),
        delivery: { delivery in
          // Called at least once for each key; answer when the effect is durable.
          await wallet.apply(delivery)
          return .delivered
        }
      )
    )
  }

  func buyCoins() async -> String? {
    switch await manager.buy("com.example.coins") {
    case .delivered, .alreadyOwned: "Here are your coins."
    case .processing: "Paid. Your coins come as soon as the purchase was checked."
    case .pending: "Waiting for approval."
    case .scheduled: "This changes with the next renewal."
    case .cancelled: nil
    case .failed(let error): error.localizedDescription
    }
  }

  var hasPro: Bool { manager.entitlements.access(to: "com.example.pro").isGranted }
}
