import AppStoreSimulator
import HTTPValues
import IAPKit
import IAPKitUI
import IAPModel
import Testing

@testable import WebDemo

/// The demo by its forms alone, as without a browser's scripts.
@Suite("web demo")
@MainActor
struct WebDemoTests {
  nonisolated static let generations: [StoreGeneration] = [.storekit2, .storekit1]

  private func buy(
    _ product: ProductID,
    _ stage: DemoStage,
    on phone: String = "phone"
  )
    async throws
  {
    let name = DemoPhone.Name(rawValue: phone) ?? .first
    try await stage.wait { snapshot in
      let screens = snapshot.phone(name)?.screens
      return (screens?.shop.rows ?? []).count + (screens?.plans.rows ?? []).count == 4
    }
    _ = await stage.press("buy:\(product)", on: phone)
    try await stage.wait { $0.phone(name)?.sheet != nil }
  }

  @Test(arguments: generations)
  func aPurchaseIsOneLifeFromTheOrderToTheGoods(_ generation: StoreGeneration) async throws {
    try await DemoStage.with { stage in
      _ = await stage.press("generation:\(generation.rawValue)")
      try await buy(DemoCatalog.coins, stage)
      _ = await stage.press("confirm")
      try await stage.wait { $0.phones[0].coins == 100 && $0.lives.first?.granted == 1 }
      try await stage.wait { $0.lives.first?.steps.contains { $0.word == "finished" } == true }
      let life = try #require(stage.demo.snapshot.lives.first)
      #expect(life.order.state == .delivered)
      let words = life.steps.filter { $0.lane == .app }.map(\.word)
      #expect(words.first == "order.opened")
      #expect(words.contains("arrived"))
      #expect(words.contains("delivered"))
      #expect(life.steps.contains { $0.lane == .store && $0.word == "PURCHASE" })
    }
  }

  @Test func theStoresChargeIsSeenBeforeTheAppKnows() async throws {
    try await DemoStage.with { stage in
      _ = await stage.press("killAt:afterPurchase")
      try await buy(DemoCatalog.coins, stage)
      _ = await stage.press("confirm")
      try await stage.wait { !$0.phones[0].isRunning }
      #expect(stage.demo.snapshot.phones[0].lastDeath == "afterPurchase")
      let dead = try #require(stage.demo.snapshot.lives.first)
      #expect(dead.steps.map(\.word) == ["order.opened", "PURCHASE", "ONE_TIME_CHARGE"])
      #expect(dead.order.state == .opened)
      _ = await stage.press("launch")
      try await stage.wait { $0.phones[0].coins == 100 && $0.lives.first?.granted == 1 }
      #expect(stage.demo.snapshot.lives.first?.steps.contains { $0.word == "launched" } == true)
    }
  }

  @Test(arguments: ["cancel", "failPayment"])
  func aSheetThatIsClosedCostsNothing(_ answer: String) async throws {
    try await DemoStage.with { stage in
      try await buy(DemoCatalog.coins, stage)
      _ = await stage.press(answer)
      try await stage.wait { $0.phones[0].sheet == nil && $0.lives.first?.order.state != .opened }
      let state = stage.demo.snapshot.lives.first?.order.state
      #expect(state == (answer == "cancel" ? .cancelled : .failed))
      #expect(stage.demo.snapshot.phones[0].coins == 0)
    }
  }

  @Test func aParentIsAskedAndDeclines() async throws {
    try await DemoStage.with { stage in
      try await buy(DemoCatalog.coins, stage)
      _ = await stage.press("askParent")
      try await stage.wait { $0.questions.count == 1 }
      let question = try #require(stage.demo.snapshot.questions.first)
      _ = await stage.press("decline:\(question.id)")
      try await stage.wait { $0.questions.isEmpty }
      #expect(stage.demo.snapshot.phones[0].coins == 0)
      // It was answered: nothing can be answered twice.
      _ = await stage.press("approve:\(question.id)")
      #expect(stage.demo.snapshot.trouble != nil)
    }
  }

  @Test func aRefundTakesAccessAway() async throws {
    try await DemoStage.with { stage in
      try await buy(DemoCatalog.monthly, stage)
      _ = await stage.press("confirm")
      try await stage.wait { $0.phones[0].access[DemoCatalog.monthly]?.isGranted == true }
      try await stage.wait { $0.lives.first?.refundable != nil }
      let charge = try #require(stage.demo.snapshot.lives.first?.refundable)
      _ = await stage.press("refund:\(charge)")
      try await stage.wait { $0.phones[0].access[DemoCatalog.monthly] == .no }
      #expect(stage.demo.snapshot.lives.first?.refundable == nil)
    }
  }

  @Test func aMonthBringsARenewal() async throws {
    try await DemoStage.with { stage in
      try await buy(DemoCatalog.monthly, stage)
      _ = await stage.press("confirm")
      try await stage.wait { $0.lives.first?.granted == 1 }
      _ = await stage.press("advance:month")
      try await stage.wait { $0.lives.first?.granted == 2 }
      #expect(stage.demo.snapshot.renews == true)
      _ = await stage.press("renewal:off")
      #expect(stage.demo.snapshot.renews == false)
    }
  }

  @Test func aSecondPhoneHasWhatTheFirstBought() async throws {
    try await DemoStage.with { stage in
      try await buy(DemoCatalog.lifetime, stage)
      _ = await stage.press("confirm")
      try await stage.wait { $0.lives.first?.granted == 1 }
      let answer = await stage.press("secondPhone")
      #expect(answer.headers["Location"] == "/?on=second&tab=shop")
      _ = await stage.press("restore", on: "second")
      try await stage.wait { $0.lives.first?.isOnBoth == true }
      #expect(stage.demo.snapshot.lives.count == 1)
    }
  }

  @Test func pricesAreThoseOfTheStorefront() async throws {
    try await DemoStage.with { stage in
      try await stage.wait { $0.phones[0].screens?.shop.rows.count == 2 }
      _ = await stage.press("storefront:DEU")
      try await stage.wait { snapshot in
        snapshot.phones[0].screens?.shop.rows.first?.terms.price.contains("€") == true
      }
      #expect(stage.demo.snapshot.storefront == "DEU")
    }
  }

  @Test func startingOverBeginsWithNothing() async throws {
    try await DemoStage.with { stage in
      try await buy(DemoCatalog.coins, stage)
      _ = await stage.press("confirm")
      try await stage.wait { $0.phones[0].coins == 100 }
      _ = await stage.press("startOver")
      try await stage.wait { $0.lives.isEmpty && $0.phones[0].coins == 0 }
      #expect(stage.demo.account == "mia-2")
    }
  }

  @Test func whatCannotBeDoneIsSaidAndDoesNoHarm() async throws {
    try await DemoStage.with { stage in
      for action in ["confirm", "cancel", "refund:1", "renewal:off", "approve:x"] {
        _ = await stage.press(action)
        #expect(stage.demo.snapshot.trouble != nil, "\(action)")
      }
      _ = await stage.press("launch")
      #expect(stage.demo.snapshot.trouble == nil)
    }
  }
}
