import IAPKit
import Testing

@Suite struct JournalStorageTests {
  private let disk = ScriptedDisk()
  private let name = "iapkit.journal"

  private func journal() -> JournalStorage { JournalStorage(files: ScriptedFiles(disk)) }

  private func entry(_ id: String, _ body: String?) -> StorageEntry {
    StorageContractTests.entry(id, body)
  }

  /// A file with three records, written and given back.
  private func fill() throws -> [UInt8] {
    let journal = journal()
    for id in ["a", "b", "c"] { try journal.write([entry(id, "\"body of \(id)\"")]) }
    journal.close()
    return try #require(disk[name])
  }

  private func problem(of body: () throws -> Void) -> StorageProblem? {
    let error = #expect(throws: IAPError.self, performing: body)
    return error.flatMap { IAPKitTests.problem($0) }
  }

  @Test func formatOnTheDiskIsStable() throws {
    try journal().write([entry("1 %", "{\"a\":1}"), entry("2", nil)])
    let text = String(decoding: try #require(disk[name]), as: UTF8.self)
    #expect(
      text == """
        IAPKit journal 2
        6481fa7f transaction 1%20%25 {"a":1}
        c0ed9538 transaction 2 -

        """
    )
  }

  @Test func whatWasWrittenIsThereAfterReopening() throws {
    _ = try fill()
    let contents = try journal().load()
    #expect(contents.entries.map(\.key.id) == ["a", "b", "c"])
    #expect(contents.damagedRecords == 0)
  }

  /// Every length that a torn write can leave, from an empty file to one byte too few.
  @Test func tornTailIsCutAtTheLastGoodRecordWhereverItTears() throws {
    let whole = try fill()
    var ends = [0]
    for (index, byte) in whole.enumerated() where byte == 0x0A { ends.append(index + 1) }
    for length in 0..<whole.count {
      disk[name] = Array(whole.prefix(length))
      let journal = journal()
      let contents = try journal.load()
      let good = ends.last { $0 <= length } ?? 0
      let records = max(0, ends.firstIndex(of: good)! - 1)
      #expect(contents.entries.map(\.key.id) == Array(["a", "b", "c"].prefix(records)))
      #expect(contents.damagedRecords == 0)
      try journal.write([entry("new", "1")])
      journal.close()
      let again = self.journal()
      #expect(try again.load().entries.map(\.key.id) == ["a", "b", "c"].prefix(records) + ["new"])
      #expect(try again.load().damagedRecords == 0)
      again.close()
    }
  }

  /// Every byte of the middle record, one after the other, is changed.
  @Test func damagedRecordIsCopiedAsideAndReportedAndTheOthersAreRead() throws {
    let whole = try fill()
    let lines = whole.split(separator: 0x0A)
    let start = lines[0].count + lines[1].count + 2
    for offset in 0..<lines[2].count {
      var damaged = whole
      damaged[start + offset] ^= 0x01
      guard damaged[start + offset] != 0x0A else { continue }
      disk[name] = damaged
      disk[name + ".damaged"] = nil
      let journal = journal()
      let contents = try journal.load()
      #expect(contents.entries.map(\.key.id) == ["a", "c"])
      #expect(contents.damagedRecords == 1)
      let line = Array(damaged[start..<(start + lines[2].count)])
      #expect(disk[name + ".damaged"] == line + [0x0A])
      journal.close()
      let again = self.journal()
      #expect(try again.load().damagedRecords == 0, "reported once, not at every launch")
      again.close()
    }
  }

  @Test func damagedRecordsOfSeveralLaunchesAreAllKept() throws {
    for round in 1...2 {
      disk[name] = Array("IAPKit journal 2\nround \(round)\n".utf8)
      let journal = journal()
      #expect(try journal.load().damagedRecords == 1)
      journal.close()
    }
    #expect(disk[name + ".damaged"] == Array("round 1\nround 2\n".utf8))
  }

  @Test func damageStaysInTheFileWhileItCannotBeCopiedAside() throws {
    let whole = try fill()
    var damaged = whole
    damaged[20] ^= 0x01
    disk[name] = damaged
    disk.fail(.full)
    let journal = journal()
    let contents = try journal.load()
    #expect(contents.entries.map(\.key.id) == ["b", "c"])
    #expect(contents.damagedRecords == 1)
    #expect(disk[name] == damaged)
    disk.fail(nil)
    for count in 0..<1_000 { try journal.write([entry("d", "\(count)")]) }
    let aside = try #require(disk[name + ".damaged"])
    #expect(aside == damaged[17..<damaged.firstIndex(of: 0x0A, after: 17)!] + [0x0A])
    #expect(try journal.load().entries.map(\.key.id) == ["b", "c", "d"])
  }

