import EntitlementServer
import Foundation
import IAPModel
import SQLiteStorage
import ServerStorage

/// Puts a backup, or a ledger, into a place that holds none yet.
struct LedgerRestoring {
  /// Where files of the way lie; they hold what the ledger holds.
  let folder: URL
  let console: Console

  private var until: Date?
  private var past: SQLitePast.Report?
  private var move: LedgerMove.Report?

  init(folder: URL, console: Console) {
    self.folder = folder
    self.console = console
  }

  /// Restores.
  ///
  /// - Parameters:
  ///   - source: The backup or the ledger.
  ///   - target: A place that holds no ledger.
  ///   - until: The instant as which the ledger was; nil for the backup's own.
  /// - Throws: ``CommandError``.
  mutating func run(
    from source: LedgerPlace,
    to target: LedgerPlace,
    until: Date?
  ) throws(CommandError) {
    self.until = until
    var path = try file(of: source)
    switch target {
    case .sqlite(let new):
      if until != nil { path = try rewound(path, at: new + ".past", until) }
      defer { if until != nil { LedgerBackup.remove(path) } }
      do throws(StorageError) { try LedgerBackup.restore(path, to: new) } catch {
        throw .ledger(error)
      }
    case .postgres(let address), .postgresFile(_, let address):
      if until != nil { path = try rewound(path, at: folder.path + "/past.sqlite", until) }
      let from = path
      move = try console.watched(Words("restoring", zh: "恢复中")) {
        step throws(StorageError) in
        try LedgerMove.restore(from: from, to: address, now: console.now, progress: step)
      }
    }
  }

  /// The SQLite file that a place is, or a backup of it.
  private func file(of source: LedgerPlace) throws(CommandError) -> String {
    guard case .sqlite(let path) = source else {
      let path = folder.path + "/source.sqlite"
      do throws(StorageError) { try LedgerBackup.make(of: source, at: path) } catch {
        throw .ledger(error)
      }
      return path
    }
    return path
  }

  /// Makes a file with the ledger as it was at an instant.
  private mutating func rewound(
    _ source: String,
    at path: String,
    _ until: Date?
  ) throws(CommandError) -> String {
    guard let until else { return source }
    LedgerBackup.remove(path)
    var line = ProgressLine(Words("restoring", zh: "恢复中"), console: console)
    defer { line.end() }
    let first: Date?
    do throws(StorageError) {
      first = try SQLitePast.span(of: source)?.lowerBound
    } catch {
      throw .ledger(error)
    }
    guard let first, first <= until else { throw .beforeFirstFact(first) }
    do throws(StorageError) {
      past = try SQLitePast.make(
        from: source,
        at: path,
        until: until,
        now: console.now(),
        reading: { fact throws(StorageError) in try StoredFactReader.facts(of: fact) },
        progress: { line.show($0, of: $1) }
      )
      return path
    } catch {
      LedgerBackup.remove(path)
      throw .ledger(error)
    }
  }

  /// What was done, as a program reads it.
  var json: JSONObject {
    var json: JSONObject = [:]
    if let past, let until {
      json["until"] = .integer(until.milliseconds)
      json["facts"] = .integer(past.facts)
      json["factsLeft"] = .integer(past.factsLeft)
      json["lastFact"] = past.lastFact.map { .integer($0.milliseconds) }
      json["purchases"] = .integer(past.subjects)
      json["entries"] = .integer(past.entries)
      json["entriesUnrecorded"] = .integer(past.entriesUnrecorded)
      json["ordersLeft"] = .integer(past.ordersLeft)
      json["documentsLeft"] = .integer(past.documentsLeft)
    }
    for member in move?.json.members ?? [] { json[member.name] = member.value }
    return json
  }

  /// Says what was done, for a person.
  func report() {
    if let past {
      let last = past.lastFact.map { ISO8601DateFormatter().string(from: $0) } ?? ""
      console.line(
        Words(
          "\(past.facts) fact(s) up to \(last), \(past.factsLeft) came later; "
            + "\(past.subjects) purchase(s), \(past.entries) entries",
          zh: "截至 \(last) 的 \(past.facts) 条事实，其后的 \(past.factsLeft) 条未取；"
            + "\(past.subjects) 项购买，\(past.entries) 条记账"
        )
      )
      console.line(
        Words(
          "left out: \(past.ordersLeft) order(s), \(past.documentsLeft) document(s)",
          zh: "未取：\(past.ordersLeft) 个订单，\(past.documentsLeft) 个文档"
        )
      )
    }
    if let move { console.report(move) }
  }
}

extension CommandError.Code {
  /// An instant lies before everything that is known.
  static let beforeFirstFact = Self(rawValue: "beforeFirstFact")
}

extension CommandError {
  /// There was no ledger yet at the instant that was asked for.
  static func beforeFirstFact(_ first: Date?) -> CommandError {
    guard let first else {
      return CommandError(
        .beforeFirstFact,
        Words("there was nothing at that instant: no fact is there at all.", zh: "该账本没有任何事实。")
      )
    }
    let time = ISO8601DateFormatter().string(from: first)
    return CommandError(
      .beforeFirstFact,
      Words(
        "there was nothing at that instant: the first fact came at \(time).",
        zh: "该时刻尚无任何事实：第一条事实于 \(time) 到达。"
      )
    )
  }
}
