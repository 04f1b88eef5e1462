import Foundation
import StoreKit

/// Hears of promoted purchases where StoreKit 2 cannot: iOS before 16.4, macOS before 14.4, tvOS
/// and visionOS.
///
/// It only takes the wish; StoreKit 2 buys. Nothing is ever put into StoreKit 1's queue, so there
/// is nothing to finish or to report here.
final class SK1PromotedObserver: NSObject, SKPaymentTransactionObserver, Sendable {
  private let tell: @Sendable (PromotedPurchase) -> Void

  init(_ tell: @escaping @Sendable (PromotedPurchase) -> Void) {
    self.tell = tell
    super.init()
  }

  func paymentQueue(
    _ queue: SKPaymentQueue,
    updatedTransactions transactions: [SKPaymentTransaction]
  ) {}

  func paymentQueue(
    _ queue: SKPaymentQueue,
    shouldAddStorePayment payment: SKPayment,
    for product: SKProduct
  ) -> Bool {
    tell(PromotedPurchase(productId: product.productIdentifier))
    return false
  }
}
