package import Foundation
package import IAPModel
import StoreKit
#if canImport(UIKit) && !os(watchOS)
import UIKit
#elseif canImport(AppKit)
import AppKit
#endif

// The App Store's own sheets. On Linux they are the simulated device's, which needs no anchor.
@available(iOS 15.0, macOS 12.0, tvOS 15.0, watchOS 8.0, *)
extension SK2StoreAdapter {
  #if os(iOS) || os(macOS) || os(visionOS) || os(Linux)
  package func requestRefund(
    of transaction: TransactionID,
    in anchor: StoreAnchor?
  ) async throws(IAPError) -> RefundOutcome {
    guard let id = UInt64(transaction.rawValue) else {
      throw .invalidOrder(reason: "the transaction's id is no number")
    }
    do {
      return RefundOutcome(try await Self.askForRefund(of: id, in: anchor))
    } catch let error as Transaction.RefundRequestError {
      return RefundOutcome(error)
    } catch {
      throw IAPError(storeKit2: error)
    }
  }

  @MainActor
  private static func askForRefund(
    of id: UInt64,
    in anchor: StoreAnchor?
  ) async throws -> Transaction.RefundRequestStatus {
    #if os(Linux)
    return try await Transaction.beginRefundRequest(for: id)
    #elseif os(macOS)
    guard case .viewController(let controller) = anchor else { throw needsController }
    return try await Transaction.beginRefundRequest(for: id, in: controller)
    #else
    guard let scene = anchor?.windowScene else { throw needsScene }
    return try await Transaction.beginRefundRequest(for: id, in: scene)
    #endif
  }

  package func redeemCode(in anchor: StoreAnchor?) async throws(IAPError) {
    do {
      try await Self.showCodeEntry(in: anchor)
    } catch {
      throw IAPError(storeKit2: error)
    }
  }

  @MainActor
  private static func showCodeEntry(in anchor: StoreAnchor?) async throws {
    #if os(Linux)
    try await AppStore.presentOfferCodeRedeemSheet()
    #elseif os(macOS)
    guard #available(macOS 15.0, *) else {
      throw IAPError.unsupported(reason: "macOS has a sheet for offer codes from version 15 on")
    }
    guard case .viewController(let controller) = anchor else { throw needsController }
    try await AppStore.presentOfferCodeRedeemSheet(from: controller)
    #else
    guard #available(iOS 16.0, macOS 13.0, *) else {
      return SKPaymentQueue.default().presentCodeRedemptionSheet()
    }
    guard let scene = anchor?.windowScene else { throw needsScene }
    try await AppStore.presentOfferCodeRedeemSheet(in: scene)
    #endif
  }
  #endif

  #if os(iOS) || os(visionOS) || os(Linux)
  package func manageSubscriptions(
    _ group: SubscriptionGroupID?,
    in anchor: StoreAnchor?
  ) async throws(IAPError) {
    do {
      try await Self.showSubscriptions(group, in: anchor)
    } catch {
      throw IAPError(storeKit2: error)
    }
  }

  @MainActor
  private static func showSubscriptions(
    _ group: SubscriptionGroupID?,
    in anchor: StoreAnchor?
  ) async throws {
    #if os(Linux)
    try await AppStore.showManageSubscriptions(subscriptionGroupID: group?.rawValue)
    #else
    guard let scene = anchor?.windowScene else { throw needsScene }
    if let group, #available(iOS 17.0, *) {
      try await AppStore.showManageSubscriptions(in: scene, subscriptionGroupID: group.rawValue)
    } else {
      try await AppStore.showManageSubscriptions(in: scene)
    }
    #endif
  }

  package func messages() -> AsyncStream<HeldMessage>? {
    guard #available(iOS 16.0, macOS 13.0, *) else { return nil }
    let messages = Message.messages
    return AsyncStream { continuation in
      let listening = Task {
        for await message in messages {
          continuation.yield(
            HeldMessage(StoreMessage(message.reason)) { try Self.show(message, in: $0) }
          )
        }
        continuation.finish()
      }
      continuation.onTermination = { _ in listening.cancel() }
    }
  }

  @available(iOS 16.0, macOS 13.0, *)
  @MainActor
  private static func show(_ message: Message, in anchor: StoreAnchor?) throws {
    #if os(Linux)
    try message.display()
    #else
    guard let scene = anchor?.windowScene else { throw needsScene }
    try message.display(in: scene)
    #endif
  }
  #endif

  #if os(iOS) || os(visionOS)
  private static var needsScene: IAPError {
    .unsupported(reason: "the sheet needs a window scene as its anchor")
  }
  #elseif os(macOS)
  private static var needsController: IAPError {
    .unsupported(reason: "the sheet needs a view controller as its anchor")
  }
  #endif

  package func introductoryEligibility(
    of product: ProductID,
    at now: Date
  ) async -> OfferEligibility {
    guard let info = try? await loader.product(product.rawValue)?.subscription else {
      return .unknown
    }
    return await info.isEligibleForIntroOffer ? .eligible : .notEligible
  }

  package func winBackOffers(of product: ProductID) async throws(IAPError) -> [OfferID] {
    guard #available(iOS 18.0, macOS 15.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *) else {
      throw .unsupported(reason: "this system has no win-back offers")
    }
    guard let info = try await loader.product(product.rawValue)?.subscription else { return [] }
    let statuses: [Product.SubscriptionInfo.Status]
    do {
      statuses = try await info.status
    } catch {
      throw IAPError(storeKit2: error)
    }
    for status in statuses where status.transaction.unsafePayloadValue.ownershipType == .purchased {
      let ids = status.renewalInfo.unsafePayloadValue.eligibleWinBackOfferIDs
      let own = info.winBackOffers.compactMap(\.id)
      return ids.filter { own.contains($0) }.map { OfferID($0) }
    }
    return []
  }
}

#if os(iOS) || os(macOS) || os(visionOS) || os(Linux)
@available(iOS 15.0, macOS 12.0, *)
extension RefundOutcome {
  /// Maps StoreKit's word; one that is not known here keeps its name.
  init(_ status: Transaction.RefundRequestStatus) {
    switch status {
    case .success: self = .success
    case .userCancelled: self = .cancelled
    @unknown default: self.init(rawValue: "\(status)")
    }
  }

  /// Maps StoreKit's refusal; one that is not known here keeps its name.
  init(_ error: Transaction.RefundRequestError) {
    switch error {
    case .duplicateRequest: self = .duplicate
    case .failed: self = .failed
    @unknown default: self.init(rawValue: "\(error)")
    }
  }
}
#endif

#if os(iOS) || os(visionOS) || os(Linux)
@available(iOS 16.0, macOS 13.0, *)
extension StoreMessage {
  /// Maps StoreKit's reason; one that is not known here keeps its number.
  init(_ reason: Message.Reason) {
    switch reason {
    case .generic: self = .generic
    case .priceIncreaseConsent: self = .priceIncreaseConsent
    default:
      if #available(iOS 16.4, macOS 13.3, *), reason == .billingIssue {
        self = .billingIssue
      } else if #available(iOS 18.0, macOS 15.0, visionOS 2.0, *), reason == .winBackOffer {
        self = .winBackOffer
      } else {
        self.init(rawValue: "reason \(reason.rawValue)")
      }
    }
  }
}
#endif
