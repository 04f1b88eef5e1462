import AppStoreSimulator
import Foundation
import IAPKit
import IAPModel
import SimulatedApp
import SimulatedDevice

/// Steps 8 to 12: what happens after the tap, for months.
extension Tour {
  func askToBuy() async throws -> Words {
    let before = app.count(of: Self.coins)
    let app = app
    app.device.person.willAnswer(.askParent)
    let options = PurchaseOptions(context: ["level": "7"])
    let outcome = try await user("asking") { try await app.buy(Self.coins, options: options) }
    guard case .pending(let number) = outcome else {
      throw CommandError(.failed, Words("asking ended as \(outcome.word)"))
    }
    app.kill()
    guard let pending = world.store.pendingPurchases.last else {
      throw CommandError(.failed, "the store waits for no parent")
    }
    _ = try world.store.approve(pending.id)
    try require(app.count(of: Self.coins) == before, "delivered to a dead app")
    try await app.launch()
    try await world.settle("delivered after the approval") {
      app.count(of: Self.coins) == before + 1 && app.isQueueEmpty
    }
    let effect = app.effects.last
    try require(effect?.context == ["level": "7"], "the order's context is lost")
    try require(effect?.orderNumber == number, "delivered for another order")
    return Words(
      "pending; approved while the app was dead; delivered with the order's own context",
      zh: "等待批准；App 未运行时获批；重新启动后连同订单上下文一起交付"
    )
  }

  func rejectUntilQuarantined() async throws -> Words {
    let before = app.count(of: Self.coins)
    let app = app
    let usual = Self.setup(world, generation, account, route)
    let known = Set(app.manager.store.orders.map(\.number))
    switch generation {
    case .storekit2:
      // A server for production refuses what was bought in the sandbox, and says so.
      route.isProduction = true
    case .storekit1:
      app.update { $0 = $0.judgedByRefusals() }
      try await app.launch()
    }
    _ = try await user("buying") { try await app.buy(Self.coins) }
    try await world.settle("quarantined", hours: 48) {
      let order = app.manager.store.orders.first { !known.contains($0.number) }
      return order?.state == .quarantined && app.isQueueEmpty
    }
    try require(app.count(of: Self.coins) == before, "delivered although it was rejected")
    let kept = app.manager.store.records().last { $0.state == .quarantined }
    try require(kept != nil, "nothing was kept for a later delivery")
    let count = kept?.rejections ?? 0
    try require(count > 3, "set aside after \(count) rejections")
    route.isProduction = false
    if generation == .storekit1 {
      app.update { $0 = usual }
      try await app.launch()
    }
    _ = try await buyDelivered(Self.coins)
    try await settleQueue()
    try require(app.count(of: Self.coins) == before + 1, "the later order was not delivered once")
    return Words(
      "\(count) rejections: quarantined, kept and finished; a later order came through",
      zh: "\(count) 次拒绝后：隔离、保留并完成；之后的订单正常交付"
    )
  }

  func restoreElsewhere() async throws -> Words {
    let result = try await buyDelivered(Self.lifetime)
    try await settleQueue()
    let setup = Self.setup(world, generation, account, route)
    let tablet = try apps.install(
      on: DeviceID("tablet-\(generation.rawValue)"),
      of: account,
      world,
      setup
    )
    try await tablet.launch()
    let summary = try await user("restoring") { try await tablet.restore() }
    let found = (summary.restored + summary.alreadyHad).filter {
      $0.productId == Self.lifetime.rawValue
    }
    try require(found.count == 1, "restored \(found.count) of them")
    try await world.settle("delivered on the second device") {
      tablet.count(of: Self.lifetime) == 1 && tablet.isQueueEmpty
    }
    let purchases = try await serverPurchases().filter {
      $0["originalTransactionId"]?.stringValue == result.originalTransactionId
    }
    let entries = purchases.flatMap { $0["entries"]?.arrayValue ?? [] }
    try require(entries.count == 1, "the server has \(entries.count) entries for it")
    try await restoreNothing()
    tablet.kill()
    return Words(
      "restored on the tablet, the same grant; another account is told that nothing was found",
      zh: "已在平板上恢复，仍是同一次发放；另一账户被告知没有可恢复的购买"
    )
  }

