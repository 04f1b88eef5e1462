import Foundation
import IAPKit
import Testing

/// An app and its extension write into one storage: real processes, one of which is killed.
@Suite("Two processes on one journal", .timeLimit(.minutes(2)))
struct ProcessesTests {
  private static let program = URL(fileURLWithPath: CommandLine.arguments[0])
    .resolvingSymlinksInPath().deletingLastPathComponent()
    .appendingPathComponent("JournalWriter")

  /// A process, and what it says line by line.
  private struct Writer {
    let process = Process()
    let lines: AsyncStream<String>
    let exits: AsyncStream<Int32>

    init(
      _ backend: StorageContractTests.Backend,
      _ folder: URL,
      _ name: String,
      _ count: Int
    )
      throws
    {
      let pipe = Pipe()
      process.executableURL = ProcessesTests.program
      process.arguments = [backend.rawValue, folder.path, name, "\(count)"]
      process.standardOutput = pipe
      let (lines, said) = AsyncStream<String>.makeStream()
      let (exits, ended) = AsyncStream<Int32>.makeStream()
      self.lines = lines
      self.exits = exits
      let output = pipe.fileHandleForReading
      // A thread of its own, because reading blocks.
      Thread.detachNewThread {
        var rest: [UInt8] = []
        while case let chunk = output.availableData, !chunk.isEmpty {
          rest += chunk
          while let end = rest.firstIndex(of: 0x0A) {
            said.yield(String(decoding: rest[..<end], as: UTF8.self))
            rest.removeFirst(end + 1)
          }
        }
        said.finish()
      }
      process.terminationHandler = { process in
        ended.yield(process.terminationStatus)
        ended.finish()
      }
      try process.run()
    }

    /// Everything that it says until its end.
    func whole() async -> (said: [String], status: Int32?) {
      var said: [String] = []
      for await line in lines { said.append(line) }
      var status: Int32?
      for await code in exits { status = code }
      return (said, status)
    }
  }

  @Test(arguments: [StorageContractTests.Backend.journal, .sqlite])
  func nothingThatWasSaidIsLostAndNothingIsDamaged(
    _ backend: StorageContractTests.Backend
  ) async throws {
    let folder = TemporaryFolder()
    let app = try Writer(backend, folder.url, "app", 60)
    let other = try Writer(backend, folder.url, "extension", 60)
    let victim = try Writer(backend, folder.url, "victim", 1_000_000)
    async let first = app.whole()
    async let second = other.whole()
    var said: [String] = []
    for await line in victim.lines {
      said.append(line)
      if said.count == 23 { kill(victim.process.processIdentifier, SIGKILL) }
    }
    for (words, status) in [await first, await second] {
      #expect(status == 0)
      #expect(words.count == 60)
      said += words
    }
    let storage = backend.make(folder)
    let contents = try storage.load()
    #expect(contents.damagedRecords == 0)
    let kept = Set(contents.entries.map(\.key.id))
    #expect(Set(said).subtracting(kept) == [])
    // The victim may have died between a write and its word for it.
    #expect(kept.subtracting(said).count <= 1)
    for entry in contents.entries {
      #expect(entry.body == Array("{\"id\":\"\(entry.key.id)\"}".utf8))
    }
  }

  @Test(arguments: [StorageContractTests.Backend.journal, .sqlite])
  func storageOfALivingProcessIsInUse(_ backend: StorageContractTests.Backend) async throws {
    let folder = TemporaryFolder()
    let mine = backend.make(folder)
    try mine.write([StorageContractTests.entry("mine", "1")])
    let other = try Writer(backend, folder.url, "other", 1)
    // It waits for as long as this process has the storage open.
    let second = backend.make(folder)
    let error = #expect(throws: IAPError.self) { _ = try second.load() }
    #expect(error.flatMap(problem) == .inUse)
    mine.close()
    #expect(await other.whole().said == ["other-1"])
    #expect(try backend.make(folder).load().entries.map(\.key.id) == ["mine", "other-1"])
  }
}
