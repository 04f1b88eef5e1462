import Foundation
import HTTPValues
import IAPModel
import Synchronization
import Testing

@Suite(.serialized, .enabled(if: PostgresServer.isWanted, PostgresServer.absence))
struct MigrateCommandTests {
  private final class Answers: Sendable {
    let proofs = Mutex<[Proof]>([])
  }

  /// Everything that was answered is known, and everything else can be sent again, once.
  private func check(_ server: ServedProcess, answered: [Proof], all: [Proof]) async throws {
    let before = await server.metric("iap_ledger_entries")
    for proof in answered {
      let response = try #require(await server.post(proof))
      #expect(response.status == 200)
    }
    #expect(await server.metric("iap_ledger_entries") == before)
    for proof in all {
      let response = try #require(await server.post(proof))
      #expect(response.status == 200)
    }
    #expect(await server.metric("iap_ledger_entries") == all.count)
  }

  @Test func aLedgerMovesWhileItIsServedAndNothingAnsweredIsLost() async throws {
    try await PostgresServer.with { database in
      let served = try ServedStore()
      defer { served.remove() }
      let old = try await ServedProcess(served.words)
      let purchases = try served.purchases(300)
      let answers = Answers()
      for proof in purchases.prefix(50) where await old.post(proof)?.status == 200 {
        answers.proofs.withLock { $0.append(proof) }
      }
      async let outcome = CommandProcess.run(
        ["migrate", "--from", "sqlite:" + served.ledgerPath, "--to", database.address]
      )
      // Sent from the beginning of the copy to after its end.
      for proof in purchases.dropFirst(50).dropLast() where await old.post(proof)?.status == 200 {
        answers.proofs.withLock { $0.append(proof) }
      }
      let moved = try await outcome
      #expect(moved.status == 0, "\(moved.output) \(moved.errors)")
      #expect(moved.output.contains("moved; "))
      // The old server acknowledges nothing any more, and its file is refused.
      let last = try #require(purchases.last)
      #expect(await old.post(last)?.status == 503)
      old.process.signal(SIGTERM)
      let refused = try await CommandProcess.run(["keys", "list", "--database", served.ledgerPath])
      #expect(refused.status != 0)
      #expect(refused.errors.contains("newerSchema"))
      let new = try await ServedProcess(served.words(database: database.address))
      try await check(new, answered: answers.proofs.withLock { $0 }, all: purchases)
      // A place that holds a ledger takes no other.
      let again = try await CommandProcess.run(
        ["restore", "--from", served.ledgerPath, "--database", database.address]
      )
      #expect(again.status != 0)
      new.process.signal(SIGTERM)
      #expect(await new.process.exit() == 0)
    }
  }

  @Test func aBackupGoesFromOneKindOfDatabaseToTheOtherAndBack() async throws {
    try await PostgresServer.with { database in
      let served = try ServedStore()
      defer { served.remove() }
      let first = served.folder.path + "/first.sqlite"
      let second = served.folder.path + "/second.sqlite"
      let restored = served.folder.path + "/restored.sqlite"
      let purchases = try served.purchases(20)
      let server = try await ServedProcess(served.words)
      for proof in purchases { #expect(await server.post(proof)?.status == 200) }
      // While it is served.
      let calls = [
        ["backup", "--database", served.ledgerPath, "--to", first],
        ["restore", "--from", first, "--database", database.address],
        ["backup", "--database", database.address, "--to", second],
        ["restore", "--from", second, "--database", restored],
      ]
      for call in calls {
        let outcome = try await CommandProcess.run(call)
        #expect(outcome.status == 0, "\(call[0]): \(outcome.output) \(outcome.errors)")
      }
      server.process.signal(SIGTERM)
      for place in [database.address, restored] {
        let copy = try await ServedProcess(served.words(database: place))
        try await check(copy, answered: purchases, all: purchases)
        copy.process.signal(SIGTERM)
        #expect(await copy.process.exit() == 0)
      }
      // Nothing that is there is written over.
      for call in calls {
        #expect(try await CommandProcess.run(call).status != 0, "\(call[0])")
      }
    }
  }

  @Test(
    arguments: [
      ["migrate"], ["migrate", "--from", "a.sqlite"],
      ["migrate", "--from", "postgres://a/b", "--to", "sqlite:a"],
      ["backup"], ["restore"], ["restore", "--from", "a"],
    ]
  )
  func aCallThatSaysTooLittleIsRefused(_ words: [String]) async throws {
    let outcome = try await CommandProcess.run(words, environment: ["IAP_DATABASE": ""])
    #expect(outcome.status == 2)
  }

  @Test func theAddressOfADatabaseIsNotRepeated() async throws {
    let address = "postgres://someone:s3cret@127.0.0.1:1/ledger"
    let served = try ServedStore()
    defer { served.remove() }
    let file = served.folder.appendingPathComponent("address")
    try Data((address + "\n").utf8).write(to: file)
    let outcomes = [
      try await CommandProcess.run(served.words(database: address)),
      try await CommandProcess.run(
        served.words.filter { $0 != "--database" && !$0.hasSuffix("ledger.sqlite") }
          + ["--database-file", file.path]
      ),
      try await CommandProcess.run(
        ["keys", "list"],
        environment: ["IAP_DATABASE": address]
      ),
      try await CommandProcess.run(
        ["backup", "--to", served.folder.path + "/b"],
        environment: ["IAP_DATABASE": address]
      ),
    ]
    for outcome in outcomes {
      #expect(outcome.status != 0)
      let words = outcome.output + outcome.errors
      #expect(words.contains("127.0.0.1:1"))
      #expect(!words.contains("s3cret"))
      #expect(!words.contains("someone"))
    }
  }
}