  @Test(arguments: ["IAPKit journal 3\nwhatever\n", "IAPKit journal 999\n"])
  func fileOfAFutureVersionIsLeftUntouched(_ text: String) throws {
    disk[name] = Array(text.utf8)
    let journal = journal()
    #expect(problem { _ = try journal.load() } == .futureVersion)
    #expect(problem { try journal.write([entry("a", "1")]) } == .futureVersion)
    #expect(disk[name] == Array(text.utf8))
  }

  @Test func damagedHeaderLosesNoRecord() throws {
    var file = try fill()
    file[0] ^= 0x01
    disk[name] = file
    let contents = try journal().load()
    #expect(contents.entries.map(\.key.id) == ["a", "b", "c"])
    #expect(contents.damagedRecords == 1)
  }

  @Test(arguments: [StorageProblem.full, .readOnly, .inputOutput])
  func failingDiskIsATypedErrorAndLosesNothing(_ fault: StorageProblem) throws {
    let journal = journal()
    try journal.write([entry("a", "1")])
    disk.fail(fault, partialBytes: 7)
    #expect(problem { try journal.write([entry("b", "2")]) } == fault)
    #expect(try journal.load().entries == [entry("a", "1")])
    disk.fail(nil)
    try journal.write([entry("c", "3")])
    journal.close()
    let again = self.journal()
    let contents = try again.load()
    #expect(contents.entries == [entry("a", "1"), entry("c", "3")])
    #expect(contents.damagedRecords == 0, "the half-written bytes were cut off")
  }

  @Test func secondJournalOnTheSameFileIsRefusedUntilTheFirstIsClosed() throws {
    let first = journal()
    try first.write([entry("a", "1")])
    let second = journal()
    #expect(problem { _ = try second.load() } == .inUse)
    #expect(problem { try second.write([entry("b", "1")]) } == .inUse)
    first.close()
    try second.write([entry("b", "1")])
    #expect(try second.load().entries.count == 2)
  }

  @Test func lockOfAJournalThatIsGoneIsGivenBack() throws {
    var first: JournalStorage? = journal()
    _ = try first?.load()
    first = nil
    #expect(try journal().load().entries == [])
  }

  @Test func failedOpeningGivesTheLockBack() throws {
    disk[name] = Array("IAPKit journal 3\n".utf8)
    _ = try? journal().load()
    disk[name] = nil
    #expect(try journal().load().entries == [])
  }

  @Test func historyIsCompactedAndTheLiveRecordsStay() throws {
    let journal = journal()
    for count in 0..<1_000 { try journal.write([entry("a", "\(count)")]) }
    let lines = try #require(disk[name]).filter { $0 == 0x0A }.count
    #expect(lines <= 2 + 256 + 1)
    #expect(disk.state.withLock(\.replacements) >= 3)
    journal.close()
    #expect(try self.journal().load().entries == [entry("a", "999")])
  }

  @Test func failingCompactionFailsNoWrite() throws {
    let journal = journal()
    disk.state.withLock { $0.failsReplacing = true }
    for count in 0..<1_000 { try journal.write([entry("a", "\(count)")]) }
    #expect(disk.state.withLock(\.replacements) == 0)
    disk.state.withLock { $0.failsReplacing = false }
    for count in 1_000..<3_000 { try journal.write([entry("a", "\(count)")]) }
    #expect(disk.state.withLock(\.replacements) >= 1)
    journal.close()
    #expect(try self.journal().load().entries == [entry("a", "2999")])
  }

  /// Bytes written, compactions included, for one more record on top of many.
  @Test func costOfAWriteDoesNotGrowWithTheNumberOfRecords() throws {
    let body = String(repeating: "x", count: 100)
    func bytesPerWrite(records: Int) throws -> Int {
      let disk = ScriptedDisk()
      let journal = JournalStorage(files: ScriptedFiles(disk))
      for count in 0..<records { try journal.write([entry("r\(count)", body)]) }
      let before = disk.state.withLock(\.bytesWritten)
      for count in 0..<records { try journal.write([entry("r\(count)", body)]) }
      for count in 0..<records { try journal.write([entry("r\(count)", body)]) }
      return (disk.state.withLock(\.bytesWritten) - before) / (2 * records)
    }
    let few = try bytesPerWrite(records: 1_000)
    let many = try bytesPerWrite(records: 8_000)
    #expect(many <= few + few / 4)
  }

  @Test func emptyWriteTouchesNothing() throws {
    try journal().write([])
    #expect(disk[name] == nil)
  }
}

extension [UInt8] {
  fileprivate func firstIndex(of byte: UInt8, after index: Int) -> Int? {
    self[index...].firstIndex(of: byte)
  }
}
