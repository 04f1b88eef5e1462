package import Foundation
package import IAPModel
import IAPSignatures
import StoreKit

// What StoreKit 1 has beside buying.
extension SK1StoreAdapter {
  #if os(iOS) || os(visionOS) || os(Linux)
  package func redeemCode(in anchor: StoreAnchor?) async throws(IAPError) {
    queue.presentCodeRedemptionSheet()
  }

  package func messages() -> AsyncStream<HeldMessage>? {
    let (stream, continuation) = AsyncStream.makeStream(of: HeldMessage.self)
    let queue = queue
    priceConsent.start {
      continuation.yield(
        HeldMessage(.priceIncreaseConsent) { _ in queue.showPriceConsentIfNeeded() }
      )
    }
    queue.delegate = priceConsent
    return stream
  }
  #endif

  package func introductoryEligibility(
    of product: ProductID,
    at now: Date
  ) async -> OfferEligibility {
    guard let group = products.group(product.rawValue), let bytes = receipt(),
      let receipt = ReceiptPayload(unverified: bytes)
    else { return .unknown }
    return receipt.introductoryEligibility(in: group, at: now) { products.group($0.rawValue) }
  }
}

extension ReceiptPayload {
  /// Whether a customer with this receipt may have an introductory offer of a group.
  ///
  /// - **Source:** Apple, "Implementing introductory offers in your app".
  ///
  /// - Parameters:
  ///   - group: The group.
  ///   - now: The present instant.
  ///   - groupOf: The group of a product; nil for one that was not loaded.
  /// - Returns: `unknown` when something in the receipt could be of the group.
  func introductoryEligibility(
    in group: String,
    at now: Date,
    groupOf: (ProductID) -> String?
  ) -> OfferEligibility {
    var isKnown = true
    for item in items where item.expiresDate != nil {
      let usedOffer = item.isTrialPeriod == true || item.isInIntroOfferPeriod == true
      let isRunning = item.cancellationDate == nil && item.expiresDate.map { $0 > now } == true
      guard usedOffer || isRunning else { continue }
      switch groupOf(item.productID) {
      case group?: return .notEligible
      case nil: isKnown = false
      default: break
      }
    }
    return isKnown ? .eligible : .unknown
  }
}

/// Holds StoreKit 1's question about a higher price back until the app is ready.
final class SK1PriceConsent: NSObject, SKPaymentQueueDelegate, Sendable {
  private let told = Locked<(@Sendable () -> Void)?>(nil)

  func start(_ tell: @escaping @Sendable () -> Void) { told.withLock { $0 = tell } }

  func paymentQueueShouldShowPriceConsent(_ paymentQueue: SKPaymentQueue) -> Bool {
    guard let tell = told.withLock({ $0 }) else { return true }
    tell()
    return false
  }
}
