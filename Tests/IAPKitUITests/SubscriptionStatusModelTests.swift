import Foundation
import IAPKit
import IAPKitTesting
import IAPKitUI
import Testing

@MainActor
@Suite("Subscription status model", .timeLimit(.minutes(1)))
struct SubscriptionStatusModelTests {
  let screens = Screens()

  private func makeModel(
    _ manager: IAPManager,
    _ language: IAPError.Language = .english,
    groupId: String? = nil
  ) async -> SubscriptionStatusModel {
    let model = SubscriptionStatusModel(
      manager: manager,
      groupId: groupId,
      timeZone: Screens.utc,
      language: language
    )
    await model.load()
    return model
  }

  /// The only row, once it says this in its headline.
  private func row(
    _ model: SubscriptionStatusModel,
    _ headline: String
  ) async -> SubscriptionStatusState.Row? {
    await wait(model.states) { $0.rows.first?.headline == headline }?.rows.first
  }

  @Test func saysThatThereIsNone() async {
    let model = await makeModel(screens.launch())
    #expect(model.state.rows == [])
    #expect(model.state.placeholder == "There is no subscription here yet.")
    #expect(await model.act(on: "1") == nil)
  }

  @Test func tellsATrialFromTheRenewalAndTheEnd() async throws {
    let manager = screens.launch()
    let model = await makeModel(manager)
    _ = await manager.buy(Screens.monthly)
    // Until the store has been asked for its state, nobody knows whether it renews.
    let trial = await row(model, "Free trial")
    #expect(trial?.title == "monthly")
    #expect(trial?.isActive == true)
    #expect(trial?.lines == ["Paid until January 8, 2026."])
    #expect(trial?.actionTitle == "Manage Subscription")
    try await screens.store.renew(Screens.monthly)
    let renewed = await wait(model.states) {
      $0.rows.first?.lines == ["Renews on February 8, 2026."]
    }
    #expect(renewed?.rows.first?.headline == "Active")
    try screens.store.setRenewal(of: Screens.monthly, isOn: false)
    await screens.store.settle()
    let ending = await wait(model.states) { $0.rows.first?.lines.first?.hasPrefix("Ends") == true }
    #expect(ending?.rows.first?.lines == ["Ends on February 8, 2026; it does not renew."])
    try await screens.store.expire(Screens.monthly)
    // Time alone tells nobody: the screen asks when it is shown.
    await model.load()
    let ended = await row(model, "Ended")
    #expect(ended?.isActive == false)
    #expect(ended?.lines == ["Ended on February 8, 2026."])
  }

  @Test func explainsAChargeThatFailedAndWhereToMendIt() async throws {
    let manager = screens.launch()
    let model = await makeModel(manager)
    _ = await manager.buy(Screens.yearly)
    try await screens.store.failRenewal(of: Screens.yearly, graceSeconds: 6 * 86_400)
    let grace = await row(model, "Payment problem")
    #expect(grace?.isActive == true)
    #expect(grace?.action == .fixPayment)
    #expect(
      grace?.lines == [
        "The last charge failed. You keep access until January 7, 2027: please check how you pay."
      ]
    )
    let url = await model.act(on: try #require(grace?.id))
    #expect(url == SubscriptionStatusModel.billingURL)
    #expect(url?.absoluteString == "https://apps.apple.com/account/billing")
  }

  @Test func opensTheSheetOfItsGroup() async throws {
    let manager = screens.launch()
    let model = await makeModel(manager)
    _ = await manager.buy(Screens.monthly)
    let id = try #require(await row(model, "Free trial")?.id)
    #expect(await model.act(on: id) == nil)
    #expect(screens.store.managedSubscriptionGroups == ["pro"])
  }

  @Test func tellsARefundAndItsRequest() async throws {
    let manager = screens.launch()
    let model = await makeModel(manager)
    _ = await manager.buy(Screens.yearly)
    let id = try #require(await row(model, "Active")?.id)
    screens.store.willAnswerRefundRequests(.cancelled, .success, .duplicate, .failed)
    var messages: [String?] = []
    for _ in 0..<4 {
      await model.requestRefund(of: id)
      messages.append(model.state.message)
    }
    #expect(
      messages == [
        nil, "The App Store has your request.", "You have asked for this refund before.",
        "The request was not taken.",
      ]
    )
    model.dismissMessage()
    #expect(model.state.message == nil)
    try await screens.store.refund(
      try #require(screens.store.latestTransactionId(of: Screens.yearly))
    )
    let revoked = await row(model, "Taken back")
    #expect(revoked?.isActive == false)
    #expect(revoked?.lines == ["The App Store has refunded it."])
    #expect(revoked?.action == nil)
  }

  @Test func saysThatThePriceNeedsConsent() async throws {
    let manager = screens.launch()
    let model = await makeModel(manager)
    _ = await manager.buy(Screens.yearly)
    try await screens.store.raisePrice(of: Screens.yearly, to: 59.99)
    let waiting = await wait(model.states) { ($0.rows.first?.lines.count ?? 0) == 2 }
    #expect(waiting?.rows.first?.lines.last == "A new price waits for your consent.")
  }

  @Test func offersNothingToWhomItIsSharedWith() async throws {
    let manager = screens.launch()
    let model = await makeModel(manager, .simplifiedChinese)
    try await screens.store.shareFromFamily(Screens.yearly)
    let shared = await row(model, "已订阅")
    #expect(shared?.lines.last == "由家人共享。")
    #expect(shared?.action == nil)
    #expect(shared?.actionTitle == nil)
  }

  @Test func keepsToItsGroup() async throws {
    let manager = screens.launch()
    let model = await makeModel(manager, groupId: "another")
    let all = await makeModel(manager)
    _ = await manager.buy(Screens.yearly)
    _ = await row(all, "Active")
    #expect(model.state.rows == [])
  }
}
