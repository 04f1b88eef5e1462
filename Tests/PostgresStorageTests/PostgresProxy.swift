import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#endif

/// Stands between a ledger and a database, and loses answers when it is told to.
final class PostgresProxy: Sendable {
  private struct State {
    var isArmed = false
    var refusesAfterwards = false
    var refuses = false
    var lost = 0
  }

  private let state = Mutex(State())
  private let listener: Int32
  private let target: String
  private let folder: String

  /// What a ledger connects to.
  var address: String { "postgres://iap@/postgres?host=\(folder)" }
  /// How many answers were lost.
  var lostCount: Int { state.withLock(\.lost) }

  /// Listens beside the socket of a server in a folder.
  init(beside server: String) throws {
    target = server + "/.s.PGSQL.5432"
    folder = server + "/proxy"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    let isBound = Self.withAddress(folder + "/.s.PGSQL.5432") { bind(listener, $0, $1) == 0 }
    guard isBound, listen(listener, 64) == 0 else { throw NoSocket() }
    Thread.detachNewThread { [self] in
      while case let client = accept(listener, nil, nil), client >= 0 { serve(client) }
    }
  }

  struct NoSocket: Error {}

  func close() { shutdown(listener, Int32(SHUT_RDWR)) }

  /// Loses the answer to the next commit, with its connection.
  func loseNextCommit(refusingAfterwards: Bool = false) {
    state.withLock {
      $0.isArmed = true
      $0.refusesAfterwards = refusingAfterwards
    }
  }

  func takeAgain() { state.withLock { $0.refuses = false } }

  private func serve(_ client: Int32) {
    let server = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    guard !state.withLock(\.refuses),
      Self.withAddress(target, { connect(server, $0, $1) == 0 })
    else {
      _ = Glibc.close(client)
      _ = Glibc.close(server)
      return
    }
    Thread.detachNewThread { [self] in
      let other = DispatchSemaphore(value: 0)
      Thread.detachNewThread { [self] in
        relay(client, server, isAnswer: false)
        other.signal()
      }
      relay(server, client, isAnswer: true)
      other.wait()
      _ = Glibc.close(client)
      _ = Glibc.close(server)
    }
  }

  private func relay(_ from: Int32, _ to: Int32, isAnswer: Bool) {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while case let count = read(from, &buffer, buffer.count), count > 0 {
      if isAnswer, isLost(buffer[..<count]) { break }
      var sent = 0
      while sent < count {
        let written = buffer[sent..<count].withUnsafeBytes {
          send(to, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        guard written > 0 else { break }
        sent += written
      }
      guard sent == count else { break }
    }
    shutdown(from, Int32(SHUT_RDWR))
    shutdown(to, Int32(SHUT_RDWR))
  }

  /// Whether an answer is to be lost: it says that a commit took effect.
  private func isLost(_ bytes: ArraySlice<UInt8>) -> Bool {
    let word = Array("COMMIT".utf8) + [0]
    guard bytes.count >= word.count else { return false }
    let isCommit = bytes.indices.dropLast(word.count - 1).contains { start in
      bytes[start] == word[0] && bytes[start..<(start + word.count)].elementsEqual(word)
    }
    return state.withLock { state in
      guard isCommit, state.isArmed else { return false }
      state.isArmed = false
      state.lost += 1
      state.refuses = state.refusesAfterwards
      return true
    }
  }

  private static func withAddress(
    _ path: String,
    _ body: (UnsafePointer<sockaddr>, socklen_t) -> Bool
  ) -> Bool {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }
}
