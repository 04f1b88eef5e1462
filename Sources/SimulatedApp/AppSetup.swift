package import Foundation
package import IAPKit
package import IAPModel
package import SimulatedDevice

/// Carries one HTTP call of the app to its server.
package typealias AppTransport = @Sendable (ClientRequest) async throws -> ClientResponse

/// How the app of a simulated device is built.
package struct AppSetup: Sendable {
  /// Who judges purchases.
  package enum Judge: Sendable {
    /// The device's own verdict.
    case device
    /// A server, by the client's own ``ServerReceiptValidator``.
    case server(endpoint: URL, transport: AppTransport)
    /// Any validator, in the app's process.
    case validator(any ReceiptValidator)
    /// A closure that plays the server; what it throws counts as no answer.
    case script(@Sendable (TransactionEvidence) async throws -> ReceiptValidationResult)
  }

  /// Which of Apple's APIs the app uses.
  package var generation: StoreGeneration
  /// The products that it sells.
  package var productIds: [ProductID]
  /// Their types, which StoreKit 1 does not tell.
  package var productTypes: [ProductID: ProductType]
  /// Who judges purchases.
  package var judge: Judge
  /// Is told first of each call of the delivery handler.
  package var hears: @Sendable (Delivery) -> Void = { _ in }
  /// What the delivery handler does in place of putting the goods on the shelf; nil to put them.
  package var handle: @Sendable (Delivery) -> DeliveryAnswer?
  /// Reads the app receipt; a receipt may lie on a device for long before it is brought up to date.
  package var receipt: @Sendable (SimulatedDevice) -> [UInt8]? = { $0.receipt }
  /// Carries what the client asks its server beside verdicts: the catalog, reviews, signatures; nil
  /// for the judge's server, where there is one.
  package var transport: AppTransport?
  /// Where the next process dies; nil for nowhere.
  package var dies: KillStep?
  /// Changes the rest of the configuration.
  package var configure: @Sendable (inout IAPConfiguration) -> Void
  /// What signed data is checked with on the device; nil where the app cannot check it.
  package var trust: DeviceTrust?
  /// By how many seconds the device's clock differs from the store's; a change acts at once.
  package var clockOffset: TimeInterval = 0
  /// Whether the client keeps what happened for support.
  package var keepsEvents = true
  /// Names the calls of the server; nil for calls without a name, which draw nothing.
  package var trace: (@Sendable () -> UUID)?
  #if PLANTED_BUGS
  /// The mistake that is switched on.
  package var planted: PlantedBug?
  #endif
  /// What the app's own chance comes from.
  package var seed: UInt64

  /// Makes a setup.
  package init(
    generation: StoreGeneration,
    productIds: [ProductID],
    productTypes: [ProductID: ProductType] = [:],
    judge: Judge = .device,
    handle: @escaping @Sendable (Delivery) -> DeliveryAnswer? = { _ in nil },
    configure: @escaping @Sendable (inout IAPConfiguration) -> Void = { _ in },
    seed: UInt64 = 1
  ) {
    self.generation = generation
    self.productIds = productIds
    self.productTypes = productTypes
    self.judge = judge
    self.handle = handle
    self.configure = configure
    self.seed = seed
  }
}

extension AppSetup {
  /// The way to the app's server; one that nobody answers on when there is none.
  var serverTransport: AppTransport {
    if let transport { return transport }
    if case .server(_, let transport) = judge { return transport }
    return { _ in throw IAPError.network(underlying: URLError(.unsupportedURL)) }
  }
}

extension KillStep {
  /// The client is about to call the app's delivery handler.
  package static let beforeDelivery: Self = "beforeDelivery"
  /// The goods are on the shelf, the client has not heard of it.
  package static let afterDelivery: Self = "afterDelivery"
}
