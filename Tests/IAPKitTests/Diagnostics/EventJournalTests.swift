import AppStoreSimulator
import Foundation
import IAPModel
import SimulatedApp
import SimulatedDevice
import Testing

@testable import IAPKit

@Suite("The journal of events", .timeLimit(.minutes(1)))
struct EventJournalTests {
  private func journal(on disk: ScriptedDisk, launch: Int = 1) -> EventJournal {
    EventJournal(
      files: ScriptedFiles(disk),
      now: { Date(milliseconds: 1_700_000_000_000) },
      launch: { launch }
    )
  }

  private func names(_ journal: EventJournal) -> [String] {
    journal.events().map(\.name.rawValue)
  }

  @Test("has so many bytes at most; then the older half goes", arguments: [0, 1])
  func bytes(over: Int) throws {
    let empty = ScriptedDisk()
    let measured = journal(on: empty)
    measured.note(.restoreEnded(nil))
    measured.flush()
    let own = try #require(empty[EventJournal.fileName]).count
    let disk = ScriptedDisk()
    let length = EventJournal.bytesMax - own + over
    disk[EventJournal.fileName] =
      [UInt8](repeating: UInt8(ascii: "x"), count: length - 1) + [UInt8(ascii: "\n")]
    let full = journal(on: disk)
    full.note(.restoreEnded(nil))
    full.flush()
    #expect(names(full) == ["launched", "restoreEnded"])
    // Within the bound it was appended to; beyond it was written anew.
    #expect(disk.state.withLock { $0.replacements } == over)
    let size = over == 0 ? EventJournal.bytesMax : length + own
    #expect(disk[EventJournal.fileName]?.count == size)
  }

  @Test("has trouble on the disk before anybody hears of it, and the rest behind")
  func trouble() {
    let record = TransactionRecord(
      transaction: .coins("1"),
      state: .quarantined,
      savedAt: Date(milliseconds: 0),
      launch: 1
    )
    let troubles: [FunnelEvent] = [
      .held(record), .rejected(record, ReceiptValidationResult(isValid: false)),
      .quarantined(record), .purchaseFailed("coins", .unknown), .storageFailed(.storage(.full)),
      .journalRepaired(damagedRecords: 1), .restoreEnded(.unknown),
    ]
    for event in troubles {
      let disk = ScriptedDisk()
      let journal = journal(on: disk)
      // A step that was noted before the trouble is written with it.
      let context = DeliveryContext(now: record.savedAt, isKnown: { _ in false })
      journal.note("1", nil, .released, context)
      #expect(disk[EventJournal.fileName] == nil)
      journal.note(event)
      #expect(disk[EventJournal.fileName]?.isEmpty == false, "\(event)")
      #expect(names(self.journal(on: disk)).contains("released"), "the process may die here")
    }
    let disk = ScriptedDisk()
    let journal = journal(on: disk)
    for event in [FunnelEvent.saved(record), .accepted(record, nil), .restoreEnded(nil)] {
      journal.note(event)
    }
    #expect(disk[EventJournal.fileName] == nil)
  }

  @Test("makes each line once, however often the disk takes none of them")
  func fullDisk() {
    let disk = ScriptedDisk()
    disk.fail(.readOnly)
    let journal = journal(on: disk)
    for _ in 0..<100 {
      journal.note(.restoreEnded(nil))
      journal.flush()
    }
    #expect(journal.madeCount == 101)
    disk.fail(nil)
    journal.flush()
    #expect(names(journal).count == 101)
    #expect(journal.madeCount == 101)
  }

  @Test("tells what happens, and a late listener also what it missed of this launch")
  func stream() async {
    let disk = ScriptedDisk()
    let earlier = journal(on: disk)
    earlier.note(.journalRepaired(damagedRecords: 1))
    let journal = journal(on: disk, launch: 2)
    var first = journal.stream(replaying: false).makeAsyncIterator()
    journal.note(.restoreEnded(nil))
    journal.flush()
    journal.note(.restoreEnded(.userCancelled))
    var late = journal.stream(replaying: true).makeAsyncIterator()
    var next = journal.stream(replaying: false).makeAsyncIterator()
    journal.note(.storageFailed(.storage(.full)))
    var heard: [[String?]] = [[], [], []]
    for _ in 0..<4 {
      heard[0].append(await first.next()?.name.rawValue)
      heard[1].append(await late.next()?.name.rawValue)
    }
    heard[2].append(await next.next()?.name.rawValue)
    let all = ["launched", "restoreEnded", "restoreEnded", "storageFailed"]
    #expect(heard == [all, all, ["storageFailed"]])
  }
}

@Suite("Events for the app", .timeLimit(.minutes(1)))
struct DiagnosticEventStreamTests {
  @Test("name the end of a restore, whatever it found", arguments: generations)
  func restore(generation: StoreGeneration) async throws {
    let shop = try Shop(generation)
    let app = try await shop.launch()
    var stream = app.manager.diagnosticEventStream().makeAsyncIterator()
    func nextEnd() async -> DiagnosticEvent? {
      while let event = await stream.next() {
        if event.name == .restoreEnded { return event }
      }
      return nil
    }
    _ = try await app.restore()
    #expect(await nextEnd()?.details == [:])
    app.device.person.signsIn = false
    _ = try await app.restore()
    #expect(await nextEnd()?.details == ["error": "userCancelled"])
    var late = app.manager.diagnosticEventStream(replayingMissed: true).makeAsyncIterator()
    var ends = 0
    while ends < 2, let event = await late.next() {
      if event.name == .restoreEnded { ends += 1 }
    }
    #expect(ends == 2, "a late consumer hears of both")
  }

  @Test("in a support bundle are left out when they are long", arguments: [120, 121])
  func longTexts(length: Int) async throws {
    let shop = try Shop(.storekit2)
    let app = try shop.install()
    let rule = String(repeating: "r", count: length)
    app.update { setup in
      setup.judge = .script { _ in
        ReceiptValidationResult(isValid: false, reasons: [RejectionReason(rule: rule, reason: "")])
      }
    }
    try await app.launch()
    _ = try await app.buy(Shop.coins)
    let bundle = String(decoding: try app.manager.supportBundle(), as: UTF8.self)
    #expect(bundle.contains(rule) == (length <= SupportBundle.textMax))
    #expect(bundle.contains("(left out)"), "the longer text of the last error is")
  }
}
