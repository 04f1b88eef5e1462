// Code in the usual shape of a purchase facade, which compiles unchanged against IAPKit.
import Foundation
import IAPKit

/// A validator of the app's own: valid accepts, not valid rejects, throwing means "ask again".
struct OwnValidator: ReceiptValidator {
  func validate(
    receiptData: Data,
    isSandbox: Bool
  ) async throws -> ReceiptValidationResult {
    try JSONDecoder().decode(ReceiptValidationResult.self, from: receiptData)
  }
}

func sell(with service: any IAPService) async throws {
  let products = try await service.loadProducts(ids: ["com.example.coins"])
  guard let coins = products.first else { return }
  do {
    let result = try await service.purchase(productId: coins.id)
    print(coins.type as Any, result.expiresDate as Any)
  } catch IAPError.userCancelled {
    return
  } catch IAPError.pending {
    print("waiting for approval")
  } catch IAPError.productNotFound(let id) {
    print("no product", id)
  }
  for await result in service.transactionStream { print(result) }
}

func listen(_ entitlements: EntitlementManager) -> IAPManager {
  let manager = IAPManager(
    configuration: IAPConfiguration(
      productIds: ["com.example.coins"],
      validator: OwnValidator(),
      isSandbox: true
    )
  )
  manager.startTransactionListener { result in entitlements.apply(result) }
  return manager
}
