// The code of docs/guide/moving.md: from StoreKit 1.
import Foundation
import IAPKit
import StoreKit

/// Before: an observer of the app's own.
final class OldObserver: NSObject, SKPaymentTransactionObserver {
  func paymentQueue(
    _ queue: SKPaymentQueue,
    updatedTransactions transactions: [SKPaymentTransaction]
  ) {
    for transaction in transactions {
      switch transaction.transactionState {
      case .purchased, .restored:
        Unlocks.set(transaction.payment.productIdentifier)
        queue.finishTransaction(transaction)
      case .failed: queue.finishTransaction(transaction)
      case .purchasing, .deferred: break
      }
    }
  }
}

/// What the app has always kept: flags in its settings.
enum Unlocks {
  static func set(_ id: String) { UserDefaults.standard.set(true, forKey: id) }
  static func remove(_ id: String) { UserDefaults.standard.removeObject(forKey: id) }
  static func has(_ id: String) -> Bool { UserDefaults.standard.bool(forKey: id) }
}

/// Release 1: the observer is gone, and its unlocking stands in the delivery handler.
func makeFirstRelease() -> IAPManager {
  var configuration = IAPConfiguration(
    productIds: ["com.example.lifetime", "com.example.pro.monthly"],
    delivery: { delivery in
      switch delivery.kind {
      case .grant, .regrant: Unlocks.set(delivery.transaction.productId)
      case .clawback: Unlocks.remove(delivery.transaction.productId)
      }
      return .delivered
    }
  )
  configuration.forceStoreKit1 = true
  configuration.productTypes = ["com.example.lifetime": .nonConsumable]
  return IAPManager(configuration: configuration)
}

/// Release 2: the server that the app has judges, by the answers that it has always given.
struct OldServer: ReceiptValidator {
  /// The app's own networking: posts a receipt as text.
  let post: @Sendable (String) async throws -> (status: Int, text: String)

  func validate(receiptData: Data, isSandbox: Bool) async throws -> ReceiptValidationResult {
    // Whatever throws means "ask again": only an answer can refuse.
    let answer = try await post(receiptData.base64EncodedString())
    switch (answer.status, answer.text) {
    case (200, "OK"): return ReceiptValidationResult(isValid: true)
    case (200, "REFUSED"): return ReceiptValidationResult(isValid: false)
    default: throw IAPError.network(underlying: IAPError.unknown)
    }
  }
}

/// Release 3: what the screens ask.
///
/// Old flags count until somebody has said yes or no.
func mayUse(_ id: String, _ manager: IAPManager) -> Bool {
  switch manager.entitlements.access(to: id) {
  case .yes: true
  case .no: false
  case .unknown: Unlocks.has(id)
  }
}
