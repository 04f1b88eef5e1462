import EntitlementServer
import Foundation
import IAPModel
import IAPSignatures
import OpenSSLCrypto
import ServerStorage

/// `iap keys create|list|revoke`: who may call the server.
enum KeysCommand: Command {
  static let name = "keys"
  static let summary = Words(
    "Makes, lists and withdraws the keys with which apps and backends call the server.",
    zh: "创建、列出和撤销 App 与后端访问服务器所用的密钥。"
  )
  static let details = Words(
    """
    create prints a new key, once: the database keeps only a hash of it. A public key is built into
    an app and opens nobody's data; a secret key stays on the app's backend. revoke needs the name
    that list shows. A running server notices within five seconds.

    Exit status: 0 done, 1 failed, 2 the call cannot be used.
    """,
    zh: """
      create 只显示一次新密钥：数据库仅保存其哈希。公开密钥内置于 App，不能读取任何人的数据；
      私密密钥只放在后端。revoke 需要 list 显示的名称。运行中的服务器会在五秒内生效。

      退出状态：0 完成，1 失败，2 调用有误。
      """
  )
  static let operands: [CommandOperand] = [
    CommandOperand(
      "ACTION",
      Words("What to do: create, list or revoke.", zh: "要做的事：create、list 或 revoke。"),
      choices: ["create", "list", "revoke"]
    ),
    CommandOperand(
      "KEY",
      Words("The name of the key to revoke.", zh: "要撤销的密钥名称。"),
      isRequired: false
    ),
  ]
  static let options: [CommandOption] = [
    .value(
      "database",
      "PLACE",
      Words(
        "The server's SQLite file, or postgres://... Default iap.sqlite.",
        zh: "服务器的 SQLite 文件或 postgres://...。默认 iap.sqlite。"
      )
    ),
    .value("app", "BUNDLE", Words("The app that the key is for.", zh: "密钥所属的 App。")),
    .value(
      "kind",
      "KIND",
      Words("public or secret. Default public.", zh: "public 或 secret。默认 public。")
    ),
    .value("label", "TEXT", Words("What people call the key.", zh: "密钥的说明。")),
    .jsonFlag,
  ]

  private enum Action: String {
    case create, list, revoke
  }

  static func run(
    _ arguments: CommandArguments,
    console: Console
  ) async throws(CommandError) -> ExitStatus {
    guard let action = Action(rawValue: arguments.operands[0]) else {
      throw .usage(
        Words(
          "'iap keys' knows create, list and revoke, not '\(arguments.operands[0])'.",
          zh: "“iap keys”只支持 create、list 和 revoke，不支持“\(arguments.operands[0])”。"
        )
      )
    }
    let place = LedgerPlace.named(arguments, console)
    // Only making a key may make the file.
    guard action == .create || place.mayExist else {
      throw CommandError(
        .file,
        Words("there is no database '\(place)'.", zh: "数据库“\(place)”不存在。")
      )
    }
    let wanted = try action == .create ? request(arguments) : nil
    let ledger = try place.open()
    do throws(CommandError) {
      let status: ExitStatus
      switch action {
      case .create:
        guard let wanted else { preconditionFailure("what is made was read") }
        status = try await create(wanted, ledger, arguments, console)
      case .list: status = try await list(arguments, ledger, console)
      case .revoke: status = try await revoke(arguments, ledger, console)
      }
      await ledger.close()
      return status
    } catch {
      await ledger.close()
      throw error
    }
  }

  private struct Wanted {
    let kind: APIKeyRecord.Kind
    let app: BundleID
    let label: String
  }

  private static func request(_ arguments: CommandArguments) throws(CommandError) -> Wanted {
    guard let app = arguments.value("app"), !app.isEmpty else {
      throw .usage(
        Words("'iap keys create' needs --app BUNDLE.", zh: "“iap keys create”需要 --app BUNDLE。")
      )
    }
    let text = arguments.value("kind") ?? "public"
    guard let kind = APIKeyRecord.Kind(rawValue: text) else {
      throw .usage(
        Words(
          "--kind is public or secret, not '\(text)'.",
          zh: "--kind 只能是 public 或 secret，而不是“\(text)”。"
        )
      )
    }
    let label = arguments.value("label") ?? ""
    guard label.utf8.count <= NewAPIKey.labelBytesMax else {
      throw .usage(
        Words(
          "--label has at most \(NewAPIKey.labelBytesMax) bytes.",
          zh: "--label 最多 \(NewAPIKey.labelBytesMax) 字节。"
        )
      )
    }
    return Wanted(kind: kind, app: BundleID(app), label: label)
  }

