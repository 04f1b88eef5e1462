import AppStoreSimulator
import Foundation
import IAPModel
import SimulatedApp
import SimulatedDevice
import Testing

@testable import IAPKit

@Suite("What happened", .timeLimit(.minutes(1)))
struct DiagnosticsTests {
  private func names(_ events: [DiagnosticEvent]) -> [String] { events.map(\.name.rawValue) }

  @Test("to an order is a timeline from its opening to its end", arguments: generations)
  func timeline(generation: StoreGeneration) async throws {
    let shop = try Shop(generation)
    let app = try await shop.launch()
    _ = try await app.buy(Shop.coins)
    _ = try await app.buy(Shop.lifetime)
    await app.waitUntilQueueIsEmpty()
    await app.events.wait { event in
      if case .finished(let one) = event { one.productId == Shop.lifetime.rawValue } else { false }
    }
    let order = try #require(app.manager.store.orders.first)
    let timeline = app.manager.timeline(ofOrder: order.number.description)
    #expect(
      names(timeline) == [
        "order.opened", "arrived", "order.paid", "accepted", "delivered", "order.delivered",
        "finished", "serverTold",
      ]
    )
    #expect(Set(timeline.compactMap(\.product)) == [Shop.coins])
    #expect(timeline.allSatisfy { $0.launch == 1 })
    #expect(app.manager.timeline(ofOrder: "no such order") == [])
  }

  @Test("in an earlier launch is still known, and told apart", arguments: generations)
  func acrossLaunches(generation: StoreGeneration) async throws {
    let shop = try Shop(generation)
    let app = try await shop.launch()
    shop.server.mood = .down
    _ = try await app.buy(Shop.coins)
    _ = app.manager.diagnosticEvents
    app.kill()
    shop.server.mood = .truthful
    try await app.launch()
    await app.waitUntilQueueIsEmpty()
    await app.events.wait { if case .finished = $0 { true } else { false } }
    let order = try #require(app.manager.store.orders.first)
    let timeline = app.manager.timeline(ofOrder: order.displayNumber)
    #expect(timeline.first?.name.rawValue == "order.opened")
    #expect(timeline.contains { $0.name.rawValue == "unanswered" && $0.launch == 1 })
    #expect(timeline.contains { $0.name.rawValue == "delivered" && $0.launch == 2 })
    #expect(timeline.contains { $0.name.rawValue == "finished" && $0.launch == 2 })
  }

  @Test("is kept within its bounds, the newest of it", arguments: [0, 1])
  func bounds(over: Int) throws {
    let disk = ScriptedDisk()
    let journal = journal(on: disk)
    // The launch is an event too.
    for _ in 1..<(EventJournal.eventsMax + over) {
      journal.note(.restoreEnded(nil))
      journal.flush()
    }
    #expect(
      journal.events().count == (over == 0 ? EventJournal.eventsMax : EventJournal.eventsMax / 2)
    )
    #expect(self.journal(on: disk).events().count == journal.events().count)
  }

  @Test("survives a torn line, junk between lines and a full disk")
  func damage() throws {
    let disk = ScriptedDisk()
    let first = journal(on: disk)
    first.note(.restoreEnded(.userCancelled))
    first.flush()
    disk[EventJournal.fileName]? += Array("not JSON\n{\"torn".utf8)
    let second = journal(on: disk)
    #expect(second.events().map(\.details) == [[:], ["error": "userCancelled"]])
    disk.fail(.full)
    second.note(.journalRepaired(damagedRecords: 3))
    let names: [DiagnosticEvent.Name] = [.launched, .restoreEnded, .launched, .journalRepaired]
    #expect(second.events().map(\.name) == names)
    disk.fail(nil)
    second.flush()
    #expect(journal(on: disk).events().map(\.name) == names)
  }

  private func journal(on disk: ScriptedDisk) -> EventJournal {
    EventJournal(
      files: ScriptedFiles(disk),
      now: { Date(milliseconds: 1_700_000_000_000) },
      launch: { 1 }
    )
  }
}

@Suite("A support bundle", .timeLimit(.minutes(1)))
struct SupportBundleTests {
  private static let token = UUID(uuidString: "5EC4E70C-0000-4000-8000-00000000F00D")!

  /// An app after a full day: delivered, refused by the server, unanswered, cancelled, refunded.
  private func used(_ shop: Shop) async throws -> SimulatedApp {
    let app = try await shop.launch { $0.account = "acct_PLANTED" }
    var options = PurchaseOptions(quantity: 2)
    options.accountToken = Self.token
    options.context = ["note": "ctx_PLANTED"]
    options.orderReference = "ref_PLANTED"
    _ = try await app.buy(Shop.coins, options: options)
    _ = try await app.buy(Shop.monthly)
    await app.waitUntilQueueIsEmpty()
    app.device.person.willAnswer(.cancel)
    _ = try await app.buy(Shop.coins)
    shop.server.mood = .rejecting
    _ = try await app.buy(Shop.lifetime)
    shop.server.mood = .down
    _ = try await app.buy(DemoCatalog.season)
    try await app.launch()
    _ = try await app.restore()
    return app
  }

