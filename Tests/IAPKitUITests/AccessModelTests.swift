import Foundation
import IAPKit
import IAPKitTesting
import IAPKitUI
import Testing

@MainActor
@Suite("Access model", .timeLimit(.minutes(1)))
struct AccessModelTests {
  let screens = Screens()

  @Test func goesFromUnknownToNoToYesAndBack() async throws {
    let manager = screens.launch()
    let model = AccessModel(manager: manager, entitlement: "pro")
    #expect(await wait(model.states) { $0 == .no } != nil)
    _ = await manager.buy(Screens.yearly)
    #expect(await wait(model.states, until: \.isGranted) != nil)
    try await screens.store.refund(
      try #require(screens.store.latestTransactionId(of: Screens.yearly))
    )
    #expect(await wait(model.states) { $0 == .no } != nil)
  }

  @Test func oneThatNobodyFeedsIsUnknown() async {
    let entitlements = EntitlementManager()
    var answers = entitlements.accessStream(to: "pro").makeAsyncIterator()
    #expect(await answers.next() == .unknown)
  }
}

@MainActor
@Suite("Restore model", .timeLimit(.minutes(1)))
struct RestoreModelTests {
  let screens = Screens()

  @Test func restoresOrSaysThatThereIsNothing() async throws {
    let model = RestoreModel(manager: screens.launch(), language: .english)
    #expect(model.state.title == "Restore Purchases")
    await model.restore()
    #expect(model.state.message == .nothingToRestore)
    try await screens.store.buyElsewhere(Screens.lifetime)
    await model.restore()
    #expect(model.state.messageText == "Restored: 1.")
    model.dismissMessage()
    #expect(model.state == RestoreState(language: .english))
  }

  @Test func speaksChinese() async {
    let model = RestoreModel(manager: screens.launch(), language: .simplifiedChinese)
    #expect(model.state.title == "恢复购买")
    await model.restore()
    #expect(model.state.messageText == "没有找到购买记录。是否使用了另一个 App Store 账户？")
  }
}
