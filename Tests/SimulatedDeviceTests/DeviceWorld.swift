import AppStoreSimulator
import Foundation
import IAPModel
import OpenSSLCrypto
import SimulatedDevice
import StoreKit
import Testing

/// A store with one account and what its devices do.
struct DeviceWorld: Sendable {
  static let coins = "com.example.demo.coins"
  static let lifetime = "com.example.demo.lifetime"
  static let season = "com.example.demo.season"
  static let monthly = "com.example.demo.plus.monthly"
  static let yearly = "com.example.demo.plus.yearly"
  static let group = "DE300020"
  static let account: AccountID = "ada"

  let store: SimulatedAppStore

  init(
    catalog: StoreCatalog? = nil,
    environment: StoreEnvironment = .sandbox,
    _ change: (inout StoreOptions) -> Void = { _ in }
  ) throws {
    var options = StoreOptions(environment: environment)
    change(&options)
    store = try SimulatedAppStore(
      configuration: StoreConfiguration(
        catalog: try catalog ?? DemoCatalog.load(),
        bundleID: DemoCatalog.bundleID,
        appAppleID: DemoCatalog.appAppleID,
        environment: environment,
        start: Date(timeIntervalSince1970: 1_750_000_000),
        options: options
      ),
      signing: OpenSSLPrimitives()
    )
    try store.addAccount(Self.account)
  }

  func device(
    _ id: DeviceID = "phone",
    account: AccountID = Self.account,
    _ change: (inout DeviceOptions) -> Void = { _ in }
  ) throws -> SimulatedDevice {
    var options = DeviceOptions()
    change(&options)
    return try SimulatedDevice(store: store, account: account, id: id, options: options)
  }

  var transactions: [StoreTransactionRecord] { store.transactions(of: Self.account) }

  /// Buys on another device of the account: the next thing that the others hear of, when nothing
  /// was on its way to them.
  func buyElsewhere(_ product: ProductID = DemoCatalog.season) throws {
    let device: DeviceID = "elsewhere"
    if !store.devices.contains(where: { $0.id == device }) {
      try store.addDevice(device, account: Self.account)
    }
    let outcome = try store.purchase(PurchaseRequest(device: device, productID: product))
    guard case .purchased = outcome else { throw NotBought() }
  }

  func advance(days: Double) { store.clock.advance(by: days * 86_400) }
}

/// What the app's code heard, one element after another, for tests to wait for.
final class Heard<Element: Sendable>: Sendable {
  private let stream: AsyncStream<Element>
  private let continuation: AsyncStream<Element>.Continuation

  init() {
    (stream, continuation) = AsyncStream.makeStream()
  }

  func add(_ element: Element) { continuation.yield(element) }

  /// The next so many elements.
  func next(_ count: Int) async -> [Element] {
    var elements: [Element] = []
    guard count > 0 else { return elements }
    for await element in stream {
      elements.append(element)
      if elements.count == count { break }
    }
    return elements
  }

  /// Everything that was heard so far; nothing can be heard afterwards.
  func rest() async -> [Element] {
    continuation.finish()
    var elements: [Element] = []
    for await element in stream { elements.append(element) }
    return elements
  }
}

extension AppProcess {
  /// Buys a product through StoreKit 2.
  func buy(
    _ id: String,
    options: Set<Product.PurchaseOption> = []
  ) async throws -> Product.PurchaseResult {
    try await run {
      let product = try #require(try await Product.products(for: [id]).first)
      return try await product.purchase(options: options)
    }
  }

  /// Buys a product through StoreKit 2 and returns the transaction.
  func bought(
    _ id: String,
    options: Set<Product.PurchaseOption> = []
  ) async throws -> StoreKit.Transaction {
    guard case .success(.verified(let transaction)) = try await buy(id, options: options) else {
      throw NotBought()
    }
    return transaction
  }

  /// The product identifiers of a finite listing.
  func list(_ kind: Listing) async throws -> [String] {
    try await run {
      var found: [String] = []
      let sequence =
        switch kind {
        case .all: StoreKit.Transaction.all
        case .unfinished: StoreKit.Transaction.unfinished
        case .currentEntitlements: StoreKit.Transaction.currentEntitlements
        }
      for await result in sequence { found.append(result.unsafePayloadValue.productID) }
      return found
    }
  }

  /// Listens to `Transaction.updates`.
  func listenToUpdates() -> Heard<VerificationResult<StoreKit.Transaction>> {
    let heard = Heard<VerificationResult<StoreKit.Transaction>>()
    start {
      for await update in StoreKit.Transaction.updates { heard.add(update) }
    }
    return heard
  }
}

extension SimulatedDevice {
  /// What the person saw beside payment sheets.
  var otherVisits: [SheetVisit] { visits.filter { $0.kind != .payment } }
}

enum Listing { case all, unfinished, currentEntitlements }

struct NotBought: Error {}
