package import Foundation
#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The client's folder on the real disk.
package struct LiveFiles: ClientFiles {
  private let directory: URL

  /// Uses this folder, which is made when it is first written to.
  package init(directory: URL) { self.directory = directory }

  /// The folder of apps that name none.
  package static var standardDirectory: URL {
    let places = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask)
    let place = places.first ?? URL(fileURLWithPath: NSTemporaryDirectory())
    return place.appendingPathComponent("IAPKit", isDirectory: true)
  }

  package func lock(_ name: String) throws(IAPError) -> any ClientFileLock {
    try makeDirectory()
    let file = try LiveFile(path(name), O_RDWR | O_CREAT)
    try file.lock()
    return LiveFileLock(file)
  }

  package func read(_ name: String) throws(IAPError) -> [UInt8]? {
    guard let file = try LiveFile.existing(path(name)) else { return nil }
    return try file.readAll()
  }

  package func append(_ bytes: [UInt8], to name: String, at length: Int) throws(IAPError) {
    try makeDirectory()
    let isNew = access(path(name), F_OK) != 0
    let file = try LiveFile(path(name), O_RDWR | O_CREAT)
    try file.truncate(to: length)
    try file.write(bytes, at: length)
    try file.flush()
    if isNew { try flushDirectory() }
  }

  package func replace(_ name: String, with bytes: [UInt8]) throws(IAPError) {
    try makeDirectory()
    let temporary = path(name + ".new")
    let file = try LiveFile(temporary, O_RDWR | O_CREAT | O_TRUNC)
    try file.write(bytes, at: 0)
    try file.flush()
    guard rename(temporary, path(name)) == 0 else { throw LiveFile.failure() }
    try flushDirectory()
  }

  private func path(_ name: String) -> String { directory.appendingPathComponent(name).path }

  private func flushDirectory() throws(IAPError) {
    try LiveFile(directory.path, O_RDONLY).flush()
  }

  /// Makes the folder as it has to be: protected until the first unlock, and out of backups.
  package func prepare() throws(IAPError) { try makeDirectory() }

  private func makeDirectory() throws(IAPError) {
    guard access(directory.path, F_OK) != 0 else { return }
    var attributes: [FileAttributeKey: Any] = [:]
    #if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
    // Readable in the background once the device was unlocked after its start.
    attributes[.protectionKey] = FileProtectionType.completeUntilFirstUserAuthentication
    #endif
    do {
      try FileManager.default.createDirectory(
        at: directory,
        withIntermediateDirectories: true,
        attributes: attributes
      )
      #if canImport(Darwin)
      var place = directory
      var values = URLResourceValues()
      values.isExcludedFromBackup = true
      try place.setResourceValues(values)
      #endif
    } catch {
      let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
      throw LiveFile.failure(Int32((cause ?? error as NSError).code))
    }
  }
}

/// An open file, closed when its value is gone.
private final class LiveFile: Sendable {
  private let descriptor: Int32

  init(_ path: String, _ flags: Int32) throws(IAPError) {
    descriptor = open(path, flags | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Self.failure() }
  }

  deinit { close(descriptor) }

  static func existing(_ path: String) throws(IAPError) -> LiveFile? {
    guard access(path, F_OK) == 0 || errno != ENOENT else { return nil }
    return try LiveFile(path, O_RDONLY)
  }

  func lock() throws(IAPError) {
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      throw errno == EWOULDBLOCK ? .storage(.inUse) : Self.failure()
    }
  }

  func readAll() throws(IAPError) -> [UInt8] {
    let length = Int(lseek(descriptor, 0, SEEK_END))
    guard length >= 0 else { throw Self.failure() }
    var isRead = true
    let content = [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
      while count < length {  // bound: the file's length
        let place = buffer.baseAddress.map { $0 + count }
        let some = pread(descriptor, place, length - count, off_t(count))
        if some < 0, errno == EINTR { continue }
        guard some > 0 else {
          isRead = some == 0
          return
        }
        count += some
      }
    }
    guard isRead else { throw Self.failure() }
    return content
  }

  func truncate(to length: Int) throws(IAPError) {
    let end = lseek(descriptor, 0, SEEK_END)
    guard end >= 0 else { throw Self.failure() }
    guard Int(end) > length else { return }
    guard ftruncate(descriptor, off_t(length)) == 0 else { throw Self.failure() }
  }

  func write(_ bytes: [UInt8], at offset: Int) throws(IAPError) {
    var done = 0
    while done < bytes.count {
      let count = bytes.withUnsafeBytes { buffer in
        pwrite(
          descriptor,
          buffer.baseAddress.map { $0 + done },
          bytes.count - done,
          off_t(offset + done)
        )
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw Self.failure() }
      done += count
    }
  }

  func flush() throws(IAPError) {
    #if canImport(Darwin)
    // `fsync` leaves the bytes in the drive's cache there.
    guard fcntl(descriptor, F_FULLFSYNC) != 0 else { return }
    #endif
    guard fsync(descriptor) == 0 else { throw Self.failure() }
  }

  /// The problem behind an error number.
  static func failure(_ number: Int32 = errno) -> IAPError {
    switch number {
    case ENOSPC, EDQUOT: .storage(.full)
    case EROFS, EACCES, EPERM: .storage(.readOnly)
    default: .storage(.inputOutput)
    }
  }
}

/// A lock that goes with its open file.
private final class LiveFileLock: ClientFileLock {
  private let file: Locked<LiveFile?>

  init(_ file: LiveFile) { self.file = Locked(file) }

  func release() { file.withLock { $0 = nil } }
}
