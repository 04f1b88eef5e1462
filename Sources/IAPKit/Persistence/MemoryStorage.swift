/// Records that live as long as the process: for tests and for apps that keep nothing.
package final class MemoryStorage: RecordStorage {
  private struct State {
    var table = RecordTable()
    var isClosed = false
  }

  private let state = Locked(State())

  package init() {}

  package func load() throws(IAPError) -> StorageContents {
    try state.withLock { (state) throws(IAPError) in
      guard !state.isClosed else { throw .storage(.inputOutput) }
      return StorageContents(entries: state.table.entries)
    }
  }

  package func write(_ entries: [StorageEntry]) throws(IAPError) {
    try state.withLock { (state) throws(IAPError) in
      guard !state.isClosed else { throw .storage(.inputOutput) }
      for entry in entries { try JournalFormat.check(entry) }
      for entry in entries { state.table.apply(entry) }
    }
  }

  package func close() {
    state.withLock { $0.isClosed = true }
  }
}
