import Foundation
import IAPKit
import Testing

// The facade's signatures, one by one: code that is written against them compiles, or this file
// does not. What the lines do is tested in UsualCodeTests and with each part.

/// An app's own service, for its previews: the protocol asks for nothing else.
private struct PreviewSeller: IAPService {
  func loadProducts(ids: [String]) async throws -> [IAPProduct] { [] }
  func purchase(productId: String) async throws -> IAPTransactionResult {
    throw IAPError.productNotFound(id: productId)
  }
  func restore() async throws -> [IAPTransactionResult] { [] }
  var transactionStream: AsyncStream<IAPTransactionResult> { AsyncStream { $0.finish() } }
}

/// A validator of an app's own: the protocol asks for one method.
private struct PlainValidator: ReceiptValidator {
  func validate(receiptData: Data, isSandbox: Bool) async throws -> ReceiptValidationResult {
    ReceiptValidationResult(isValid: isSandbox)
  }
}

@Suite("Signatures of the facade")
struct FacadeSignatureTests {
  @Test("a service is four members")
  func service() async throws {
    let service: any IAPService = PreviewSeller()
    let products: [IAPProduct] = try await service.loadProducts(ids: ["a"])
    let restored: [IAPTransactionResult] = try await service.restore()
    await #expect(throws: IAPError.productNotFound(id: "a")) {
      let result: IAPTransactionResult = try await service.purchase(productId: "a")
      _ = result
    }
    var count = 0
    for await _ in service.transactionStream { count += 1 }
    #expect(products.isEmpty && restored.isEmpty && count == 0)
  }

  @Test("a configuration is made of ids, validator and flag")
  func configuration() throws {
    let validator: any ReceiptValidator = PlainValidator()
    let configuration = IAPConfiguration(productIds: ["a"], validator: validator, isSandbox: true)
    #expect(configuration.productIds == ["a"])
    #expect(configuration.isSandbox)
    let endpoint = try #require(URL(string: "https://example.com/v1/verify"))
    let served = IAPConfiguration(
      productIds: [],
      validator: ServerReceiptValidator(endpoint: endpoint),
      isSandbox: false
    )
    #expect(served.validator is ServerReceiptValidator)
  }

  @Test("managers, services and listeners are made and used as written")
  func members() {
    let makeManager: (IAPConfiguration) -> IAPManager = IAPManager.init(configuration:)
    let listen: (IAPManager) -> (@escaping @Sendable (IAPTransactionResult) -> Void) -> Void =
      { $0.startTransactionListener }
    let makeFirst: (IAPConfiguration) -> SK1PurchaseService = SK1PurchaseService.init(config:)
    let makeSecond: (IAPConfiguration) -> SK2PurchaseService = SK2PurchaseService.init(config:)
    let start:
      (SK2TransactionListener) -> (@escaping @Sendable (IAPTransactionResult) -> Void)
        -> Void = { listener in { listener.start(handler: $0) } }
    let stop: (SK2TransactionListener) -> () -> Void = SK2TransactionListener.stop
    let apply: (EntitlementManager) -> (IAPTransactionResult) -> Void = EntitlementManager.apply
    let buy: (IAPManager, String, PurchaseOptions) async -> PurchaseOutcome = {
      manager,
      id,
      options in
      await manager.buy(id, options: options)
    }
    let pending: (TransactionStore) -> () -> [TransactionRecord] = TransactionStore.pendingRecords
    let consume: (TransactionStore, String) throws -> Void = { try $0.markConsumed($1) }
    let save: (TransactionStore, TransactionRecord) async throws -> Void = { try await $0.save($1) }
    let members: [Any] = [
      makeManager, listen, makeFirst, makeSecond, start, stop, apply, buy, pending, consume, save,
    ]
    #expect(members.count == 11)
    let services: [any IAPService.Type] = [
      IAPManager.self, SK1PurchaseService.self, SK2PurchaseService.self,
    ]
    #expect(services.count == 3)
  }

  @Test("a verdict is read from JSON")
  func verdict() throws {
    let json = #"{"isValid": true, "productId": "a", "expiresDate": 1750000000000}"#
    let result = try JSONDecoder().decode(ReceiptValidationResult.self, from: Data(json.utf8))
    let expires: Date? = result.expiresDate
    #expect(result.isValid && result.productId == "a")
    #expect(expires == Date(timeIntervalSince1970: 1_750_000_000))
  }

  @Test("a record and a product have the usual members")
  func values() {
    let record = TransactionRecord(
      transactionId: "1",
      productId: "a",
      purchaseDate: Date(timeIntervalSince1970: 1)
    )
    let (id, product, date, isConsumed): (String, String, Date, Bool) = (
      record.transactionId, record.productId, record.purchaseDate, record.isConsumed
    )
    #expect(id == "1" && product == "a" && date.timeIntervalSince1970 == 1 && !isConsumed)
    let type: (IAPProduct) -> ProductType? = { $0.type }
    let expires: (IAPTransactionResult) -> Date? = { $0.expiresDate }
    #expect(([type, expires] as [Any]).count == 2)
  }

  @Test("errors are matched by pattern, with what they carry, and compared by code")
  func errors() {
    func text(_ error: IAPError) -> String {
      switch error {
      case .productLoadFailed(let underlying): "load \(underlying)"
      case .productNotFound(let id): "no \(id)"
      case .userCancelled: "cancelled"
      case .pending: "pending"
      case .verificationFailed(underlying: let cause): "unverified \(cause)"
      case .receiptValidationFailed: "refused"
      case .unknown: "unknown"
      default: error.code.rawValue
      }
    }
    #expect(text(.productLoadFailed(underlying: IAPError.unknown)) == "load IAPError.unknown")
    #expect(text(.productNotFound(id: "a")) == "no a")
    #expect(
      text(.verificationFailed(underlying: IAPError.pending)) == "unverified IAPError.pending"
    )
    #expect(text(.purchaseInProgress) == "purchaseInProgress")
    #expect(IAPError.productNotFound(id: "a") == .productNotFound(id: "b"))
    #expect(!IAPError.pending.isRetryable)
    do {
      throw IAPError.userCancelled
    } catch IAPError.userCancelled {
    } catch {
      Issue.record("the pattern did not match")
    }
  }

  @Test("the richer form has seven endings")
  func outcomes() {
    func text(_ outcome: PurchaseOutcome) -> String {
      switch outcome {
      case .delivered(let result): "delivered \(result.productId)"
      case .processing(let result): "processing \(result.productId)"
      case .pending: "pending"
      case .scheduled: "scheduled"
      case .alreadyOwned(let result): "owned \(result.productId)"
      case .cancelled: "cancelled"
      case .failed(let error): "failed \(error.code)"
      }
    }
    #expect(text(.scheduled(nil)) == "scheduled")
    #expect(text(.failed(.pending)) == "failed pending")
  }
}
