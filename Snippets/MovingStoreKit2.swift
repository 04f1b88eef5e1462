// The code of docs/guide/moving.md: from StoreKit 2 by hand.
import Foundation
import IAPKit
import StoreKit

/// Before: a loop over the updates, and a purchase that finishes what it got.
@available(iOS 15.0, macOS 12.0, tvOS 15.0, watchOS 8.0, *)
actor OldShop {
  private(set) var owned: Set<String> = []

  func listen() async {
    for await update in Transaction.updates {
      guard case .verified(let transaction) = update else { continue }
      owned.insert(transaction.productID)
      await transaction.finish()
    }
  }

  func buy(_ product: Product) async throws {
    guard case .success(.verified(let transaction)) = try await product.purchase() else { return }
    owned.insert(transaction.productID)
    await transaction.finish()
  }
}

/// After: what was done at three places is done at one, and finishing is nobody's task any more.
func makeShop(
  grant: @escaping @Sendable (IAPTransactionResult, String) async throws -> Void,
  takeBack: @escaping @Sendable (IAPTransactionResult, String) async throws -> Void
) -> IAPManager {
  IAPManager(
    configuration: IAPConfiguration(
      productIds: ["com.example.coins", "com.example.pro.monthly"],
      delivery: { delivery in
        switch delivery.kind {
        case .grant, .regrant: try await grant(delivery.transaction, delivery.idempotencyKey)
        case .clawback: try await takeBack(delivery.transaction, delivery.idempotencyKey)
        }
        return .delivered
      }
    )
  )
}

/// The user's UUID travels with every payment, as it did before.
func makeShop(for user: UUID) -> IAPManager {
  var configuration = IAPConfiguration(productIds: ["com.example.coins"])
  configuration.orders.userToken = user
  return IAPManager(configuration: configuration)
}
