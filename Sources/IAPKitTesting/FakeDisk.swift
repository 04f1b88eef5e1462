import IAPKit

/// The app's folder, in memory: it outlives a launch, as a disk does.
///
/// Each launch gets its own view of it; a process that is over can change nothing any more.
final class FakeDisk: Sendable {
  fileprivate struct State {
    var files: [String: [UInt8]] = [:]
    var locks: Set<String> = []
    var process = 0
    var isFull = false
  }

  fileprivate let state = Locked(State())

  var isFull: Bool {
    get { state.withLock { $0.isFull } }
    set { state.withLock { $0.isFull = newValue } }
  }

  /// Ends the process before and begins another one.
  func beginProcess() -> any ClientFiles {
    let process = state.withLock { state in
      state.process += 1
      state.locks = []
      return state.process
    }
    return FakeFiles(disk: self, process: process)
  }
}

/// The folder as one process sees it.
private struct FakeFiles: ClientFiles {
  let disk: FakeDisk
  let process: Int

  func lock(_ name: String) throws(IAPError) -> any ClientFileLock {
    try change { (state) throws(IAPError) in
      guard state.locks.insert(name).inserted else { throw .storage(.inUse) }
    }
    return FakeLock(files: self, name: name)
  }

  func read(_ name: String) throws(IAPError) -> [UInt8]? {
    disk.state.withLock { $0.files[name] }
  }

  func append(_ bytes: [UInt8], to name: String, at length: Int) throws(IAPError) {
    try change { (state) throws(IAPError) in
      if state.isFull { throw .storage(.full) }
      state.files[name] = Array(state.files[name, default: []].prefix(length)) + bytes
    }
  }

  func replace(_ name: String, with bytes: [UInt8]) throws(IAPError) {
    try change { (state) throws(IAPError) in
      if state.isFull { throw .storage(.full) }
      state.files[name] = bytes
    }
  }

  func unlock(_ name: String) {
    disk.state.withLock { state in
      guard state.process == process else { return }
      state.locks.remove(name)
    }
  }

  private func change(
    _ body: (inout FakeDisk.State) throws(IAPError) -> Void
  ) throws(IAPError) {
    try disk.state.withLock { (state) throws(IAPError) in
      guard state.process == process else { throw .storage(.inUse) }
      try body(&state)
    }
  }
}

private final class FakeLock: ClientFileLock {
  private let files: FakeFiles
  private let name: String

  init(files: FakeFiles, name: String) {
    self.files = files
    self.name = name
  }

  deinit { release() }

  func release() { files.unlock(name) }
}
