/// Records that live as long as the process: for tests and for apps that keep nothing.
public final class MemoryStorage: RecordStorage {
  private struct State {
    var table = RecordTable()
    var isClosed = false
  }

  private let state = Locked(State())

  /// Makes an empty storage.
  public init() {}

  /// Reads what is there.
  ///
  /// - Returns: The records.
  /// - Throws: ``IAPError/storage(_:)`` after ``close()``.
  public func load() throws(IAPError) -> StorageContents {
    try state.withLock { (state) throws(IAPError) in
      guard !state.isClosed else { throw .storage(.inputOutput) }
      return StorageContents(entries: state.table.entries)
    }
  }

  /// Keeps records, and removes some.
  ///
  /// - Parameter entries: What to keep and what to remove.
  /// - Throws: ``IAPError/storage(_:)`` when one is too large, cannot be kept, or after
  ///   ``close()``.
  public func write(_ entries: [StorageEntry]) throws(IAPError) {
    try state.withLock { (state) throws(IAPError) in
      guard !state.isClosed else { throw .storage(.inputOutput) }
      for entry in entries { try entry.check() }
      for entry in entries { state.table.apply(entry) }
    }
  }

  /// Ends it: nothing can be read or written any more.
  public func close() {
    state.withLock { $0.isClosed = true }
  }
}
