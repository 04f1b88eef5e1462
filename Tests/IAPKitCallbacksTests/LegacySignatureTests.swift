import IAPKit
import IAPKitCallbacks
import StoreKit
import Testing

// The legacy spellings, one by one: code that is written against them compiles, or this file does
// not. What the lines do is tested in LegacyTests.

/// Code of an app as it stands; nobody calls it.
@MainActor
private func usualLegacyCode(productId: UInt64) async throws {
  IAPManager.shared.startObserving()
  IAPManager.shared.fetchProducts(productIds: ["a", "b"])
  IAPManager.shared.restorePurchases()
  let products: [IAPProduct]? = await IAPManager.shared.requestProducts(productIds: ["a"])
  IAPManager.shared.listenForTransaction { (result: IAPTransactionResult) in
    EntitlementManager.shared.apply(result)
  }
  IAPManager.shared.listenForTransaction(completion: { _ in })
  await IAPManager.shared.refundRequest(for: productId, scene: nil)
  await IAPManager.shared.updateEntitlements()
  let ids: Set<String> = IAPManager.shared.purchasedProductIDs
  let isActive: Bool = try await IAPManager.shared.checkSubscriptionActive(groupID: "group")
  await EntitlementManager.shared.updateEntitlements()
  let owned: Set<String> = EntitlementManager.shared.purchasedProductIDs
  let isActiveToo: Bool = try await EntitlementManager.shared.checkSubscriptionActive(
    groupID: "group"
  )
  for record in TransactionStore.shared.pendingRecords() where !record.isConsumed {
    try TransactionStore.shared.markConsumed(record.transactionId)
    try await TransactionStore.shared.save(record)
  }
  _ = (products, ids, isActive, owned, isActiveToo)
}

@Suite("Signatures of the legacy spellings")
struct LegacySignatureTests {
  @Test("are those of the facade")
  func signatures() {
    let code: @MainActor (UInt64) async throws -> Void = usualLegacyCode(productId:)
    let price: (SKProduct) -> String? = { $0.localizedPrice }
    let shared: () -> (IAPManager, TransactionStore, EntitlementManager) = {
      (IAPManager.shared, TransactionStore.shared, EntitlementManager.shared)
    }
    let fetch: (IAPManager, Set<String>) -> Void = { $0.fetchProducts(productIds: $1) }
    let members: [Any] = [code, price, shared, fetch]
    #expect(members.count == 4)
  }
}
