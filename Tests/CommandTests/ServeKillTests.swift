import Foundation
import HTTPValues
import IAPModel
import Synchronization
import Testing

#if canImport(Glibc)
import Glibc
#endif

@Suite("iap serve under load", .serialized)
struct ServeKillTests {
  /// Which proofs were answered with success, over all lives of the server.
  private final class Answered: Sendable {
    private let proofs = Mutex<Set<Proof>>([])
    private let life = Mutex(0)

    var all: Set<Proof> { proofs.withLock { $0 } }

    func beginLife() { life.withLock { $0 = 0 } }

    /// Notes a success, and says how many this life of the server has had.
    func note(_ proof: Proof) -> Int {
      proofs.withLock { _ = $0.insert(proof) }
      return life.withLock { life in
        life += 1
        return life
      }
    }
  }

  /// Hands out indexes to many tasks.
  private final class Indexes: Sendable {
    private let next = Mutex(0)
    private let count: Int

    init(_ count: Int) { self.count = count }

    func take() -> Int? {
      next.withLock { next in
        defer { next += 1 }
        return next < count ? next : nil
      }
    }
  }

  /// Posts all proofs from many tasks until the server is gone, and kills it in the middle.
  private func load(
    _ server: ServedProcess,
    _ proofs: [Proof],
    killAfter successes: Int,
    _ answered: Answered
  ) async {
    answered.beginLife()
    let indexes = Indexes(proofs.count)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<16 {
        group.addTask {
          while let index = indexes.take() {
            guard let response = await server.post(proofs[index]) else { return }
            guard response.isSuccess else { continue }
            if answered.note(proofs[index]) == successes { server.process.signal(SIGKILL) }
          }
        }
      }
    }
    server.process.signal(SIGKILL)
    _ = await server.process.exit()
  }

  @Test func whatWasAnsweredIsThereAfterEveryKillAndNothingTwice() async throws {
    let served = try ServedStore()
    defer { served.remove() }
    let purchases = try served.purchases(150)
    let notifications = try await served.notifications()
    #expect(notifications.count == purchases.count)
    let answered = Answered()
    for (round, successes) in [1, 7, 20, 45, 80, 130].enumerated() {
      let server = try await ServedProcess(served.words)
      // Each life begins elsewhere, so that old and new proofs meet.
      let proofs = purchases + notifications
      let first = round * 50
      let rotated = Array(proofs[first...] + proofs[..<first])
      await load(server, rotated, killAfter: successes, answered)
    }
    let server = try await ServedProcess(served.words)
    #expect(answered.all.count >= 130)
    let entriesBefore = await server.metric("iap_ledger_entries")
    for proof in answered.all {
      let response = try #require(await server.post(proof))
      #expect(response.status == 200)
      let body = try JSONParser.parseObject(response.body)
      if proof.path == "/v1/verify" {
        #expect(body["grant"]?.objectValue?["count"] == 1)
      } else {
        #expect(body["outcome"] == "known")
      }
    }
    // Nothing that was answered was missing: asking again has granted nothing.
    #expect(await server.metric("iap_ledger_entries") == entriesBefore)
    for proof in purchases + notifications { _ = await server.post(proof) }
    #expect(await server.metric("iap_ledger_entries") == purchases.count)
    server.process.signal(SIGTERM)
    #expect(await server.process.exit() == 0)
  }

  @Test func theFlushComesBeforeTheAnswer() async throws {
    let strace = URL(fileURLWithPath: "/usr/bin/strace")
    guard FileManager.default.isExecutableFile(atPath: strace.path) else {
      print("SKIPPED theFlushComesBeforeTheAnswer: there is no \(strace.path) to trace with")
      return
    }
    let served = try ServedStore()
    defer { served.remove() }
    let trace = served.folder.appendingPathComponent("trace")
    let calls = "trace=fsync,fdatasync,sendto,sendmsg,write,writev"
    let server: ServedProcess
    do {
      server = try await ServedProcess(
        served.words,
        under: [strace.path, "-f", "-s", "32", "-e", calls, "-o", trace.path]
      )
    } catch let error as ServedProcess.NotListening where error.errors.contains("ptrace") {
      print("SKIPPED theFlushComesBeforeTheAnswer: this machine forbids tracing")
      return
    }
    let purchases = try served.purchases(10)
    let proofs = try await purchases + served.notifications()
    let before = try events(in: trace)
    for proof in proofs {
      let response = try #require(await server.post(proof))
      #expect(response.isSuccess)
    }
    // The tracer writes a line before the call takes effect, so all of them are there by now.
    let all = try events(in: trace)
    let serving = all.dropFirst(before.count)
    #expect(serving.count { $0 == .answer } == proofs.count)
    var flushed = false
    for event in serving {
      switch event {
      case .flush: flushed = true
      case .answer:
        #expect(flushed, "an answer was sent before anything was flushed for it")
        flushed = false
      }
    }
    // The tracer's first column names the traced process.
    let first = try String(contentsOf: trace, encoding: .utf8).prefix { $0 != " " }
    kill(try #require(Int32(first)), SIGTERM)
    #expect(await server.process.exit() == 0)
  }

  private enum TraceEvent { case flush, answer }

  /// The completed flushes and begun answers, in their order.
  private func events(in file: URL) throws -> [TraceEvent] {
    try String(contentsOf: file, encoding: .utf8).split(separator: "\n").compactMap { line in
      let isFlush = line.contains("fdatasync") || line.contains("fsync")
      if isFlush, line.hasSuffix("= 0") { return .flush }
      return line.contains("\"HTTP/1.1 200") ? .answer : nil
    }
  }
}