  private func restoreNothing() async throws {
    let stranger = AccountID("noah-\(generation.rawValue)")
    try world.store.addAccount(stranger)
    let other = try apps.install(
      on: DeviceID("other-\(generation.rawValue)"),
      of: stranger,
      world,
      Self.setup(world, generation, stranger, route)
    )
    try await other.launch()
    let nothing = try await user("restoring nothing") { try await other.restore() }
    other.kill()
    try require(nothing.isNothingFound, "an account without purchases restored something")
  }

  func renew() async throws -> Words {
    let bought = try await buyDelivered(Self.monthly)
    guard let first = bought.expiresDate else {
      throw CommandError(.failed, "the subscription has no end")
    }
    try await settleQueue()
    if generation == .storekit1 { app.kill() }
    await world.store.advance(to: first.addingTimeInterval(3600))
    if generation == .storekit1 { try await app.launch() }
    let app = app
    // A renewal is a unit of its own: its goods are handed over like those of the first month.
    try await world.settle("the renewal is delivered") {
      app.count(of: Self.monthly) == 2 && app.isQueueEmpty
    }
    guard
      let paid = world.store.transactions(of: account).last(where: {
        $0.productID == Self.monthly
      }),
      let second = paid.expiresDate
    else { throw CommandError(.failed, "the store did not renew") }
    try require(second > first, "the renewal does not reach further")
    let until = try await serverAccess(to: Self.monthly)?["until"]?.integerValue
    try require(
      until.map { Self.day(Date(milliseconds: $0)) } == Self.day(second),
      "the server's access does not reach the new date"
    )
    try await world.settle("the device's access reaches the new date", hours: 1) {
      guard case .yes(let until?, _, _) = app.access(to: Self.monthly) else { return false }
      return Self.day(until) == Self.day(second)
    }
    try require(
      wasNotified("DID_RENEW", of: paid.transactionID),
      "no notification reached the server"
    )
    return Words(
      "renewed; notification and device agree: access until \(Self.day(second))",
      zh: "已续订；通知与设备一致：可用至 \(Self.day(second))"
    )
  }

  /// Whether the server took a notification about the transaction.
  private func wasNotified(_ type: String, of id: TransactionID) -> Bool {
    world.store.notifications.contains { record in
      record.type.rawValue == type && record.transaction?.transactionID == id && record.isDelivered
    }
  }

  func refund() async throws -> Words {
    let paid = world.store.transactions(of: account)
    guard let last = paid.last(where: { $0.productID == Self.monthly }) else {
      throw CommandError(.failed, "there is no subscription to refund")
    }
    let before = app.access(to: Self.monthly)
    try world.store.refund(last.transactionID, reason: .other)
    await world.store.drainNotifications()
    let app = app
    if generation == .storekit1 {
      // The queue does not tell of refunds: the server does, when the person comes back.
      try await user("coming back") { try await app.enterForeground() }
    }
    try await world.settle("the device's access is gone", hours: 1) {
      app.access(to: Self.monthly) == .no
    }
    try require(before.isGranted, "there was no access before")
    let remaining = try await serverAccess(to: Self.monthly)
    try require(remaining == nil, "the server still gives access")
    let taken = try await clawbacks()
    try require(taken == 1, "the server took the goods back \(taken) times")
    let shelf = app.count(.clawback, of: Self.monthly)
    try require(shelf <= 1, "the app took the goods back \(shelf) times")
    return Words(
      "access gone on the device and on the server, taken back once",
      zh: "设备与服务器均已停止访问，只收回一次"
    )
  }

  private func clawbacks() async throws -> Int {
    let purchases = try await serverPurchases().filter {
      $0["productId"]?.stringValue == Self.monthly.rawValue
    }
    let entries = purchases.flatMap { $0["entries"]?.arrayValue?.compactMap(\.objectValue) ?? [] }
    return entries.count { $0["kind"] == "clawback" }
  }

  /// A day in the notation that sorts.
  static func day(_ date: Date) -> String {
    let format = ISO8601DateFormatter()
    format.formatOptions = [.withFullDate]
    return format.string(from: date)
  }
}
