/// The disk as one app process sees it: after the kill every call throws.
///
/// - **Concurrency:** safe from any thread; calls are synchronous.
public struct ProcessDisk: Sendable {
  let life: ProcessLife
  let disk: SimulatedDisk

  /// The whole file.
  ///
  /// - Parameter name: The file.
  /// - Returns: Its bytes, flushed or not; nil when there is none.
  /// - Throws: ``DeviceError`` with `processKilled` or `diskUnreadable`.
  public func read(_ name: String) throws(DeviceError) -> [UInt8]? {
    try life.requireAlive()
    return try disk.read(name)
  }

  /// Cuts the file at the offset and writes behind it; nothing survives a kill before a flush.
  ///
  /// - Parameters:
  ///   - bytes: What.
  ///   - name: The file; it is made when there is none.
  ///   - offset: Where, in bytes; not behind the end of the file.
  /// - Throws: ``DeviceError``; after `diskFull` a part of the bytes may be there.
  public func write(_ bytes: [UInt8], to name: String, at offset: Int) throws(DeviceError) {
    try life.requireAlive()
    try disk.write(bytes, to: name, at: offset)
  }

  /// Makes everything that was written to the file survive.
  ///
  /// - Parameter name: The file.
  /// - Throws: ``DeviceError``.
  public func flush(_ name: String) throws(DeviceError) {
    try life.pass(.beforeFlush)
    try disk.flush(name)
    try life.pass(.afterFlush)
  }

  /// Cuts the file at the offset, writes behind it and flushes.
  ///
  /// - Parameters:
  ///   - bytes: What.
  ///   - name: The file; it is made when there is none.
  ///   - offset: Where, in bytes; not behind the end of the file.
  /// - Throws: ``DeviceError``; after `diskFull` a part of the bytes may be there.
  public func append(_ bytes: [UInt8], to name: String, at offset: Int) throws(DeviceError) {
    try write(bytes, to: name, at: offset)
    try flush(name)
  }

  /// Replaces the whole file in one step that survives.
  ///
  /// - Parameters:
  ///   - name: The file.
  ///   - bytes: Its new bytes.
  /// - Throws: ``DeviceError``; the old bytes are there then.
  public func replace(_ name: String, with bytes: [UInt8]) throws(DeviceError) {
    try life.pass(.beforeFlush)
    try disk.replace(name, with: bytes)
    try life.pass(.afterFlush)
  }

  /// Takes a file away.
  ///
  /// - Parameter name: The file; nothing happens when there is none.
  /// - Throws: ``DeviceError``.
  public func remove(_ name: String) throws(DeviceError) {
    try life.requireAlive()
    try disk.remove(name)
  }

  /// The names of all files, in order.
  ///
  /// - Throws: ``DeviceError`` with `processKilled`.
  public func names() throws(DeviceError) -> [String] {
    try life.requireAlive()
    return disk.names
  }

  /// Takes a lock until it is released, its value is gone, or the process ends.
  ///
  /// - Parameter name: The lock; not the name of a file.
  /// - Returns: The lock.
  /// - Throws: ``DeviceError`` with `lockInUse` when it is taken.
  public func lock(_ name: String) throws(DeviceError) -> DiskLock {
    try life.requireAlive()
    return DiskLock(name, number: try disk.takeLock(name, process: life.number), disk: disk)
  }
}

/// A lock on the disk that one holder has.
public final class DiskLock: Sendable {
  private let name: String
  private let number: Int
  private let disk: SimulatedDisk

  init(_ name: String, number: Int, disk: SimulatedDisk) {
    self.name = name
    self.number = number
    self.disk = disk
  }

  deinit { release() }

  /// Gives the lock back; a second call does nothing.
  public func release() { disk.releaseLock(name, number: number) }
}
