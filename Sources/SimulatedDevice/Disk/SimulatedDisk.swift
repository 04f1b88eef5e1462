import Synchronization

/// The disk of a device: it outlives the app processes and keeps what was flushed.
///
/// Files are flat: a name is any text, with slashes or without.
///
/// - **Concurrency:** safe from any thread.
public final class SimulatedDisk: Sendable {
  private struct File {
    /// What survives the end of the process that wrote it.
    var flushed: [UInt8] = []
    /// What the processes read.
    var present: [UInt8] = []
    /// How many of the first bytes of both are the same.
    private var sameCount = 0

    init(flushed: [UInt8] = [], present: [UInt8] = []) {
      (self.flushed, self.present) = (flushed, present)
    }

    /// Cuts what the processes read and writes behind it.
    mutating func write(_ bytes: ArraySlice<UInt8>, at offset: Int) {
      present.removeSubrange(offset...)
      present += bytes
      sameCount = min(sameCount, offset)
    }

    /// Makes what the processes read survive.
    mutating func flush() {
      flushed.removeSubrange(sameCount...)
      flushed += present[sameCount...]
      sameCount = present.count
    }

    /// The flushed bytes, and as many of the unflushed ones as a torn write leaves.
    func survivor(tornBytes: Int) -> [UInt8] {
      guard tornBytes > 0, present.starts(with: flushed) else { return flushed }
      return Array(present.prefix(flushed.count + tornBytes))
    }
  }

  private struct State {
    var files: [String: File] = [:]
    var locks: [String: LockOwner] = [:]
    var faults = DiskFaults()
    var lockNext = 0
    var flushCount = 0

    var bytesUsed: Int { files.values.reduce(0) { $0 + $1.present.count } }
  }

  private struct LockOwner: Hashable {
    let process: Int
    let number: Int
  }

  private let state = Mutex(State())

  /// An empty disk.
  public init() {}

  /// What goes wrong on this disk; may be changed at any time.
  public var faults: DiskFaults {
    get { state.withLock { $0.faults } }
    set { state.withLock { $0.faults = newValue } }
  }

  /// How many flushes have reached the disk.
  public var flushCount: Int { state.withLock { $0.flushCount } }

  /// The names of all files, in order.
  public var names: [String] { state.withLock { $0.files.keys.sorted() } }

  /// What survives of a file when everything is killed now; nil when there is none.
  public func flushedBytes(of name: String) -> [UInt8]? {
    state.withLock { $0.files[name]?.flushed }
  }

  /// Puts a file on the disk from outside, for example a damaged one; nil takes it away.
  public func place(_ bytes: [UInt8]?, as name: String) {
    state.withLock { state in
      state.files[name] = bytes.map { File(flushed: $0, present: $0) }
    }
  }
}

/// What goes wrong on a disk.
public struct DiskFaults: Hashable, Sendable {
  /// How many bytes all files together may have; nil for no bound.
  ///
  /// A write that does not fit is made as far as it fits, and fails.
  public var capacity: Int?
  /// Whether writes fail.
  public var isReadOnly = false
  /// Whether reads fail.
  public var isUnreadable = false
  /// How many bytes of each unflushed write survive a kill all the same.
  public var tornBytes = 0

  /// Nothing goes wrong.
  public init() {}
}

// What processes do.
extension SimulatedDisk {
  func read(_ name: String) throws(DeviceError) -> [UInt8]? {
    let found: Result<[UInt8]?, DeviceError> = state.withLock { state in
      guard !state.faults.isUnreadable else {
        return .failure(DeviceError(.diskUnreadable, "\(name) cannot be read"))
      }
      return .success(state.files[name]?.present)
    }
    return try found.get()
  }

  /// Cuts the file at the offset and writes behind it, without a flush.
  func write(_ bytes: [UInt8], to name: String, at offset: Int) throws(DeviceError) {
    let failure: DeviceError? = state.withLock { state in
      guard !state.faults.isReadOnly else { return .readOnly(name) }
      let length = state.files[name]?.present.count ?? 0
      guard offset <= length else {
        return DeviceError(
          .offsetBehindEnd,
          "\(name) has \(length) bytes; the write is to begin at \(offset)"
        )
      }
      let used = state.faults.capacity.map { _ in state.bytesUsed - length + offset } ?? 0
      let room = state.faults.capacity.map { max(0, $0 - used) } ?? bytes.count
      // Changed where it lies: a copy of a long file costs more than what is written to it.
      state.files[name, default: File()].write(bytes.prefix(room), at: offset)
      return room < bytes.count ? .full(name) : nil
    }
    if let failure { throw failure }
  }

  /// Makes what was written survive.
  func flush(_ name: String) throws(DeviceError) {
    let failure: DeviceError? = state.withLock { state in
      guard !state.faults.isReadOnly else { return .readOnly(name) }
      guard state.files[name] != nil else { return nil }
      state.files[name]?.flush()
      state.flushCount += 1
      return nil
    }
    if let failure { throw failure }
  }

  /// Replaces the whole file durably: the old bytes or the new ones are there, never a mixture.
  func replace(_ name: String, with bytes: [UInt8]) throws(DeviceError) {
    let failure: DeviceError? = state.withLock { state in
      guard !state.faults.isReadOnly else { return .readOnly(name) }
      // Both files are on the disk for a moment.
      if let capacity = state.faults.capacity, state.bytesUsed + bytes.count > capacity {
        return .full(name)
      }
      state.files[name] = File(flushed: bytes, present: bytes)
      state.flushCount += 1
      return nil
    }
    if let failure { throw failure }
  }

  func remove(_ name: String) throws(DeviceError) {
    let failure: DeviceError? = state.withLock { state in
      guard !state.faults.isReadOnly else { return .readOnly(name) }
      state.files[name] = nil
      return nil
    }
    if let failure { throw failure }
  }

  /// Takes a lock; the number gives it back.
  func takeLock(_ name: String, process: Int) throws(DeviceError) -> Int {
    let number: Int? = state.withLock { state in
      guard state.locks[name] == nil else { return nil }
      state.lockNext += 1
      state.locks[name] = LockOwner(process: process, number: state.lockNext)
      return state.lockNext
    }
    guard let number else { throw DeviceError(.lockInUse, "\(name) is locked by another holder") }
    return number
  }

  func releaseLock(_ name: String, number: Int) {
    state.withLock { state in
      if state.locks[name]?.number == number { state.locks[name] = nil }
    }
  }

  /// The process is gone: its locks with it, and what it did not flush.
  func processEnded(_ process: Int) {
    state.withLock { state in
      for (name, owner) in state.locks where owner.process == process { state.locks[name] = nil }
      for (name, var file) in state.files where file.present != file.flushed {
        file.flushed = file.survivor(tornBytes: state.faults.tornBytes)
        file.present = file.flushed
        state.files[name] = file
      }
    }
  }
}

extension DeviceError {
  fileprivate static func readOnly(_ name: String) -> DeviceError {
    DeviceError(.diskReadOnly, "\(name) cannot be written: the disk is read-only")
  }

  fileprivate static func full(_ name: String) -> DeviceError {
    DeviceError(.diskFull, "\(name) does not fit on the disk")
  }
}
