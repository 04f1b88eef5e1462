import Foundation
import IAPModel
import ServerStorage

/// Who is logged in: what the browser shows is chance, and only its hash is kept.
struct SessionBook: Sendable {
  let accounts: OperatorAccounts
  let digest: @Sendable ([UInt8]) -> [UInt8]

  /// How long a session lasts in any case, in seconds.
  static let lifeSeconds: TimeInterval = 12 * 3600
  /// How long a session lasts without being used, in seconds.
  static let idleSeconds: TimeInterval = 3600
  /// How often its use is written down, in seconds.
  static let noteSeconds: TimeInterval = 300
  /// How many bytes of chance a session has.
  static let idBytes = 32
  /// How often somebody may fail under one name within ``tryWindow``.
  static let triesMax: Int64 = 5
  /// How long failures count, in seconds.
  static let tryWindow: TimeInterval = 900
  /// How often a count is written again when others count at the same moment.
  private static let attemptsMax = 16

  /// Somebody who is logged in.
  struct Session: Hashable, Sendable {
    let secret: String
    let person: OperatorRecord
  }

  /// The session of what a browser shows; nil when it is none, over, or from before a change.
  func session(_ secret: String?, at now: Date) async throws(DashboardError) -> Session? {
    guard let secret, secret.utf8.count == Self.idBytes * 2 else { return nil }
    let key = key(secret)
    let found = try await accounts.read { reader throws(StorageError) in
      guard let document = try reader.document(key),
        let name = document.body["operator"]?.stringValue,
        let person = try reader.document(OperatorRecord.key(OperatorName(name)))
      else { return nil as (LedgerDocument, OperatorRecord)? }
      return (document, try OperatorRecord(person))
    }
    guard let (document, person) = found,
      document.body["generation"]?.integerValue == person.generation,
      now.timeIntervalSince(document.createdDate) < Self.lifeSeconds,
      now.timeIntervalSince(document.changedDate) < Self.idleSeconds
    else { return nil }
    if now.timeIntervalSince(document.changedDate) >= Self.noteSeconds {
      var write = LedgerWrite(date: now)
      write.documents = [
        DocumentWrite(
          key,
          shelf: document.shelf,
          body: document.body,
          condition: .mustHaveVersion(document.version)
        )
      ]
      _ = try await accounts.commit(write)
    }
    return Session(secret: secret, person: person)
  }

  /// What came of an attempt to log in.
  enum Entry: Sendable {
    case entered(Session)
    case refused
    /// There were too many attempts; the seconds until the next one.
    case tooMany(Int)
  }

  /// Lets somebody in who knows the password: with a new session in any case.
  func enter(
    _ name: OperatorName,
    password: String,
    ending old: String?,
    at now: Date
  ) async throws(DashboardError) -> Entry {
    if let seconds = try await count(name, at: now) { return .tooMany(seconds) }
    let known = try await accounts.read { reader throws(StorageError) in
      try reader.document(OperatorRecord.key(name)).map { document throws(StorageError) in
        try OperatorRecord(document)
      }
    }
    let fits = password.utf8.count <= StoredPassword.bytesMax
    let isRight = await accounts.mill.matches(fits ? password : "", known?.password)
    guard let person = known, isRight, fits else {
      if known != nil { try await log("operator.loginFailed", name, now) }
      return .refused
    }
    let secret = Hex.text(accounts.chance(Self.idBytes))
    var write = LedgerWrite(date: now)
    write.documents = [
      DocumentWrite(
        key(secret),
        shelf: name.rawValue,
        body: [
          "operator": .string(name.rawValue), "generation": .integer(person.generation),
        ],
        condition: .mustBeAbsent
      )
    ]
    write.removals = [triesKey(name)] + (old.map { [key($0)] } ?? [])
    write.pruning = [
      DocumentPruning(
        .dashboardSession,
        changedBefore: now.addingTimeInterval(-Self.lifeSeconds)
      ),
      DocumentPruning(.dashboardTries, changedBefore: now.addingTimeInterval(-Self.tryWindow)),
    ]
    write.audit = [audit("operator.login", name, now)]
    _ = try await accounts.commit(write)
    return .entered(Session(secret: secret, person: person))
  }

  /// Ends a session.
  func leave(_ session: Session, at now: Date) async throws(DashboardError) {
    var write = LedgerWrite(date: now)
    write.removals = [key(session.secret)]
    write.audit = [audit("operator.logout", session.person.name, now)]
    _ = try await accounts.commit(write)
  }

  /// What a form has to show that belongs to a secret.
  func formToken(_ secret: String) -> String {
    Hex.text(digest(Array("form:\(secret)".utf8)))
  }

  /// Counts an attempt before it is made, so that many at once are not more than allowed.
  private func count(_ name: OperatorName, at now: Date) async throws(DashboardError) -> Int? {
    let key = triesKey(name)
    for _ in 0..<Self.attemptsMax {
      let document = try await accounts.read { reader throws(StorageError) in
        try reader.document(key)
      }
      let start = document?.body["start"]?.integerValue.map { Date(milliseconds: $0) }
      let isRecent = start.map { now.timeIntervalSince($0) < Self.tryWindow } ?? false
      let before = isRecent ? document?.body["count"]?.integerValue ?? 0 : 0
      let first = isRecent ? start ?? now : now
      guard before < Self.triesMax else {
        return max(1, Int(Self.tryWindow - now.timeIntervalSince(first)))
      }
      var write = LedgerWrite(date: now)
      write.documents = [
        DocumentWrite(
          key,
          body: ["count": .integer(before + 1), "start": .integer(first.milliseconds)],
          condition: document.map { .mustHaveVersion($0.version) } ?? .mustBeAbsent
        )
      ]
      if try await !accounts.commit(write).isRefused { return nil }
    }
    return 1
  }

  private func log(_ action: String, _ name: OperatorName, _ now: Date) async throws(DashboardError)
  {
    var write = LedgerWrite(date: now)
    write.audit = [audit(action, name, now)]
    _ = try await accounts.commit(write)
  }

  private func audit(_ action: String, _ name: OperatorName, _ now: Date) -> AuditRecord {
    AuditRecord(
      app: nil,
      action: action,
      details: ["by": .string("operator:\(name)")],
      date: now
    )
  }

  private func key(_ secret: String) -> DocumentKey {
    DocumentKey(
      .dashboardSession,
      app: nil,
      name: Hex.text(digest(Array("session:\(secret)".utf8)))
    )
  }

  /// A name that nobody has may be anything, so its hash is what is kept.
  private func triesKey(_ name: OperatorName) -> DocumentKey {
    DocumentKey(
      .dashboardTries,
      app: nil,
      name: Hex.text(digest(Array("tries:\(name.rawValue)".utf8)))
    )
  }
}
