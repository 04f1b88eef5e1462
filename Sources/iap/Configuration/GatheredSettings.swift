import Foundation
import IAPModel

/// What file, environment and options say together: of each setting the strongest word.
struct GatheredSettings: Sendable {
  /// The environment variable that names the configuration file.
  static let fileVariable = "IAP_CONFIG"
  /// The environment variable that names apps as `--app` does, divided by commas.
  static let appVariable = "IAP_APP"
  /// The environment variable that names the environments of those apps.
  static let environmentVariable = "IAP_ENVIRONMENT"
  /// Variables of this prefix that belong to somebody else.
  private static let others: Set<String> = ["IAP_KEY", "IAP_VECTORS", "IAP_TESTS", "IAP_POSTGRES"]
  /// The longest configuration file, in bytes.
  static let sizeBytesMax = 1024 * 1024
  /// How deep it may be nested.
  static let depthMax = 8

  /// A value and who says it.
  struct Value: Sendable {
    let value: JSONValue
    let source: SettingMistake.Source
    /// Where it is in that source.
    let place: String
  }

  /// An app and who speaks of it.
  struct App: Sendable {
    var object: JSONObject
    let source: SettingMistake.Source
    let place: String
  }

  /// By path, such as `limits.requestsPerMinuteMax`; what nobody says is not there.
  var values: [String: Value] = [:]
  var apps: [App] = []
  var mistakes: [SettingMistake] = []
  /// The folder of the configuration file.
  var folder: URL?

  /// Gathers what there is.
  ///
  /// - Parameters:
  ///   - arguments: The call.
  ///   - console: The environment and the files.
  init(_ arguments: CommandArguments, _ console: Console) async {
    let named = arguments.value("config")
    if let path = named ?? console.environment[Self.fileVariable], !path.isEmpty {
      let source: SettingMistake.Source =
        named == nil ? .variable(Self.fileVariable) : .option("config")
      await readFile(path, named: source, console)
    }
    readVariables(console.environment)
    readOptions(arguments)
    checkDatabase()
  }

  private mutating func readFile(
    _ path: String,
    named: SettingMistake.Source,
    _ console: Console
  ) async {
    guard let bytes = await console.file(path, Self.sizeBytesMax) else {
      mistakes.append(
        SettingMistake(
          named,
          "",
          found: Words(
            "'\(path)', which cannot be read",
            zh: "“\(path)”（无法读取）"
          ),
          wanted: Words("the configuration file", zh: "配置文件")
        )
      )
      return
    }
    let source = SettingMistake.Source.file(path)
    // Paths in the file are meant from where the file is.
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
    self.folder = folder
    do throws(PayloadError) {
      let limits = JSONLimits(sizeBytesMax: Self.sizeBytesMax, depthMax: Self.depthMax)
      var checker = SettingChecker(source, folder: folder)
      let object = checker.check(try JSONParser.parseObject(bytes, limits: limits), "", "")
      mistakes += checker.mistakes
      take(object, "", source)
    } catch {
      mistakes.append(
        SettingMistake(
          source,
          "",
          found: Words("no JSON object (\(error.reason))", zh: "不是 JSON 对象（\(error.reason)）"),
          wanted: Words("one JSON object", zh: "一个 JSON 对象")
        )
      )
    }
  }

  /// Takes what a file says.
  private mutating func take(
    _ object: JSONObject,
    _ prefix: String,
    _ source: SettingMistake.Source
  ) {
    for member in object.members {
      let path = prefix + member.name
      switch (ServeSettingTable.setting(path)?.kind, member.value) {
      case (.object, .object(let inner)): take(inner, path + ".", source)
      case (.list, .array(let list)):
        apps += list.enumerated().compactMap { index, app in
          app.objectValue.map { App(object: $0, source: source, place: "\(path)[\(index)]") }
        }
      case (_, let value): values[path] = Value(value: value, source: source, place: path)
      }
    }
  }

  private mutating func readVariables(_ environment: [String: String]) {
    var known: [String] = [Self.fileVariable, Self.appVariable, Self.environmentVariable]
    for setting in ServeSettingTable.all {
      guard let name = setting.variable else { continue }
      known.append(name)
      guard let text = environment[name], !text.isEmpty else { continue }
      take(text, setting, .variable(name))
    }
    readApps(
      Self.parts(environment[Self.appVariable]),
      .variable(Self.appVariable),
      Self.parts(environment[Self.environmentVariable]),
      .variable(Self.environmentVariable)
    )
    for name in environment.keys.sorted() where name.hasPrefix("IAP_") {
      guard !known.contains(name), !Self.others.contains(name),
        let near = nearestName(to: name, among: known)
      else { continue }
      mistakes.append(
        SettingMistake(
          .variable(name),
          "",
          found: Words("a variable that is not known", zh: "未知的变量"),
          wanted: Words("perhaps \(near)", zh: "可能是 \(near)")
        )
      )
    }
  }

