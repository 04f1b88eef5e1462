package import Foundation
package import IAPModel
package import ServerStorage

/// The people who work with the dashboard, as the command and the login see them.
package struct OperatorAccounts: Sendable {
  let ledger: any Ledger
  let mill: PasswordMill
  let chance: @Sendable (Int) -> [UInt8]

  /// The most people that are listed.
  static let listMax = 1000

  /// Makes the accounts of a ledger.
  ///
  /// - Parameters:
  ///   - ledger: Where they are kept.
  ///   - mill: Derives keys from passwords.
  ///   - chance: So many bytes that nobody can guess.
  package init(
    ledger: any Ledger,
    mill: PasswordMill,
    chance: @escaping @Sendable (Int) -> [UInt8]
  ) {
    self.ledger = ledger
    self.mill = mill
    self.chance = chance
  }

  /// A password that nobody can guess: 100 bits in letters and digits that are told apart.
  package func newPassword() -> String {
    let letters = Array("abcdefghjkmnpqrstuvwxyz23456789".utf8)
    let bytes = chance(80).filter { Int($0) < 248 }.prefix(20).map { letters[Int($0) % 31] }
    let text = String(decoding: bytes, as: UTF8.self)
    return stride(from: 0, to: text.count, by: 5).map {
      String(text.dropFirst($0).prefix(5))
    }.joined(separator: "-")
  }

  /// Adds a person, or gives one another password, role and apps.
  ///
  /// - Parameters:
  ///   - name: The name, which has to be usable.
  ///   - password: The password.
  ///   - role: What the person may do; nil to leave it, and to read for a new one.
  ///   - apps: What the person sees; nil to leave it, and all for a new one.
  ///   - now: When that is.
  /// - Returns: Whether the person is new.
  /// - Throws: ``DashboardError``; ``StorageError`` is inside.
  @discardableResult
  package func put(
    _ name: OperatorName,
    password: String,
    role: OperatorRecord.Role? = nil,
    apps: [BundleID]? = nil,
    at now: Date
  ) async throws(DashboardError) -> Bool {
    guard name.isUsable else { throw DashboardError(.unusable, "the name cannot be used") }
    guard password.count >= StoredPassword.charactersMin,
      password.utf8.count <= StoredPassword.bytesMax
    else { throw DashboardError(.unusable, "the password is too short or too long") }
    guard let stored = await mill.stored(password, salt: chance(StoredPassword.saltBytes)) else {
      throw DashboardError(.unavailable, "the password cannot be worked in")
    }
    let document = try await document(name)
    var record: OperatorRecord
    if let document {
      record = try kept { () throws(StorageError) in try OperatorRecord(document) }
      record.password = stored
      record.generation += 1
      record.role = role ?? record.role
      record.apps = apps ?? record.apps
    } else {
      record = OperatorRecord(
        name: name,
        role: role ?? .read,
        apps: apps ?? [],
        password: stored,
        createdDate: now
      )
    }
    var write = LedgerWrite(date: now)
    write.documents = [
      record.document(document.map { .mustHaveVersion($0.version) } ?? .mustBeAbsent)
    ]
    write.audit = [
      note(document == nil ? "operator.added" : "operator.changed", record, now)
    ]
    guard try await !commit(write).isRefused else {
      throw DashboardError(.conflict, "the person was changed at the same moment")
    }
    return document == nil
  }

  /// Removes a person, whose sessions end with that.
  ///
  /// - Parameters:
  ///   - name: The name.
  ///   - now: When that is.
  /// - Returns: Whether there was one.
  /// - Throws: ``DashboardError``.
  package func remove(_ name: OperatorName, at now: Date) async throws(DashboardError) -> Bool {
    guard let document = try await document(name) else { return false }
    let record = try kept { () throws(StorageError) in try OperatorRecord(document) }
    var write = LedgerWrite(date: now)
    write.removals = [document.key]
    write.audit = [note("operator.removed", record, now)]
    _ = try await commit(write)
    return true
  }

  /// Everybody, in the order in which they were added.
  package func list() async throws(DashboardError) -> [OperatorRecord] {
    try await read { reader throws(StorageError) in
      var records: [OperatorRecord] = []
      for document in try reader.documents(
        .dashboardOperator,
        app: nil,
        shelf: nil,
        after: 0,
        limit: Self.listMax
      ) {
        records.append(try OperatorRecord(document))
      }
      return records
    }
  }

  private func note(_ action: String, _ record: OperatorRecord, _ now: Date) -> AuditRecord {
    AuditRecord(
      app: nil,
      action: action,
      details: [
        "operator": .string(record.name.rawValue), "role": .string(record.role.rawValue),
        "apps": .array(record.apps.map { .string($0.rawValue) }), "by": "command",
      ],
      date: now
    )
  }

  private func document(_ name: OperatorName) async throws(DashboardError) -> LedgerDocument? {
    try await read { reader throws(StorageError) in
      try reader.document(OperatorRecord.key(name))
    }
  }

  func read<Value: Sendable>(
    _ body: @escaping @Sendable (any LedgerReading) throws(StorageError) -> Value
  ) async throws(DashboardError) -> Value {
    do throws(StorageError) { return try await ledger.read(body) } catch {
      throw DashboardError(error)
    }
  }

  func commit(_ write: LedgerWrite) async throws(DashboardError) -> WriteOutcome {
    do throws(StorageError) { return try await ledger.commit(write) } catch {
      throw DashboardError(error)
    }
  }

  private func kept<Value>(
    _ body: () throws(StorageError) -> Value
  ) throws(DashboardError) -> Value {
    do throws(StorageError) { return try body() } catch { throw DashboardError(error) }
  }
}
