import HTTPValues
import IAPModel
import ServerStorage
import Synchronization

/// Knows who has a key: looks keys up in the ledger and remembers good ones for a short while.
final class KeyRing: Sendable {
  private struct Known {
    let record: APIKeyRecord
    let since: Duration
  }

  private let ledger: any Ledger
  private let digest: @Sendable ([UInt8]) -> [UInt8]
  private let uptime: @Sendable () -> Duration
  private let known = Mutex<[APIKeyID: Known]>([:])

  /// How long a key that was withdrawn elsewhere may still be taken.
  static let memory = Duration.seconds(5)
  /// How many keys are remembered.
  static let knownMax = 1000

  init(
    ledger: any Ledger,
    digest: @escaping @Sendable ([UInt8]) -> [UInt8],
    uptime: @escaping @Sendable () -> Duration
  ) {
    self.ledger = ledger
    self.digest = digest
    self.uptime = uptime
  }

  /// The key that a request shows; nil when it shows none.
  ///
  /// - Throws: ``ServerError`` with status 401 when what it shows is no good key. Why is not said:
  ///   a key that never was, one that was withdrawn and one with a wrong letter look the same.
  func key(of request: HTTPRequest) async throws(ServerError) -> APIKeyRecord? {
    guard let value = request.headers["Authorization"] else { return nil }
    guard let shown = PresentedKey(authorization: value),
      let record = try await record(shown.id), record.revokedDate == nil,
      MessageAuthenticator.areEqual(
        Array(Hexadecimal.text(digest(shown.text)).utf8),
        Array(record.hash.utf8)
      )
    else { throw ServerError.keyRefused }
    return record
  }

  private func record(_ id: APIKeyID) async throws(ServerError) -> APIKeyRecord? {
    let now = uptime()
    let remembered = known.withLock { $0[id] }
    if let remembered, now - remembered.since <= Self.memory { return remembered.record }
    let record = try await stored { () async throws(StorageError) in
      try await ledger.read { reader throws(StorageError) -> APIKeyRecord? in
        guard let document = try reader.document(APIKeyRecord.key(id)) else { return nil }
        return try APIKeyRecord(document)
      }
    }
    known.withLock { known in
      known[id] = nil
      guard let record, record.revokedDate == nil else { return }
      if known.count >= Self.knownMax { known = [:] }
      known[id] = Known(record: record, since: now)
    }
    return record
  }
}

extension ServerError {
  static let keyRefused = ServerError(
    401,
    .unauthorized,
    .keyRefused,
    "The key in Authorization is not known here, or good no more."
  )
  static let keyMissing = ServerError(
    401,
    .unauthorized,
    .keyMissing,
    "A key is needed: Authorization: Bearer KEY."
  )
  static let secretKeyNeeded = ServerError(
    403,
    .forbidden,
    .secretKeyNeeded,
    "A public key does not open this; it is for the app's backend and its secret key."
  )
  static let anotherApp = ServerError(
    403,
    .forbidden,
    .anotherApp,
    "The key, or the token, is for another app."
  )
  static let tokenRefused = ServerError(
    401,
    .unauthorized,
    .customerTokenRefused,
    "The customer token is missing, expired, or good no more: verify a purchase to get a new one."
  )
}
