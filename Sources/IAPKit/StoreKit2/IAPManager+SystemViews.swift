import Foundation
import IAPModel
package import StoreKit

// Purchases that SwiftUI's store views begin: they open the sheet, the order is ours.
@available(iOS 15.0, macOS 12.0, tvOS 15.0, watchOS 8.0, *)
extension IAPManager {
  /// Whether views of the system can sell here; over StoreKit 1 their purchases cannot be finished.
  package var sellsInSystemViews: Bool { adapter is SK2StoreAdapter }

  /// Writes an order for a purchase that a view is about to begin.
  ///
  /// - Parameters:
  ///   - product: The product.
  ///   - options: What the app says beside it; offers are the view's own affair.
  /// - Returns: What the view passes on, and the order's number; without a number the disk is full,
  ///   or StoreKit 1 is forced.
  package func systemPurchaseOptions(
    for product: Product,
    _ options: PurchaseOptions
  ) async -> (Set<Product.PurchaseOption>, OrderNumber?) {
    guard sellsInSystemViews else {
      world.log(LogLine(.error, "a store view of the system sells while StoreKit 1 is forced"))
      return ([], nil)
    }
    do throws(IAPError) {
      let order = try await funnel.openForView(draft(product.id, options))
      _ = states.begin(product.id)
      var request = StorePurchaseRequest(
        productID: order.productId,
        accountToken: order.accountToken
      )
      request.sheet.simulatesAskToBuy = options.simulatesAskToBuy
      return (try SK2StoreAdapter.options(for: request, product), order.number)
    } catch {
      world.log(LogLine(.error, "a store view sells without an order: \(error)"))
      return ([], nil)
    }
  }

  /// Takes how a purchase ended that a view began.
  ///
  /// - Parameters:
  ///   - product: The product.
  ///   - result: What the view said.
  ///   - number: The order's number.
  ///   - options: What the app said beside it.
  /// - Returns: What became of it; the goods go the way of every purchase.
  package func systemPurchaseCompleted(
    _ product: Product,
    _ result: Result<Product.PurchaseResult, any Error>,
    of number: OrderNumber?,
    _ options: PurchaseOptions
  ) async -> PurchaseOutcome {
    guard let adapter = adapter as? SK2StoreAdapter else {
      return .failed(.unsupported(reason: "StoreKit 1 is forced"))
    }
    let ended: StorePurchaseResult
    switch result {
    case .success(let result): ended = adapter.map(result, asked: ProductID(product.id))
    case .failure(let error):
      ended = .failed(IAPError(storeKit2: error, productID: product.id), reference: nil)
    }
    let outcome = await funnel.closeForView(ended, of: number, draft(product.id, options))
    if case .delivered(let result) = outcome { entitlements.apply(result) }
    states.end(product.id, outcome)
    return outcome
  }

  /// What StoreKit 2 says about a product that may give access, as an answer with three values.
  ///
  /// - Parameter result: The transaction that gives access; nil when the store says that there is
  ///   none.
  /// - Returns: Yes or no as the store says, and unknown for what nobody has signed.
  package func systemAccess(_ result: VerificationResult<Transaction>?) -> Access {
    guard let result else { return .no }
    guard case .verified(let transaction) = result else { return .unknown }
    if transaction.revocationDate != nil { return .no }
    return .yes(
      until: transaction.expirationDate,
      source: .device,
      provisional: configuration.validator != nil || configuration.server != nil
    )
  }
}
