import Foundation
import IAPModel
import StoreKit
#if os(visionOS)
import UIKit
#endif

/// StoreKit 2 behind the client's seam: maps types and decides nothing.
@available(iOS 15.0, macOS 12.0, tvOS 15.0, watchOS 8.0, *)
package final class SK2StoreAdapter: StoreAdapter, ProductSource {
  let loader = SK2ProductLoader()
  private let listener = SK2TransactionListener()
  /// StoreKit's own values of what it waits to be finished, because its listings may lag.
  private let announced = Locked<[StoreReference: Transaction]>([:])

  package init() {}

  package var generation: StoreGeneration { .storekit2 }

  package func canMakePayments() -> Bool { AppStore.canMakePayments }

  package func loadProducts(_ ids: [String]) async throws(IAPError) -> [IAPProduct] {
    try await loader.load(ids)
  }

  package func purchase(_ request: StorePurchaseRequest) async -> StorePurchaseResult {
    let id = request.productID.rawValue
    do {
      guard let product = try await loader.product(id) else {
        return .failed(.productNotFound(id: id), reference: nil)
      }
      let result = try await buy(product, options: Self.options(for: request))
      return map(result, asked: request)
    } catch {
      return .failed(IAPError(storeKit2: error, productID: id), reference: nil)
    }
  }

  private func map(
    _ result: Product.PurchaseResult,
    asked request: StorePurchaseRequest
  ) -> StorePurchaseResult {
    switch result {
    case .success(let verification):
      let transaction = remember(verification, source: .purchase)
      // A change of plan for later answers with the transaction of the plan that runs now.
      return transaction.productID == request.productID
        ? .transaction(transaction) : .scheduled(transaction)
    case .pending: return .pending
    case .userCancelled: return .failed(.userCancelled, reference: nil)
    @unknown default: return .failed(.unknown, reference: nil)
    }
  }

  private static func options(for request: StorePurchaseRequest) -> Set<Product.PurchaseOption> {
    var options: Set<Product.PurchaseOption> = [.appAccountToken(request.accountToken.rawValue)]
    if request.quantity != 1 { options.insert(.quantity(request.quantity)) }
    if request.simulatesAskToBuy { options.insert(.simulatesAskToBuyInSandbox(true)) }
    return options
  }

  private func buy(
    _ product: Product,
    options: Set<Product.PurchaseOption>
  ) async throws -> Product.PurchaseResult {
    #if os(visionOS)
    let scenes = await UIApplication.shared.connectedScenes
    guard let scene = scenes.first else {
      throw IAPError.invalidOrder(reason: "no scene is connected to show the payment sheet in")
    }
    return try await product.purchase(confirmIn: scene, options: options)
    #else
    return try await product.purchase(options: options)
    #endif
  }

  package func unfinished() async -> [StoreTransaction] {
    await collect(Transaction.unfinished, source: .unfinished)
  }

  package func currentEntitlements() async -> [StoreTransaction] {
    await collect(Transaction.currentEntitlements, source: .restore)
  }

  package func finish(_ reference: StoreReference) async -> StoreFinishAnswer {
    if let transaction = announced.withLock({ $0[reference] }) {
      await transaction.finish()
      _ = announced.withLock { $0.removeValue(forKey: reference) }
      return .finished
    }
    for await result in Transaction.unfinished
    where String(result.unsafePayloadValue.id) == reference.rawValue {
      await result.unsafePayloadValue.finish()
    }
    // What is not among the unfinished ones was finished before.
    return .finished
  }

  /// Lists what the account owns; only when the device knows of nothing is the user asked to sign
  /// in.
  package func restore() async throws(IAPError) -> [StoreTransaction] {
    let known = await currentEntitlements()
    guard known.isEmpty else { return known }
    do {
      try await AppStore.sync()
    } catch {
      throw IAPError(storeKit2: error)
    }
    return await currentEntitlements()
  }

  package func receipt() -> [UInt8]? { nil }

  package func refreshedReceipt() async -> [UInt8]? { nil }

  package func start(_ sink: @escaping @Sendable (StoreSignal) -> Void) {
    let announced = announced
    listener.start { result in
      Self.note(result, in: announced)
      sink(.transaction(StoreTransaction(result, source: .updates)))
    }
  }

  package func stop() { listener.stop() }

  private func collect(
    _ listing: Transaction.Transactions,
    source: TransactionSource
  ) async -> [StoreTransaction] {
    var found: [StoreTransaction] = []
    for await result in listing {
      found.append(
        source == .unfinished
          ? remember(result, source: source) : StoreTransaction(result, source: source)
      )
    }
    return found
  }

  private func remember(
    _ result: VerificationResult<Transaction>,
    source: TransactionSource
  ) -> StoreTransaction {
    Self.note(result, in: announced)
    return StoreTransaction(result, source: source)
  }

  private static func note(
    _ result: VerificationResult<Transaction>,
    in announced: Locked<[StoreReference: Transaction]>
  ) {
    let transaction = result.unsafePayloadValue
    announced.withLock { $0[StoreReference(String(transaction.id))] = transaction }
  }
}