  private func bundle(_ app: SimulatedApp) async throws -> [UInt8] {
    [UInt8](try await app.perform { try $0.supportBundle() })
  }

  private func replay(_ bytes: [UInt8]) throws -> BundleReplay {
    guard case .replayed(let replay) = BundleReplay.run(bytes) else {
      throw IAPError.unknown
    }
    return replay
  }

  @Test("holds nothing that opens or names anything", arguments: generations)
  func secrets(generation: StoreGeneration) async throws {
    let shop = try Shop(generation)
    let app = try await used(shop)
    let text = String(decoding: try await bundle(app), as: UTF8.self)
    #expect(!text.contains("PLANTED"))
    #expect(!text.uppercased().contains(Self.token.uuidString))
    #expect(!text.contains("eyJ"), "no signed text")
    for sold in shop.store.transactions(of: Shop.account) {
      #expect(!text.contains(sold.transactionID.rawValue))
      #expect(!text.contains(sold.originalTransactionID.rawValue))
    }
    for order in app.manager.store.orders {
      #expect(!text.lowercased().contains(order.number.description))
      #expect(!text.lowercased().contains(order.accountToken.description))
    }
    let installation = try #require(app.manager.store.installation)
    #expect(!text.contains(installation.rawValue))
    if let receipt = app.device.receipt {
      #expect(!text.contains(Data(receipt.prefix(30)).base64EncodedString()))
    }
    #expect(text.contains(Shop.coins.rawValue), "products are no secret")
  }

  @Test("tells the same story on another machine", arguments: generations)
  func replayed(generation: StoreGeneration) async throws {
    let shop = try Shop(generation)
    let app = try await used(shop)
    let replay = try replay(try await bundle(app))
    #expect(replay.standings.flatMap(\.differences) == [])
    #expect(replay.skipped == 0)
    let known = Dictionary(
      grouping: app.manager.store.records(),
      by: { $0.transaction.productID }
    ).mapValues { $0.map(\.state).sorted { $0.rawValue < $1.rawValue } }
    let told = Dictionary(grouping: replay.standings, by: \.product)
      .mapValues { $0.compactMap(\.replayed).sorted { $0.rawValue < $1.rawValue } }
    #expect(told == known)
    #expect(replay.lines.contains { $0.event.name.rawValue == "order.cancelled" })
    #expect(replay.lines.contains { $0.event.name == .launched && $0.event.launch == 2 })
  }

  @Test("shows where the journal says something else")
  func difference() async throws {
    let app = try await Shop(.storekit2).launch()
    _ = try await app.buy(Shop.coins)
    await app.events.wait { if case .finished = $0 { true } else { false } }
    let text = String(decoding: try await bundle(app), as: UTF8.self)
    // The journal of this device claims that StoreKit was never told.
    let records = try #require(text.range(of: "\"records\":["))
    let forged =
      text[..<records.lowerBound]
      + text[records.lowerBound...].replacingOccurrences(
        of: "\"state\":\"finished\"",
        with: "\"state\":\"delivered\""
      )
    let replay = try replay(Array(forged.utf8))
    #expect(
      replay.standings.flatMap(\.differences) == [
        BundleReplay.Difference(what: "state", replayed: "finished", recorded: "delivered")
      ]
    )
  }

  @Test(
    "that is none says what is wrong with it",
    arguments: [
      ("", BundleReplay.Refusal.notJSON), ("[]", .notJSON), ("<html>", .notJSON),
      ("{}", .foreign), (#"{"format":"other","version":1}"#, .foreign),
      (#"{"format":"iapkit-support","version":2}"#, .newer(2)),
      (#"{"format":"iapkit-support","version":1}"#, .damaged),
      (#"{"format":"iapkit-support"}"#, .damaged),
    ]
  )
  func refused(text: String, refusal: BundleReplay.Refusal) {
    #expect(BundleReplay.run(Array(text.utf8)) == .refused(refusal))
  }

  @Test("that was cut short is damaged")
  func truncated() async throws {
    let app = try await Shop(.storekit2).launch()
    _ = try await app.buy(Shop.coins)
    let bytes = try await bundle(app)
    #expect(BundleReplay.run(Array(bytes.dropLast())) == .refused(.notJSON))
  }
}
