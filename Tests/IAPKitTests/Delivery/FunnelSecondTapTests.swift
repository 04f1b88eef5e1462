import Foundation
import IAPKit
import IAPModel
import Testing

@Suite(.timeLimit(.minutes(1))) struct FunnelSecondTapTests {
  private let world = ScriptedWorld()
  private let coins = OrderDraft(productID: "coins", context: ["level": "7"])

  private func result(_ outcome: PurchaseOutcome) -> IAPTransactionResult? {
    switch outcome {
    case .delivered(let result), .processing(let result), .alreadyOwned(let result): result
    case .pending, .scheduled, .cancelled, .failed: nil
    }
  }

  // MARK: The second tap

  @Test func secondTapWhileTheSheetIsOpenIsRefused() async {
    world.sellsCoins()
    let process = world.launch()
    let gate = Gate()
    process.adapter.sheetGate.withLock { $0 = gate }
    async let first = process.funnel.buy(coins)
    await gate.isReached()
    world.clock.advance(by: 100_000)
    #expect(await process.funnel.buy(coins) == .failed(.purchaseInProgress))
    gate.open()
    guard case .delivered = await first else { return #expect(Bool(false)) }
    #expect(process.store.orders.count == 1)
  }

  @Test func secondTapCanJoin() async {
    world.sellsCoins()
    let configuration = FunnelConfiguration(orders: OrderPolicy(secondTap: .join))
    let process = world.launch(configuration: configuration)
    let gate = Gate()
    process.adapter.sheetGate.withLock { $0 = gate }
    async let first = process.funnel.buy(coins)
    await gate.isReached()
    async let second = process.funnel.buy(coins)
    async let third = process.funnel.buy(coins)
    gate.open()
    let outcomes = await [first, second, third]
    #expect(Set(outcomes.compactMap(result).map(\.transactionId)) == ["1"])
    #expect(world.app.calls.count == 1)
  }

  @Test(arguments: [(OrderPolicy.Concurrency.onePerProduct, true), (.oneAtAll, false)])
  func anotherProductMayBeBoughtMeanwhileByPolicy(
    _ row: (concurrency: OrderPolicy.Concurrency, mayBuy: Bool)
  ) async {
    world.sellsAnything()
    let policy = OrderPolicy(concurrency: row.concurrency, secondTap: .join)
    let process = world.launch(configuration: FunnelConfiguration(orders: policy))
    let gate = Gate()
    process.adapter.sheetGate.withLock { $0 = gate }
    async let first = process.funnel.buy(coins)
    await gate.isReached()
    process.adapter.sheetGate.withLock { $0 = nil }
    let second = await process.funnel.buy(OrderDraft(productID: "pro"))
    #expect((second == .failed(.purchaseInProgress)) == !row.mayBuy)
    gate.open()
    _ = await first
  }

  @Test func tapAfterARelaunchIsRefusedUntilTheMarkExpires() async {
    let first = world.launch()
    let gate = Gate()
    first.adapter.sheetGate.withLock { $0 = gate }
    async let lost = first.funnel.buy(coins)
    await gate.isReached()
    first.life.kill()
    world.sellsCoins()
    let second = world.launch()
    #expect(await second.funnel.buy(coins) == .failed(.purchaseInProgress))
    world.clock.advance(by: 120)
    guard case .delivered = await second.funnel.buy(coins) else { return #expect(Bool(false)) }
    gate.open()
    _ = await lost
  }
}
