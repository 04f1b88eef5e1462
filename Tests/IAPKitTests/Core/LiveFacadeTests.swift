import AppStoreSimulator
import Foundation
import IAPKit
import SimulatedApp
import SimulatedDevice
import Testing

// What an app of the usual kind looks like. It compiles unchanged, or this file does not.

private struct PlainValidator: ReceiptValidator {
  func validate(receiptData: Data, isSandbox: Bool) async throws -> ReceiptValidationResult {
    ReceiptValidationResult(isValid: !receiptData.isEmpty)
  }
}

private final class PurchaseViewModel: Sendable {
  private let service: any IAPService

  init(service: any IAPService) { self.service = service }

  func names(of ids: [String]) async throws -> [String] {
    try await service.loadProducts(ids: ids).map(\.displayName)
  }

  func buy(_ id: String) async -> String {
    do {
      let result = try await service.purchase(productId: id)
      return "bought \(result.productId)"
    } catch IAPError.userCancelled {
      return "cancelled"
    } catch IAPError.pending {
      return "pending"
    } catch IAPError.productNotFound(let id) {
      return "unknown \(id)"
    } catch IAPError.verificationFailed(let underlying) {
      return "unverified: \(underlying)"
    } catch let error as IAPError where error == .receiptValidationFailed {
      return "refused"
    } catch {
      return "failed"
    }
  }
}

@Suite("The usual facade", .timeLimit(.minutes(1)))
struct FacadeTests {
  private let directory = URL(fileURLWithPath: NSTemporaryDirectory())
    .appendingPathComponent("iapkit-facade-\(UUID().uuidString)")

  private func configuration() -> IAPConfiguration {
    var configuration = IAPConfiguration(
      productIds: [Shop.coins.rawValue],
      validator: PlainValidator(),
      isSandbox: true
    )
    configuration.storeDirectory = directory
    configuration.logHandler = { _ in }
    return configuration
  }

  /// Runs code on a simulated telephone, in the real world otherwise.
  private func onTelephone<Value: Sendable>(
    _ body: @escaping @Sendable (SimulatedDevice) async throws -> Value
  ) async throws -> Value {
    defer { try? FileManager.default.removeItem(at: directory) }
    let shop = try Shop(.storekit2)
    let device = try SimulatedDevice(store: shop.store, account: Shop.account, id: "phone")
    return try await device.launch().run { try await body(device) }
  }

  @Test("sells through IAPManager")
  func manager() async throws {
    let configuration = configuration()
    let (names, texts, owned) = try await onTelephone { device in
      let manager = IAPManager(configuration: configuration)
      let entitlements = EntitlementManager()
      let heard = EventLog<String>()
      manager.startTransactionListener { result in
        entitlements.apply(result)
        heard.append(result.productId)
      }
      let model = PurchaseViewModel(service: manager)
      let names = try await model.names(of: [Shop.coins.rawValue])
      var texts = [await model.buy(Shop.lifetime.rawValue)]
      device.person.willAnswer(.cancel)
      texts.append(await model.buy(Shop.coins.rawValue))
      texts.append(await model.buy("com.example.unknown"))
      await heard.wait { $0 == Shop.lifetime.rawValue }
      return (names, texts, entitlements.purchasedProductIDs)
    }
    #expect(names.count == 1)
    #expect(
      texts == ["bought \(Shop.lifetime)", "cancelled", "unknown com.example.unknown"]
    )
    #expect(owned == [Shop.lifetime.rawValue])
  }

  @Test("sells through the StoreKit 2 service and restores")
  func service() async throws {
    let configuration = configuration()
    let (text, restored) = try await onTelephone { _ in
      let service = SK2PurchaseService(config: configuration)
      var stream = service.transactionStream.makeAsyncIterator()
      let text = await PurchaseViewModel(service: service).buy(Shop.lifetime.rawValue)
      _ = await stream.next()
      return (text, try await service.restore().map(\.productId))
    }
    #expect(text == "bought \(Shop.lifetime)")
    #expect(restored == [Shop.lifetime.rawValue])
  }

  @Test("sells through the StoreKit 1 service")
  func oldService() async throws {
    var configuration = configuration()
    // No receipt lies in a bundle here: the device's own verdict accepts.
    configuration.validator = nil
    let (names, text) = try await onTelephone { [configuration] _ in
      let service = SK1PurchaseService(config: configuration)
      let model = PurchaseViewModel(service: service)
      let names = try await model.names(of: [Shop.coins.rawValue, "com.example.unknown"])
      return (names, await model.buy("com.example.unknown"))
    }
    #expect(names.count == 1)
    #expect(text == "unknown com.example.unknown")
  }

  @Test("listens through SK2TransactionListener")
  func listener() async throws {
    let heard = EventLog<IAPTransactionResult>()
    let configuration = configuration()
    try await onTelephone { device in
      let listener = SK2TransactionListener()
      listener.start { heard.append($0) }
      device.person.willAnswer(.askParent)
      let manager = IAPManager(configuration: configuration)
      _ = await manager.buy(Shop.coins.rawValue)
      let question = try #require(device.store.pendingPurchases.first)
      _ = try device.store.approve(question.id)
      await heard.wait { $0.productId == Shop.coins.rawValue }
      listener.stop()
    }
    #expect(heard.elements.map(\.type) == [.consumable])
  }

  @Test("keeps records in TransactionStore")
  func store() async throws {
    let configuration = configuration()
    let (before, after) = try await onTelephone { _ in
      let manager = IAPManager(configuration: configuration)
      let result = try await manager.purchase(productId: Shop.coins.rawValue)
      let before = manager.store.pendingRecords().map(\.transactionId)
      try manager.store.markConsumed(result.transactionId)
      let record = try #require(manager.store.record(result.transactionId))
      try await manager.store.save(record)
      return (before == [result.transactionId], record.isConsumed)
    }
    #expect(before)
    #expect(after)
  }
}
