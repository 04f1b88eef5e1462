// The code of docs/guide for apps without async/await. Built with the package.
import Foundation
import IAPKit
import IAPKitCallbacks

/// At the very start of the app: the shared instances exist from here on.
func startSelling(server: URL) {
  SharedClient.configure(
    IAPConfiguration(
      productIds: ["com.example.coins"],
      validator: ServerReceiptValidator(endpoint: server)
    )
  )
  IAPManager.shared.listen { result in print("ready:", result.productId) }
}

/// Blocks: the first form calls back on the main thread.
func buyCoins() {
  IAPManager.shared.purchase(productId: "com.example.coins") { result in
    switch result {
    case .success(let bought): print("bought", bought.productId)
    case .failure(.userCancelled): break
    case .failure(let error): print(error.userText(.english))
    }
  }
}

/// Delegates: each screen hears of its own request, and keeps no product.
@MainActor
final class CoinScreen: IAPRequestDelegate {
  func show() { SharedClient.requests.loadProducts(delegate: self) }

  func request(_ request: IAPRequest, didLoad products: [ProductItem], missing: [String]) {
    for product in products { print(product.localizedTitle, product.localizedPrice) }
  }
  func request(_ request: IAPRequest, didFinishWith transactions: [TransactionItem]) {}
  func requestIsPending(_ request: IAPRequest) { print("waiting for approval") }
  func requestWasCancelled(_ request: IAPRequest) {}
  func request(_ request: IAPRequest, didFailWith error: NSError) {
    print(error.localizedDescription)
  }
}
