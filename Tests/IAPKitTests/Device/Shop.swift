import AppStoreSimulator
import Foundation
import IAPEntitlements
import IAPKit
import IAPModel
import IAPSignatures
import SimulatedApp
import SimulatedDevice
import Synchronization
import Testing

/// A simulated store, a customer, and a server that knows the truth.
struct Shop {
  static let account: AccountID = "ada"
  static let start = Date(timeIntervalSince1970: 1_750_000_000)
  static let coins = DemoCatalog.coins
  static let lifetime = DemoCatalog.lifetime
  static let monthly = DemoCatalog.monthly

  let store: SimulatedAppStore
  let server: TruthfulServer
  let generation: StoreGeneration

  /// Opens a shop.
  ///
  /// - Parameters:
  ///   - generation: Which of Apple's APIs the app uses.
  ///   - catalog: The text of a configuration file.
  ///   - storefront: Where the customer shops; nil for what the catalog says.
  init(
    _ generation: StoreGeneration,
    catalog: String = DemoCatalog.text,
    storefront: Storefront? = nil
  ) throws {
    self.generation = generation
    store = try SimulatedAppStore(
      configuration: StoreConfiguration(
        catalog: try StoreCatalog(parsing: Array(catalog.utf8), file: "Demo.storekit"),
        bundleID: DemoCatalog.bundleID,
        appAppleID: DemoCatalog.appAppleID,
        start: Self.start
      ),
      signing: try RememberingPrimitives.standard.get()
    )
    try store.addAccount(Self.account, storefront: storefront)
    server = TruthfulServer(store: store)
  }

  /// Installs the app on a new telephone; it does not run yet.
  func install(
    on id: DeviceID = "phone",
    account: AccountID = Shop.account,
    system: DeviceOptions = DeviceOptions(),
    configure: @escaping @Sendable (inout IAPConfiguration) -> Void = { _ in },
    handle: @escaping @Sendable (Delivery) -> DeliveryAnswer? = { _ in nil }
  ) throws -> SimulatedApp {
    let server = server
    let trust = try DeviceTrust.of(self)
    let app = SimulatedApp(
      device: try SimulatedDevice(store: store, account: account, id: id, options: system),
      setup: AppSetup(
        generation: generation,
        productIds: [Self.coins, Self.lifetime, DemoCatalog.season, Self.monthly],
        productTypes: [
          Self.coins: .consumable, Self.lifetime: .nonConsumable, DemoCatalog.season: .nonRenewable,
          Self.monthly: .autoRenewable,
        ],
        judge: .script { try await server.judge($0) },
        handle: handle,
        configure: configure,
        seed: UInt64(id.rawValue.utf8.reduce(7) { $0 &* 31 &+ UInt64($1) })
      )
    )
    app.update { $0.trust = trust }
    return app
  }

  /// Installs the app and starts it.
  func launch(
    on id: DeviceID = "phone",
    configure: @escaping @Sendable (inout IAPConfiguration) -> Void = { _ in }
  ) async throws -> SimulatedApp {
    let app = try install(on: id, configure: configure)
    try await app.launch()
    return app
  }
}

extension DeviceTrust {
  /// Trusts a shop's store as a device trusts Apple.
  static func of(
    _ shop: Shop,
    bundleID: BundleID = DemoCatalog.bundleID
  ) throws -> DeviceTrust {
    DeviceTrust(
      anchors: try .simulated([
        shop.store.jwsRootCertificate, try shop.store.receiptRootCertificate(),
      ]),
      origin: ExpectedOrigin(
        apps: [ExpectedOrigin.App(bundleID: bundleID, appAppleID: nil)],
        environments: [.sandbox]
      ),
      crypto: try RememberingPrimitives.standard.get()
    )
  }
}

/// Plays the app's server: it answers from the store's own books, or as it is told.
final class TruthfulServer: Sendable {
  /// What the server does.
  enum Mood: Sendable {
    case truthful
    case down
    case rejecting
  }

  private struct State {
    var mood = Mood.truthful
    var asked: [TransactionEvidence] = []
    var granted: [TransactionID: Int] = [:]
  }

  private let store: SimulatedAppStore
  private let state = Mutex(State())

  init(store: SimulatedAppStore) { self.store = store }

  var mood: Mood {
    get { state.withLock { $0.mood } }
    set { state.withLock { $0.mood = newValue } }
  }

  /// Everything that it was asked.
  var asked: [TransactionEvidence] { state.withLock { $0.asked } }

  func judge(_ evidence: TransactionEvidence) async throws -> ReceiptValidationResult {
    let mood = state.withLock { state in
      state.asked.append(evidence)
      return state.mood
    }
    switch mood {
    case .down: throw IAPError.network(underlying: URLError(.cannotConnectToHost))
    case .rejecting:
      return ReceiptValidationResult(
        isValid: false,
        reasons: [RejectionReason(rule: "test", reason: "told to")]
      )
    case .truthful: break
    }
    guard let record = store.transaction(TransactionID(evidence.transactionId)) else {
      return ReceiptValidationResult(
        isValid: false,
        reasons: [RejectionReason(rule: "known", reason: "no such transaction")]
      )
    }
    let history = try history(of: record.account)
    let mine = history.transaction(TransactionID(evidence.transactionId))
    var result = ReceiptValidationResult(
      isValid: true,
      productId: record.productID.rawValue,
      expiresDate: mine?.payload.expiresDate,
      unit: mine?.unit?.rawValue
    )
    result.transactionId = evidence.transactionId
    result.revocationDate = mine?.payload.revocationDate
    result.entitlements = history.access(at: store.clock.now).entitlements.map { entitlement in
      ValidatedEntitlement(
        id: entitlement.id.rawValue,
        productId: entitlement.productID.rawValue,
        until: entitlement.until
      )
    }
    return result
  }

  /// Everything that the store signs about an account.
  func history(of account: AccountID) throws -> StoreHistory {
    let transactions = try store.transactions(of: account).map { record in
      let text = try store.signedTransaction(record.transactionID)
      return StoreFact.transaction(try TransactionPayload(try Self.claims(text)))
    }
    let renewals = try store.subscriptions.filter { $0.account == account }.map { record in
      let text = try store.signedRenewalInfo(record.originalTransactionID)
      return StoreFact.renewal(try RenewalInfoPayload(try Self.claims(text)))
    }
    return StoreHistory(transactions + renewals)
  }

  private static func claims(_ text: String) throws -> JSONObject {
    let parts = text.split(separator: ".")
    return try JSONParser.parseObject(try #require(Base64.decode(parts[1].utf8, .url)))
  }
}
