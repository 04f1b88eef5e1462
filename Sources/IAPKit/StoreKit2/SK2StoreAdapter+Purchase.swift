import Foundation
import IAPModel
import StoreKit
#if canImport(UIKit) && !os(watchOS)
import UIKit
#elseif canImport(AppKit)
import AppKit
#endif

// Buying.
@available(iOS 15.0, macOS 12.0, tvOS 15.0, watchOS 8.0, *)
extension SK2StoreAdapter {
  package func objection(to options: SheetOptions) -> IAPError? {
    guard case .winBack = options.offer else { return nil }
    if #available(iOS 18.0, macOS 15.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *) { return nil }
    return .unsupported(reason: "this system has no win-back offers")
  }

  package func purchase(_ request: StorePurchaseRequest) async -> StorePurchaseResult {
    let id = request.productID.rawValue
    do {
      guard let product = try await loader.product(id) else {
        return .failed(.productNotFound(id: id), reference: nil)
      }
      let options = try Self.options(for: request, product)
      let result = try await buy(product, options, in: request.sheet.anchor)
      return map(result, asked: request.productID)
    } catch {
      return .failed(IAPError(storeKit2: error, productID: id), reference: nil)
    }
  }

  /// Maps how a sheet ended that was opened for a product.
  func map(
    _ result: Product.PurchaseResult,
    asked productID: ProductID
  ) -> StorePurchaseResult {
    switch result {
    case .success(let verification):
      let transaction = remember(verification, source: .purchase)
      // A change of plan for later answers with the transaction of the plan that runs now.
      return transaction.productID == productID
        ? .transaction(transaction) : .scheduled(transaction)
    case .pending: return .pending
    case .userCancelled: return .failed(.userCancelled, reference: nil)
    @unknown default: return .failed(.unknown, reference: nil)
    }
  }

  /// Maps what is said beside a product.
  static func options(
    for request: StorePurchaseRequest,
    _ product: Product
  ) throws(IAPError) -> Set<Product.PurchaseOption> {
    let sheet = request.sheet
    var options: Set<Product.PurchaseOption> = [.appAccountToken(request.accountToken.rawValue)]
    if request.quantity != 1 { options.insert(.quantity(request.quantity)) }
    if sheet.simulatesAskToBuy { options.insert(.simulatesAskToBuyInSandbox(true)) }
    if let jws = sheet.introductoryEligibilityJWS {
      options.insert(.introductoryOfferEligibility(compactJWS: jws))
    }
    for (key, value) in sheet.custom { options.insert(Self.custom(key, value)) }
    switch sheet.offer {
    case .signed(let id, let signature):
      options.insert(
        .promotionalOffer(
          offerID: id,
          keyID: signature.keyId,
          nonce: signature.nonce,
          signature: signature.signature,
          timestamp: Int(signature.timestamp)
        )
      )
    case .promotionalJWS(let id, let jws?):
      options.formUnion(Product.PurchaseOption.promotionalOffer(id, compactJWS: jws))
    case .winBack(let id): options.insert(try winBack(OfferID(id), of: product))
    case .promotional, .promotionalJWS(_, nil): throw .offerRefused(.notSigned)
    case nil: break
    }
    return options
  }

  private static func winBack(
    _ id: OfferID,
    of product: Product
  ) throws(IAPError) -> Product.PurchaseOption {
    guard #available(iOS 18.0, macOS 15.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *) else {
      throw .unsupported(reason: "this system has no win-back offers")
    }
    let offer = product.subscription?.winBackOffers.first { $0.id == id.rawValue }
    guard let offer else { throw .offerRefused(.invalidIdentifier) }
    return .winBackOffer(offer)
  }

  private static func custom(_ key: String, _ value: CustomOption) -> Product.PurchaseOption {
    switch value {
    case .string(let text): .custom(key: key, value: text)
    case .number(let number): .custom(key: key, value: number)
    case .bool(let isSo): .custom(key: key, value: isSo)
    case .data(let bytes): .custom(key: key, value: bytes)
    }
  }

  private func buy(
    _ product: Product,
    _ options: Set<Product.PurchaseOption>,
    in anchor: StoreAnchor?
  ) async throws -> Product.PurchaseResult {
    #if os(iOS) || os(tvOS) || os(visionOS)
    switch anchor {
    case .viewController(let controller):
      if #available(iOS 18.2, tvOS 18.2, visionOS 2.2, *) {
        return try await product.purchase(confirmIn: controller, options: options)
      }
    case .scene(let scene):
      if #available(iOS 17.0, tvOS 17.0, *) {
        return try await product.purchase(confirmIn: scene, options: options)
      }
    case nil: break
    }
    #elseif os(macOS)
    if #available(macOS 15.2, *) {
      let window: NSWindow? = await MainActor.run {
        switch anchor {
        case .window(let window): window
        case .viewController(let controller): controller.viewIfLoaded?.window
        case nil: nil
        }
      }
      if let window { return try await product.purchase(confirmIn: window, options: options) }
    }
    #endif
    #if os(visionOS)
    let anchored = await anchor?.windowScene
    let connected = await UIApplication.shared.connectedScenes.first
    guard let scene = anchored ?? connected else {
      throw IAPError.unsupported(reason: "no scene is connected to show the payment sheet in")
    }
    return try await product.purchase(confirmIn: scene, options: options)
    #else
    return try await product.purchase(options: options)
    #endif
  }
}
