// An app that is still in Swift 5 mode, with the habits of that time: shared objects, classes that
// are not Sendable, closures that capture them. It must compile against the client as it is.
import Foundation
import IAPKit
import IAPKitCallbacks
import IAPKitTesting
import XCTest

/// A controller of the old kind: mutable, not isolated, not Sendable.
class PurchaseController {
  var owned: [String] = []
  var message = ""
  let manager: IAPManager

  init(manager: IAPManager) { self.manager = manager }

  func buy(_ id: String, done: @escaping () -> Void) {
    manager.purchase(productId: id) { result in
      switch result {
      case .success(let bought):
        self.owned.append(bought.productId)
        self.message = "thanks"
      case .failure(IAPError.userCancelled): self.message = ""
      case .failure(let error): self.message = error.userText(.english)
      }
      done()
    }
  }

  func load(_ ids: [String]) async throws -> [String] {
    try await manager.loadProducts(ids: ids).map { $0.displayName }
  }
}

class PlainValidator: NSObject, ReceiptValidator, @unchecked Sendable {
  func validate(receiptData: Data, isSandbox: Bool) async throws -> ReceiptValidationResult {
    ReceiptValidationResult(isValid: !receiptData.isEmpty)
  }
}

final class Swift5AppTests: XCTestCase {
  func testAnAppInSwift5ModeSells() async throws {
    let store = FakeStore(products: [.fake("com.example.pro", .nonConsumable, price: 9.99)])
    let configuration = IAPConfiguration(
      productIds: ["com.example.pro"],
      validator: PlainValidator(),
      isSandbox: true
    )
    let controller = PurchaseController(manager: store.launch(configuration))
    let names = try await controller.load(["com.example.pro"])
    XCTAssertEqual(names, ["pro"])
    let bought = expectation(description: "bought")
    controller.buy("com.example.pro") { bought.fulfill() }
    await fulfillment(of: [bought], timeout: 30)
    XCTAssertEqual(controller.owned, ["com.example.pro"])
    XCTAssertEqual(controller.message, "thanks")
  }
}
