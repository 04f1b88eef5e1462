import Foundation
import IAPKit
import IAPKitTesting
import IAPKitUI
import Testing

@MainActor
@Suite("Open purchases model", .timeLimit(.minutes(1)))
struct OpenPurchasesModelTests {
  let screens = Screens()

  private func makeModel(_ manager: IAPManager) async -> OpenPurchasesModel {
    let model = OpenPurchasesModel(manager: manager, timeZone: Screens.utc, language: .english)
    await model.load()
    return model
  }

  @Test func showsWhatWaitsForAParentUntilItIsApproved() async throws {
    let manager = screens.launch()
    let model = await makeModel(manager)
    #expect(model.state.placeholder == "Nothing is open.")
    screens.store.willAnswer(.askParent)
    _ = await manager.buy(Screens.lifetime)
    let waiting = await wait(model.states) { $0.kinds == [.waiting] }
    let row = try #require(waiting?.rows.first)
    #expect(row.title == "lifetime")
    #expect(row.text == "Waiting for approval. It opens by itself.")
    #expect(row.reference == nil && row.day == nil && !row.canRetry)
    #expect(model.state.title(.waiting) == "Waiting for approval")
    try await screens.store.approvePurchase(of: Screens.lifetime)
    #expect(await wait(model.states) { $0.rows.isEmpty } != nil)
  }

  @Test func showsWhatIsBeingCheckedUntilItIsThere() async throws {
    let manager = screens.launch()
    let model = await makeModel(manager)
    screens.store.validator.mood = .unavailable
    _ = await manager.buy(Screens.coins)
    let checking = await wait(model.states) { $0.kinds == [.checking] }
    let row = try #require(checking?.rows.first)
    #expect(row.text == "Paid. It is being checked and opens by itself.")
    #expect(row.day == "January 1, 2026")
    #expect(model.state.title(.checking) == "We are checking your purchase")
    screens.store.validator.mood = .truthful
    await screens.store.advance(by: 3600)
    #expect(await wait(model.states) { $0.rows.isEmpty } != nil)
  }

  @Test func showsALostPurchaseWithACodeAndChecksItAgain() async throws {
    let manager = screens.launch { $0.quarantine.rejectionsBorne = 0 }
    let model = await makeModel(manager)
    screens.store.validator.mood = .rejecting
    _ = await manager.buy(Screens.coins)
    let lost = await wait(model.states) { $0.kinds == [.lost] }
    let row = try #require(lost?.rows.first)
    let reference = try #require(row.reference)
    #expect(reference == manager.ordersNeedingAttention.first?.contactReference)
    #expect(row.text.hasSuffix("(\(reference))"))
    #expect(row.canRetry)
    let text = try #require(model.supportText(row.id))
    #expect(
      text == "coins (com.example.coins)\nCode: \(reference)\nJanuary 1, 2026\nrejected, 1"
    )
    let report = try model.report(row.id)
    #expect(String(decoding: report, as: UTF8.self).contains(reference))
    screens.store.validator.mood = .truthful
    await model.retry(row.id)
    #expect(model.state.message == .delivered)
    #expect(await wait(model.states) { $0.rows.isEmpty } != nil)
    #expect(model.supportText(row.id) == nil)
    #expect(throws: IAPError.self) { try model.report("none") }
  }

  @Test func doesNotRetryWhatBelongsToAnotherUser() async throws {
    let manager = screens.launch { $0.account = "ada" }
    let model = await makeModel(manager)
    screens.store.validator.mood = .unavailable
    _ = await manager.buy(Screens.coins)
    await manager.setAccount("bob")
    screens.store.validator.mood = .truthful
    await screens.store.advance(by: 3600)
    let lost = await wait(model.states) { $0.kinds == [.lost] }
    let row = try #require(lost?.rows.first)
    #expect(!row.canRetry)
    await model.retry(row.id)
    #expect(model.state.message == nil)
  }
}