  private static func parts(_ text: String?) -> [String] {
    (text ?? "").split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
  }

  private mutating func readOptions(_ arguments: CommandArguments) {
    for setting in ServeSettingTable.all {
      guard let name = setting.option else { continue }
      switch setting.kind {
      case .flag, .agreement:
        guard arguments.flag(name) else { continue }
        values[setting.path] = Value(value: true, source: .option(name), place: setting.path)
      case .files, .texts, .words:
        let texts = arguments.values(name)
        guard !texts.isEmpty else { continue }
        take(.array(texts.map { .string($0) }), setting, .option(name))
      default:
        guard let text = arguments.value(name) else { continue }
        take(text, setting, .option(name))
      }
    }
    readApps(
      arguments.values("app"),
      .option("app"),
      arguments.values("environment"),
      .option("environment")
    )
  }

  private mutating func take(
    _ text: String,
    _ setting: ServeSetting,
    _ source: SettingMistake.Source
  ) {
    take(setting.kind.value(of: text), setting, source)
  }

  private mutating func take(
    _ value: JSONValue,
    _ setting: ServeSetting,
    _ source: SettingMistake.Source
  ) {
    var checker = SettingChecker(source)
    if let good = checker.check(value, setting, setting.path) {
      values[setting.path] = Value(value: good, source: source, place: setting.path)
    }
    mistakes += checker.mistakes
  }

  /// Reads apps from outside the file: one of the same bundle takes number and environments.
  private mutating func readApps(
    _ texts: [String],
    _ source: SettingMistake.Source,
    _ environments: [String],
    _ environmentSource: SettingMistake.Source
  ) {
    var named: JSONValue?
    if !environments.isEmpty, let setting = ServeSettingTable.setting("apps[].environments") {
      var checker = SettingChecker(environmentSource)
      let list = JSONValue.array(environments.map { .string($0) })
      named = checker.check(list, setting, setting.path)
      mistakes += checker.mistakes
    }
    if texts.isEmpty, !environments.isEmpty {
      mistakes.append(
        SettingMistake(
          environmentSource,
          "",
          found: Words("no app beside it", zh: "没有同时给出的 App"),
          wanted: Words(
            "to stand beside --app or IAP_APP; the file names environments for each app",
            zh: "与 --app 或 IAP_APP 同用；配置文件应为每个 App 指定环境"
          )
        )
      )
    }
    for text in texts {
      let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, !parts[0].isEmpty, let number = Int64(parts[1]), number > 0 else {
        mistakes.append(
          SettingMistake(
            source,
            "",
            found: SettingChecker.shown(.string(text), .text),
            wanted: Words(
              "BUNDLE=APPID such as com.example.app=1234567890",
              zh: "BUNDLE=APPID（如 com.example.app=1234567890）"
            )
          )
        )
        continue
      }
      add(String(parts[0]), number, named, source)
    }
  }

  private mutating func add(
    _ bundle: String,
    _ number: Int64,
    _ environments: JSONValue?,
    _ source: SettingMistake.Source
  ) {
    var said: JSONObject = ["bundle": .string(bundle), "appAppleId": .integer(number)]
    said["environments"] = environments
    guard let index = apps.firstIndex(where: { $0.object["bundle"]?.stringValue == bundle }) else {
      apps.append(App(object: said, source: source, place: "apps"))
      return
    }
    apps[index].object["appAppleId"] = said["appAppleId"]
    apps[index].object["environments"] = environments
  }

  /// The address of the database stands in one place; the stronger source wins.
  private mutating func checkDatabase() {
    guard let place = values["database"], let file = values["databaseFile"] else { return }
    switch (place.source < file.source, file.source < place.source) {
    case (true, _): values["database"] = nil
    case (_, true): values["databaseFile"] = nil
    case (false, false):
      mistakes.append(
        SettingMistake(
          file.source,
          file.place,
          found: Words("database as well", zh: "同时给出了 database"),
          wanted: Words("one of the two: they name the same thing", zh: "两者只给一个：含义相同")
        )
      )
    }
  }
}
