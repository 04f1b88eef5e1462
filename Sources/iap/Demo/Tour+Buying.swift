import AppStoreSimulator
import Foundation
import IAPKit
import IAPModel
import SimulatedApp
import SimulatedDevice

/// Steps 1 to 7: products, purchases, and what comes between tap and goods.
extension Tour {
  func loadProducts() async throws -> Words {
    let wanted = [Self.monthly, Self.coins, Self.unknown, Self.lifetime]
    let app = app
    let answer = try await user("loading products") { try await app.products(wanted) }
    let known = wanted.filter { $0 != Self.unknown }
    try require(answer.products.map(\.id) == known.map(\.rawValue), "another order came back")
    try require(answer.missing == [Self.unknown.rawValue], "the unknown id is not reported")
    for product in answer.products {
      try require(!product.displayPrice.isEmpty, "\(product.id) has no price")
    }
    let prices = answer.products.map(\.displayPrice).joined(separator: ", ")
    return Words(
      "3 in the order asked for (\(prices)); \(Self.unknown) is unknown to the store",
      zh: "按请求顺序返回 3 件（\(prices)）；商店不认识 \(Self.unknown)"
    )
  }

  func buyConsumable() async throws -> Words {
    let result = try await buyDelivered(Self.coins)
    try await settleQueue()
    try require(app.count(of: Self.coins) == 1, "handed over \(app.count(of: Self.coins)) times")
    let entries = try await grants(of: TransactionID(result.transactionId))
    try require(entries == 1, "the server has \(entries) grants")
    return Words(
      "delivered, one grant on the server, finished",
      zh: "已交付，服务器上一次发放，交易已完成"
    )
  }

  /// How many grants the server's ledger has for a transaction.
  private func grants(of id: TransactionID) async throws -> Int {
    let purchase = try await serverPurchases().first { purchase in
      purchase["transactionIds"]?.arrayValue?.contains(.string(id.rawValue)) == true
    }
    let entries = purchase?["entries"]?.arrayValue?.compactMap(\.objectValue) ?? []
    return entries.count { $0["kind"] == "grant" }
  }

  func presentTwentyTimes() async throws -> Words {
    guard let effect = app.effects.last(where: { $0.productId == Self.coins.rawValue }) else {
      throw CommandError(.failed, "there is no purchase to present")
    }
    let id = TransactionID(effect.transactionId)
    let proof = try proof(of: id, on: app.device)
    let caller = world.caller
    let answers = try await withThrowingTaskGroup(of: JSONObject.self) { group in
      for _ in 0..<20 { group.addTask { try await caller.verify(proof) } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    try require(Set(answers).count == 1, "\(Set(answers).count) different answers")
    try require(answers.first?["verdict"] == "accepted", "not accepted")
    let count = try await grants(of: id)
    try require(count == 1, "the server has \(count) grants")
    return Words("one grant, twenty equal answers", zh: "一次发放，二十个相同的回答")
  }

  func buyWhileServerIsDown() async throws -> Words {
    let before = app.count(of: Self.coins)
    await world.server.stop()
    let app = app
    let outcome: IAPKit.PurchaseOutcome
    do {
      outcome = try await user("buying") { try await app.buy(Self.coins) }
    } catch {
      try await world.server.start()
      throw error
    }
    let waits = !app.isQueueEmpty
    try await world.server.start()
    guard case .processing = outcome else {
      throw CommandError(.failed, Words("with the server down, buying ended as \(outcome.word)"))
    }
    try require(waits, "finished without an answer of the server")
    try await world.settle("delivered after the server returned") {
      app.count(of: Self.coins) == before + 1 && app.isQueueEmpty
    }
    return Words(
      "\"processing\", not finished; the server returned and the goods came by themselves",
      zh: "显示“处理中”，未完成；服务器恢复后自动交付"
    )
  }

  func dieBeforeValidation() async throws -> Words {
    let before = app.count(of: Self.coins)
    try await buyAndDie(Self.coins, at: .beforeRequest)
    try require(app.count(of: Self.coins) == before, "delivered without validation")
    try await app.launch()
    try await world.settle("delivered after relaunch") {
      app.count(of: Self.coins) == before + 1 && app.isQueueEmpty
    }
    return Words("relaunched: delivered once, finished", zh: "重新启动后：交付一次并完成")
  }

  func dieBeforeFinish() async throws -> Words {
    let before = app.count(of: Self.coins)
    try await buyAndDie(Self.coins, at: .beforeFinish)
    try require(app.count(of: Self.coins) == before + 1, "the goods were not handed over")
    try require(!app.isQueueEmpty, "the store heard of the finish")
    let calls = app.deliveries.elements.count
    try await app.launch()
    try await settleQueue()
    try require(app.count(of: Self.coins) == before + 1, "the goods came twice")
    try require(app.deliveries.elements.count == calls, "the app was called again")
    return Words(
      "relaunched: not delivered again, the queue is empty",
      zh: "重新启动后：没有再次交付，队列已空"
    )
  }

  func cancelAndTapTwice() async throws -> Words {
    let app = app
    let known = Set(app.manager.store.orders.map(\.number))
    app.device.person.willAnswer(.cancel)
    let cancelled = try await user("cancelling") { try await app.buy(Self.coins) }
    try require(cancelled == .cancelled, "cancelling ended as \(cancelled.word)")
    let state = app.manager.store.orders.first { !known.contains($0.number) }?.state
    try require(state == .cancelled, "the order is \(state?.rawValue ?? "not there")")
    try await settleQueue()
    let waiting = try await user("looking at the queue") { try await app.waitingCount() }
    try require(waiting == 0, "\(waiting) transactions wait")

    app.device.person.willAnswer(.hold)
    async let first = user("the first tap") { try await app.buy(Self.coins) }
    try await user("opening the sheet") { await app.device.sheet.waitUntilOpen() }
    let second = try await user("the second tap") { try await app.buy(Self.coins) }
    try app.device.sheet.cancel()
    _ = try await first
    guard case .failed(.purchaseInProgress) = second else {
      throw CommandError(.failed, Words("the second tap ended as \(second.word)"))
    }
    try await settleQueue()
    return Words(
      "order closed as cancelled, no error; the second tap was refused while the sheet was open",
      zh: "订单以“已取消”关闭，无错误提示；付款面板打开时第二次点击被拒绝"
    )
  }
}
