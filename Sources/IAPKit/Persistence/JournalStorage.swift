/// Records in one append-only file, flushed before a call returns.
///
/// - A record that was not written to its end (a torn tail) is cut off: its call never returned.
/// - A damaged record is copied to `<name>.damaged` and reported; the others are read.
/// - A file of a newer version is left untouched and reported; one of an older version is replaced
///   by a new one before it is written to.
/// - The file is replaced in one step by its live records when most of it is history.
/// - While it is open, no other storage can open it.
///
/// The cost of a write does not depend on how many records there are, apart from the compaction
/// that comes after at least as many writes as there are live records.
package final class JournalStorage: RecordStorage {
  /// Lines of history that are borne on top of the number of live records.
  static let historyLinesBorne = 256

  private struct State {
    var lock: (any ClientFileLock)?
    var table = RecordTable()
    var length = 0
    var lines = 0
    var compactionAt = 0
    var damagedRecords = 0
    /// Damaged lines that could not be copied aside yet; the file must not be replaced before.
    var asideWaiting: [[UInt8]] = []
    /// Whether the file is of an older version: it can be read, and must be replaced before more is
    /// written to it.
    var isOutdated = false
    var isClosed = false
  }

  private let files: any ClientFiles
  private let name: String
  private let state = Locked(State())

  /// Makes a journal; nothing is touched before ``load()``.
  ///
  /// - Parameters:
  ///   - files: The folder.
  ///   - name: The file's name; `<name>.lock` and `<name>.damaged` stand beside it.
  package init(files: any ClientFiles, name: String = "iapkit.journal") {
    self.files = files
    self.name = name
  }

  deinit { state.withLock { $0.lock?.release() } }

  package func load() throws(IAPError) -> StorageContents {
    try state.withLock { (state) throws(IAPError) in
      try open(&state)
      return StorageContents(
        entries: state.table.entries,
        damagedRecords: state.damagedRecords
      )
    }
  }

  package func write(_ entries: [StorageEntry]) throws(IAPError) {
    for entry in entries { try entry.check() }
    guard !entries.isEmpty else { return }
    try state.withLock { (state) throws(IAPError) in
      try open(&state)
      if state.isOutdated { try replace(&state) }
      var bytes = state.length == 0 ? JournalFormat.header : []
      for entry in entries { JournalFormat.write(entry, to: &bytes) }
      try files.append(bytes, to: name, at: state.length)
      state.length += bytes.count
      state.lines += entries.count
      for entry in entries { state.table.apply(entry) }
      if state.lines >= state.compactionAt { compact(&state) }
    }
  }

  package func close() {
    state.withLock { state in
      state.isClosed = true
      state.lock?.release()
      state.lock = nil
    }
  }

  private func open(_ state: inout State) throws(IAPError) {
    guard !state.isClosed else { throw .storage(.inputOutput) }
    guard state.lock == nil else { return }
    let lock = try files.lock(name + ".lock")
    do throws(IAPError) {
      let contents = JournalFormat.parse(try files.read(name) ?? [])
      if let version = contents.otherVersion {
        guard version < JournalFormat.version else { throw .storage(.futureVersion) }
        state.isOutdated = true
      }
      for entry in contents.entries { state.table.apply(entry) }
      state.length = contents.goodLength
      state.lines = contents.entries.count + contents.damaged.count
      state.damagedRecords = contents.damaged.count
      state.asideWaiting = contents.damaged
    } catch {
      lock.release()
      throw error
    }
    state.lock = lock
    state.compactionAt = Self.compactionThreshold(live: state.table.count)
    if !state.asideWaiting.isEmpty || state.isOutdated { compact(&state) }
  }

  /// Replaces the file by its live records.
  ///
  /// When that fails the file stays as it is: nothing is lost, and it is tried again after as many
  /// writes as were made so far.
  private func compact(_ state: inout State) {
    do throws(IAPError) {
      try replace(&state)
    } catch {
      state.compactionAt = 2 * state.lines + Self.historyLinesBorne
    }
  }

  private func replace(_ state: inout State) throws(IAPError) {
    try copyAside(&state)
    var bytes = JournalFormat.header
    let entries = state.table.entries
    for entry in entries { JournalFormat.write(entry, to: &bytes) }
    try files.replace(name, with: bytes)
    state.length = bytes.count
    state.lines = entries.count
    state.compactionAt = Self.compactionThreshold(live: entries.count)
    state.isOutdated = false
  }

  private func copyAside(_ state: inout State) throws(IAPError) {
    guard !state.asideWaiting.isEmpty else { return }
    let aside = name + ".damaged"
    let length = try files.read(aside)?.count ?? 0
    try files.append(
      state.asideWaiting.flatMap { $0 + [UInt8(ascii: "\n")] },
      to: aside,
      at: length
    )
    state.asideWaiting = []
  }

  private static func compactionThreshold(live: Int) -> Int { 2 * live + historyLinesBorne }
}