  private static func create(
    _ wanted: Wanted,
    _ ledger: any Ledger,
    _ arguments: CommandArguments,
    _ console: Console
  ) async throws(CommandError) -> ExitStatus {
    let crypto: OpenSSLPrimitives
    do throws(CryptoError) {
      crypto = try OpenSSLPrimitives()
    } catch {
      throw CommandError(.failed, Words("the cryptography cannot be set up.", zh: "无法初始化密码学组件。"))
    }
    let key = NewAPIKey(
      wanted.kind,
      app: wanted.app,
      label: wanted.label,
      at: console.now(),
      random: secureRandomBytes,
      digest: { crypto.digest(.sha256, $0) }
    )
    try await commit(key.record, .mustBeAbsent, "key.created", ledger, console)
    if arguments.flag("json") {
      console.json(
        ["id": .string(key.record.id.rawValue), "key": .string(key.text)]
      )
      return .success
    }
    console.line(verbatim: key.text)
    console.errorLine(
      Words(
        "Keep it: it is shown only now. Its name is \(key.record.id).",
        zh: "请妥善保存：仅显示这一次。名称为 \(key.record.id)。"
      )
    )
    return .success
  }

  private static func list(
    _ arguments: CommandArguments,
    _ ledger: any Ledger,
    _ console: Console
  ) async throws(CommandError) -> ExitStatus {
    let app = arguments.value("app")
    let dates = ISO8601DateFormatter()
    var after: Int64 = 0
    var hasMore = true
    var rows: [JSONValue] = []
    while hasMore {
      let place = after
      let documents = try await asked { () async throws(StorageError) in
        try await ledger.read { reader throws(StorageError) in
          try reader.documents(.apiKey, app: nil, shelf: app, after: place, limit: pageMax)
        }
      }
      for document in documents {
        let key = try await asked { () async throws(StorageError) in try APIKeyRecord(document) }
        if arguments.flag("json") {
          rows.append(.object(key.row))
          continue
        }
        let state = key.revokedDate.map { "revoked " + dates.string(from: $0) } ?? "good"
        let words = [
          key.id.rawValue, key.kind.rawValue, key.app.rawValue,
          dates.string(from: key.createdDate), state, key.label,
        ]
        console.line(verbatim: words.joined(separator: "\t"))
      }
      hasMore = documents.count == pageMax
      after = documents.last?.sequence ?? after
    }
    if arguments.flag("json") { console.json(["keys": .array(rows)]) }
    return .success
  }

  private static let pageMax = 500

  private static func revoke(
    _ arguments: CommandArguments,
    _ ledger: any Ledger,
    _ console: Console
  ) async throws(CommandError) -> ExitStatus {
    guard arguments.operands.count == 2 else {
      throw .usage(Words("'iap keys revoke' needs KEY.", zh: "“iap keys revoke”需要密钥名称。"))
    }
    let id = APIKeyID(arguments.operands[1])
    let document = try await asked { () async throws(StorageError) in
      try await ledger.read { reader throws(StorageError) in
        try reader.document(APIKeyRecord.key(id))
      }
    }
    guard let document else {
      throw CommandError(
        .failed,
        Words("there is no key of that name.", zh: "没有该名称的密钥。")
      )
    }
    var key = try await asked { () async throws(StorageError) in try APIKeyRecord(document) }
    if key.revokedDate == nil {
      key.revokedDate = console.now()
      try await commit(key, .mustHaveVersion(document.version), "key.revoked", ledger, console)
    }
    if arguments.flag("json") {
      console.json(key.row)
      return .success
    }
    console.errorLine(Words("The key \(id) is good no more.", zh: "密钥 \(id) 已失效。"))
    return .success
  }

  private static func commit(
    _ key: APIKeyRecord,
    _ condition: DocumentWrite.Condition,
    _ action: String,
    _ ledger: any Ledger,
    _ console: Console
  ) async throws(CommandError) {
    var write = LedgerWrite(date: console.now())
    write.documents = [key.document(condition)]
    write.audit = [
      AuditRecord(
        app: key.app,
        action: action,
        details: ["key": .string(key.id.rawValue), "kind": .string(key.kind.rawValue)],
        date: write.date
      )
    ]
    let wish = write
    let outcome = try await asked { () async throws(StorageError) in try await ledger.commit(wish) }
    guard !outcome.isRefused else {
      throw CommandError(
        .failed,
        Words("the key was changed at the same moment; try again.", zh: "密钥同时被修改，请重试。")
      )
    }
  }

  private static func asked<Value>(
    _ body: () async throws(StorageError) -> Value
  ) async throws(CommandError) -> Value {
    do throws(StorageError) {
      return try await body()
    } catch {
      throw CommandError(
        .failed,
        Words(
          "the database cannot be used (\(error.code)): \(error.reason).",
          zh: "数据库无法使用（\(error.code)）：\(error.reason)。"
        )
      )
    }
  }
}

extension APIKeyRecord {
  /// What a program reads of a key; nothing that opens a door.
  fileprivate var row: JSONObject {
    var row: JSONObject = [
      "id": .string(id.rawValue), "kind": .string(kind.rawValue), "app": .string(app.rawValue),
      "createdDate": .integer(createdDate.milliseconds), "label": .string(label),
    ]
    row["revokedDate"] = revokedDate.map { .integer($0.milliseconds) }
    return row
  }
}
