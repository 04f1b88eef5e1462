import Dashboard
import EntitlementServer
import Foundation
import IAPModel
import OpenSSLCrypto
import ServerStorage

/// `iap operators add|list|password|remove`: who may log in to the dashboard.
enum OperatorsCommand: Command {
  static let name = "operators"
  static let summary = Words(
    "Adds, lists and removes the people who may log in to the server's dashboard.",
    zh: "添加、列出和删除可登录服务器控制台的人员。"
  )
  static let details = Words(
    """
    add makes an account, password gives it a new password and ends its sessions, remove ends it.
    The password is made by chance and printed once, unless --password-file names a file (or - for
    standard input) whose first line is the password; ten characters or more. The database keeps
    only a slow hash of it (scrypt). The role read looks at everything; act also decides cases,
    replays webhooks and begins comparisons. --app limits the account to apps.

    The dashboard is at /dashboard of the server, see 'iap serve'.

    Exit status: 0 done, 1 failed, 2 the call cannot be used.
    """,
    zh: """
      add 创建账户；password 设置新密码并结束其会话；remove 删除账户。
      密码随机生成并只显示一次；也可用 --password-file 指定文件（- 表示标准输入），首行为密码，
      至少十个字符。数据库仅保存其慢哈希（scrypt）。read 角色可查看全部；act 还可裁决案例、
      重放 Webhook、启动对账。--app 限定可见的 App。

      控制台位于服务器的 /dashboard，见“iap serve”。

      退出状态：0 完成，1 失败，2 调用有误。
      """
  )
  static let operands: [CommandOperand] = [
    CommandOperand(
      "ACTION",
      Words(
        "What to do: add, list, password or remove.",
        zh: "要做的事：add、list、password 或 remove。"
      ),
      choices: ["add", "list", "password", "remove"]
    ),
    CommandOperand(
      "NAME",
      Words("The name with which the person logs in.", zh: "登录用户名。"),
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
    .value("role", "ROLE", Words("read or act. Default read.", zh: "read 或 act。默认 read。")),
    .repeated("app", "BUNDLE", Words("An app that the person sees.", zh: "可见的 App。")),
    .value(
      "password-file",
      "FILE",
      Words("A file whose first line is the password.", zh: "首行为密码的文件。")
    ),
    .jsonFlag,
  ]

  private enum Action: String {
    case add, list, password, remove
  }

  /// The longest file that holds a password.
  private static let fileBytesMax = 4096

  static func run(
    _ arguments: CommandArguments,
    console: Console
  ) async throws(CommandError) -> ExitStatus {
    guard let action = Action(rawValue: arguments.operands[0]) else {
      throw .usage(
        Words(
          "'iap operators' knows add, list, password and remove, not '\(arguments.operands[0])'.",
          zh: "“iap operators”只支持 add、list、password 和 remove，不支持“\(arguments.operands[0])”。"
        )
      )
    }
    let place = LedgerPlace.named(arguments, console)
    guard action == .add || place.mayExist else {
      throw CommandError(
        .file,
        Words("there is no database '\(place)'.", zh: "数据库“\(place)”不存在。")
      )
    }
    let name = try action == .list ? nil : self.name(arguments)
    let role = try role(arguments)
    let given = try await password(arguments, console)
    let crypto = try crypto()
    let ledger = try place.open()
    let accounts = OperatorAccounts(
      ledger: ledger,
      mill: .live(crypto),
      chance: secureRandomBytes
    )
    let wish = Wish(action: action, name: name, role: role, password: given)
    let result = await asked { () async throws(DashboardError) in
      try await carryOut(wish, accounts, arguments, console)
    }
    await ledger.close()
    if let result { throw result }
    return .success
  }

  private struct Wish {
    let action: Action
    let name: OperatorName?
    let role: OperatorRecord.Role?
    let password: String?
  }

  private static func carryOut(
    _ wish: Wish,
    _ accounts: OperatorAccounts,
    _ arguments: CommandArguments,
    _ console: Console
  ) async throws(DashboardError) {
    switch (wish.action, wish.name) {
    case (.add, let name?), (.password, let name?):
      let isKnown = try await accounts.list().contains { $0.name == name }
      guard isKnown == (wish.action == .password) else {
        throw DashboardError(isKnown ? .conflict : .notFound, "")
      }
      let password = wish.password ?? accounts.newPassword()
      let apps = arguments.values("app").map { BundleID($0) }
      try await accounts.put(
        name,
        password: password,
        role: wish.role,
        apps: apps.isEmpty ? nil : apps,
        at: console.now()
      )
      tell(name, wish.password == nil ? password : nil, arguments, console)
    case (.remove, let name?):
      guard try await accounts.remove(name, at: console.now()) else {
        throw DashboardError(.notFound, "")
      }
      if arguments.flag("json") {
        console.json(["name": .string(name.rawValue), "removed": true])
      } else {
        console.errorLine(
          Words("\(name) may log in no more.", zh: "\(name) 已不能登录。")
        )
      }
    case (.list, _), (_, nil): list(try await accounts.list(), arguments, console)
    }
  }

  private static func name(_ arguments: CommandArguments) throws(CommandError) -> OperatorName {
    guard arguments.operands.count == 2 else {
      throw .usage(
        Words(
          "'iap operators \(arguments.operands[0])' needs NAME.",
          zh: "“iap operators \(arguments.operands[0])”需要用户名。"
        )
      )
    }
    let name = OperatorName(arguments.operands[1])
    guard name.isUsable else {
      throw .usage(
        Words(
          "a name has 1 to \(OperatorName.bytesMax) letters, digits and .-_@",
          zh: "用户名由 1 至 \(OperatorName.bytesMax) 个字母、数字和 .-_@ 组成"
        )
      )
    }
    return name
  }

  private static func role(
    _ arguments: CommandArguments
  ) throws(CommandError) -> OperatorRecord.Role? {
    guard let text = arguments.value("role") else { return nil }
    guard let role = OperatorRecord.Role(rawValue: text) else {
      throw .usage(
        Words("--role is read or act, not '\(text)'.", zh: "--role 只能是 read 或 act，而不是“\(text)”。")
      )
    }
    return role
  }

  private static func password(
    _ arguments: CommandArguments,
    _ console: Console
  ) async throws(CommandError) -> String? {
    guard let path = arguments.value("password-file") else { return nil }
    let bytes = try await console.contents(of: path, sizeBytesMax: fileBytesMax)
    let text = String(decoding: bytes, as: UTF8.self)
    let line = text.split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
    guard line.count >= StoredPassword.charactersMin,
      line.utf8.count <= StoredPassword.bytesMax
    else {
      throw .usage(
        Words(
          "a password has at least \(StoredPassword.charactersMin) characters.",
          zh: "密码至少 \(StoredPassword.charactersMin) 个字符。"
        )
      )
    }
    return line
  }

  private static func crypto() throws(CommandError) -> OpenSSLPrimitives {
    do { return try OpenSSLPrimitives() } catch {
      throw CommandError(
        .failed,
        Words("the cryptography cannot be set up.", zh: "无法初始化密码学组件。")
      )
    }
  }

  private static func tell(
    _ name: OperatorName,
    _ password: String?,
    _ arguments: CommandArguments,
    _ console: Console
  ) {
    if arguments.flag("json") {
      var object: JSONObject = ["name": .string(name.rawValue)]
      object["password"] = password.map { .string($0) }
      console.json(object)
      return
    }
    if let password {
      console.line(verbatim: password)
      console.errorLine(
        Words(
          "The password of \(name), shown only now.",
          zh: "\(name) 的密码，仅显示这一次。"
        )
      )
    } else {
      console.errorLine(Words("\(name) may log in.", zh: "\(name) 可以登录。"))
    }
  }

  private static func list(
    _ people: [OperatorRecord],
    _ arguments: CommandArguments,
    _ console: Console
  ) {
    if arguments.flag("json") {
      let rows = people.map { person -> JSONValue in
        [
          "name": .string(person.name.rawValue), "role": .string(person.role.rawValue),
          "apps": .array(person.apps.map { .string($0.rawValue) }),
          "createdDate": .integer(person.createdDate.milliseconds),
        ]
      }
      console.json(["operators": .array(rows)])
      return
    }
    for person in people {
      let apps = person.apps.isEmpty ? "*" : person.apps.map(\.rawValue).joined(separator: ",")
      console.line(verbatim: "\(person.name)\t\(person.role.rawValue)\t\(apps)")
    }
  }

  private static func asked(
    _ body: () async throws(DashboardError) -> Void
  ) async -> CommandError? {
    do throws(DashboardError) {
      try await body()
      return nil
    } catch {
      switch error.code {
      case .notFound:
        return CommandError(
          .failed,
          Words("there is nobody of that name.", zh: "没有该用户名。")
        )
      case .conflict:
        return CommandError(
          .failed,
          Words(
            "there is somebody of that name: 'iap operators password' gives a new password.",
            zh: "该用户名已存在：用“iap operators password”设置新密码。"
          )
        )
      default:
        return CommandError(
          .failed,
          Words(
            "the database cannot be used: \(error.reason).",
            zh: "数据库无法使用：\(error.reason)。"
          )
        )
      }
    }
  }
}
