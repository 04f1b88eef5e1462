import AppStoreSimulator
import Foundation
import IAPModel
import SimulatedDevice
import StoreKit
import Testing

@Suite("A call that a test makes fail", .timeLimit(.minutes(1)))
struct ForcedFailureTests {
  private func failure(_ body: @Sendable () async throws -> Void) async -> String {
    do {
      try await body()
      return "none"
    } catch {
      return "\(error)"
    }
  }

  @Test func throwsWhatWasAskedForUntilItIsToldOtherwise() async throws {
    let device = try DeviceWorld().device()
    let process = device.launch()
    let bought = try await process.bought(DeviceWorld.monthly)
    let table: [(FailableCall, @Sendable () async throws -> Void)] = [
      (.loadProducts, { _ = try await Product.products(for: [DeviceWorld.coins]) }),
      (.synchronization, { try await AppStore.sync() }),
      (
        .subscriptionStatus,
        { _ = try await Product.SubscriptionInfo.status(for: DeviceWorld.group) }
      ),
      (
        .subscriptionStatus,
        { _ = try await Product.SubscriptionInfo.status(transactionID: bought.id) }
      ), (.appTransaction, { _ = try await AppTransaction.shared }),
      (.manageSubscriptions, { try await AppStore.showManageSubscriptions() }),
      (.offerCodeRedemption, { try await AppStore.presentOfferCodeRedeemSheet() }),
      (.refundRequest, { _ = try await bought.beginRefundRequest() }),
    ]
    for (call, body) in table {
      try device.setFailure(.general(.notEntitled), of: call)
      let forced = try await process.run { await failure(body) }
      #expect(forced == "notEntitled", "\(call)")
      try device.setFailure(nil, of: call)
      let free = try await process.run { await failure(body) }
      #expect(free == "none", "\(call)")
    }
  }

  @Test func aPurchaseFailsForEveryReasonThatPurchasesHave() async throws {
    let world = try DeviceWorld()
    let device = try world.device()
    let process = device.launch()
    for reason in ForcedFailure.Purchase.allCases {
      try device.setFailure(.purchase(reason), of: .purchase)
      let text = await failure { _ = try await process.buy(DeviceWorld.coins) }
      #expect(text == reason.rawValue)
    }
    for reason in ForcedFailure.General.allCases where reason != .network && reason != .system {
      try device.setFailure(.general(reason), of: .purchase)
      let text = await failure { _ = try await process.buy(DeviceWorld.coins) }
      #expect(text == reason.rawValue)
    }
    try device.setFailure(.general(.network), of: .purchase)
    let error = await #expect(throws: StoreKitError.self) {
      _ = try await process.buy(DeviceWorld.coins)
    }
    guard case .networkError? = error else { return #expect(Bool(false)) }
    #expect(world.transactions.isEmpty)
  }

  @Test func aPaymentFailsWithEveryCodeThatThereIs() async throws {
    let world = try DeviceWorld()
    let device = try world.device()
    let process = device.launch()
    let observer = QueueObserver(finishing: [.failed])
    try await process.observe(observer)
    for code in 0...20 {
      try device.setFailure(.payment(code: code), of: .purchase)
      try await process.pay(for: DeviceWorld.coins)
      let failed = try #require(await observer.transactions.next(2).last)
      #expect((failed.error as? SKError)?.code.rawValue == code)
      #expect(await failure { _ = try await process.buy(DeviceWorld.coins) } != "none")
    }
    try device.setFailure(.purchase(.invalidOfferPrice), of: .purchase)
    try await process.pay(for: DeviceWorld.coins)
    let failed = try #require(await observer.transactions.next(2).last)
    #expect((failed.error as? SKError)?.code == .invalidOfferPrice)
    #expect(world.transactions.isEmpty)
  }

  @Test func signedDataArrivesUnverified() async throws {
    let device = try DeviceWorld().device()
    let process = device.launch()
    for reason in ForcedFailure.Verification.allCases {
      try device.setFailure(.verification(reason), of: .verification)
      guard
        case .success(.unverified(let transaction, let error)) = try await process.buy(
          DeviceWorld.coins
        )
      else { return #expect(Bool(false), "verified") }
      #expect("\(error)" == reason.rawValue)
      await process.start { await transaction.finish() }.value
    }
  }

  @Test func aRefundRequestFailsForItsOwnReasons() async throws {
    let device = try DeviceWorld().device()
    let process = device.launch()
    let bought = try await process.bought(DeviceWorld.coins)
    for reason in ForcedFailure.RefundRequest.allCases {
      try device.setFailure(.refundRequest(reason), of: .refundRequest)
      let text = try await process.run {
        await failure { _ = try await bought.beginRefundRequest() }
      }
      #expect(text == reason.rawValue)
    }
  }

  @Test func whatACallCannotFailWithIsRefused() throws {
    let device = try DeviceWorld().device()
    let table: [(FailableCall, ForcedFailure)] = [
      (.loadProducts, .purchase(.invalidQuantity)), (.loadProducts, .payment(code: 0)),
      (.purchase, .verification(.invalidEncoding)), (.purchase, .refundRequest(.failed)),
      (.purchase, .payment(code: -1)), (.purchase, .payment(code: 21)),
      (.verification, .general(.unknown)), (.refundRequest, .payment(code: 2)),
      (.manageSubscriptions, .refundRequest(.failed)),
    ]
    for (call, failure) in table {
      #expect(throws: DeviceError(.notPossible, "")) {
        try device.setFailure(failure, of: call)
      }
      #expect(device.failure(of: call) == nil)
    }
  }

  @Test func everythingIsSetBackAtOnce() async throws {
    let device = try DeviceWorld().device()
    try device.setFailure(.general(.unknown), of: .purchase)
    device.person.usualAnswer = .cancel
    device.connection.answersToLose = 3
    device.locale = "zh_Hans"
    let process = device.launch()
    let name = { @Sendable () async throws -> String? in
      try await process.run {
        try await Product.products(for: [DeviceWorld.coins]).first?.displayName
      }
    }
    device.connection.answersToLose = 0
    #expect(try await name() == "100 金币")
    device.connection.answersToLose = 3
    device.resetControls()
    #expect(try await name() == "100 Coins")
    #expect(device.failure(of: .purchase) == nil)
    _ = try await process.bought(DeviceWorld.coins)
  }

  @Test func whatTheFileLetsFailFails() async throws {
    let text = """
      {"version":{"major":4,"minor":0},
      "products":[{"productID":"book","type":"NonConsumable","displayPrice":"3"}],
      "settings":{"_failTransactionsEnabled":true,"_storeKitErrors":[
      {"name":"App Store Sync","enabled":true,"current":{"index":2,"type":"generic"}},
      {"name":"App Transaction","enabled":false,"current":null},
      {"name":"Verification","enabled":true,"current":{"index":0,"type":"verification"}}]}}
      """
    let catalog = try StoreCatalog(parsing: Array(text.utf8), file: "Failing.storekit")
    let device = try DeviceWorld(catalog: catalog).device()
    let process = device.launch()
    #expect(try await process.run { await failure { try await AppStore.sync() } } == "unknown")
    guard case .success(.unverified(_, .invalidSignature)) = try await process.buy("book") else {
      return #expect(Bool(false), "verified")
    }
    // A test's own word comes first.
    try device.setFailure(.general(.notEntitled), of: .synchronization)
    #expect(try await process.run { await failure { try await AppStore.sync() } } == "notEntitled")
    let app = try await process.run { await failure { _ = try await AppTransaction.shared } }
    #expect(app == "none")
  }
}
