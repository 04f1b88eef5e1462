import AppStoreSimulator
import Foundation
import IAPModel
import SimulatedApp
import SimulatedDevice
import Testing

@testable import IAPKit

@Suite("Promoted purchases that wait", .timeLimit(.minutes(1)))
struct PromotedPurchasesTests {
  private let world = ScriptedWorld()

  private func waiting() -> PromotedPurchases { PromotedPurchases(world: world.world()) }

  private func purchase(_ number: Int) -> PromotedPurchase {
    PromotedPurchase(productId: "p\(number)", offerId: number == 1 ? "back" : nil)
  }

  @Test("are there after a kill, with their offer, and gone when they were answered")
  func durable() {
    let first = waiting()
    first.add(purchase(1))
    first.add(purchase(2))
    first.add(purchase(1))
    #expect(waiting().all == [purchase(1), purchase(2)])
    first.remove(purchase(1))
    first.remove(purchase(7))
    #expect(waiting().all == [purchase(2)])
  }

  @Test("wait for a day", arguments: [(86_400.0, true), (86_401, false), (-31_536_000, true)])
  func age(row: (seconds: Double, waits: Bool)) {
    let first = waiting()
    first.add(purchase(1))
    if row.seconds < 0 {
      world.clock.set(back: -row.seconds)
    } else {
      world.clock.advance(by: row.seconds)
    }
    #expect(first.all.isEmpty != row.waits)
    #expect(waiting().all.isEmpty != row.waits)
  }

  @Test("are so many at most, the newest of them", arguments: [20, 21])
  func bound(count: Int) {
    let first = waiting()
    for number in 1...count { first.add(purchase(number)) }
    #expect(first.all == ((count - 19)...count).map(purchase))
    #expect(waiting().all == first.all)
  }

  @Test(
    "are none when their file is damaged or newer",
    arguments: [
      "", "junk", "[]", #"{"version":2,"purchases":[{"productId":"p","since":1}]}"#,
      #"{"version":1,"purchases":[{"productId":7},{"since":1},"p"]}"#, #"{"version":1}"#,
    ]
  )
  func damaged(text: String) {
    world.disk[PromotedPurchases.fileName] = Array(text.utf8)
    #expect(waiting().all == [])
  }

  @Test("wait in memory when the disk is full")
  func fullDisk() {
    world.disk.fail(.full)
    let first = waiting()
    first.add(purchase(1))
    #expect(first.all == [purchase(1)])
    #expect(waiting().all == [])
  }

  @Test("come to who asks for the stream late, those that wait first")
  func stream() async {
    let first = waiting()
    first.add(purchase(1))
    var stream = first.stream.makeAsyncIterator()
    first.add(purchase(2))
    #expect([await stream.next(), await stream.next()] == [purchase(1), purchase(2)])
  }

  @Test("outlive the app's process, and are bought once", arguments: generations)
  func killed(generation: StoreGeneration) async throws {
    let shop = try Shop(generation)
    let app = try await shop.launch { $0.promotedPurchases = { _ in .later } }
    try app.device.promotePurchase(of: Shop.coins)
    var stream = app.manager.promotedPurchaseStream.makeAsyncIterator()
    let coins = PromotedPurchase(productId: Shop.coins.rawValue)
    #expect(await stream.next() == coins)
    // The system ends the app while its customer signs in.
    try await app.launch()
    #expect(app.manager.waitingPromotedPurchases == [coins])
    #expect(shop.store.transactions(of: Shop.account).isEmpty, "nothing is bought by itself")
    guard case .delivered = try await app.perform({ await $0.buy(coins) }) else {
      Issue.record("not bought")
      return
    }
    try await app.launch()
    #expect(app.manager.waitingPromotedPurchases == [])
    #expect(app.manager.store.orders.map(\.origin) == [.promoted])
  }
}
