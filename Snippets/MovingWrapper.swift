// The code of docs/guide/moving.md: from a wrapper with completion blocks.
import Foundation
import IAPKit
import IAPKitCallbacks

/// Where the wrapper's "complete transactions" stood: in the launch of the app.
func launchShop(unlock: @escaping @Sendable (String) async -> Void) {
  SharedClient.configure(
    IAPConfiguration(
      productIds: ["com.example.lifetime"],
      delivery: { delivery in
        guard delivery.kind != .clawback else { return .delivered }
        await unlock(delivery.transaction.productId)
        return .delivered
      }
    )
  )
}

/// Where its "retrieve products" stood.
func showPrice(_ show: @escaping @Sendable (String?) -> Void) {
  IAPManager.shared.fetchProducts(productIds: ["com.example.lifetime"]) { result in
    show((try? result.get())?.first?.displayPrice)
  }
}

/// Where its "restore purchases" stood.
func restoreByBlock(_ say: @escaping @Sendable (String) -> Void) {
  IAPManager.shared.restorePurchases { result in
    switch result {
    case .success(let owned): say(owned.isEmpty ? "Nothing was found." : "Restored.")
    case .failure(.userCancelled): break
    case .failure(let error): say(error.userText(.english))
    }
  }
}
