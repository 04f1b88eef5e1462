import IAPModel

/// Something in the settings that cannot be used, with everything that is needed to mend it.
struct SettingMistake: Sendable {
  /// Where a value comes from, the weakest first.
  enum Source: Hashable, Sendable, Comparable {
    /// What holds when nobody says anything.
    case usual
    /// The configuration file.
    case file(String)
    /// A variable of the environment.
    case variable(String)
    /// An option of the call.
    case option(String)

    private var rank: Int {
      switch self {
      case .usual: 0
      case .file: 1
      case .variable: 2
      case .option: 3
      }
    }

    static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }

    /// As a stable word.
    var word: String {
      switch self {
      case .usual: "default"
      case .file: "file"
      case .variable: "environment"
      case .option: "option"
      }
    }

    /// The file, the variable or the option.
    var name: String {
      switch self {
      case .usual: ""
      case .file(let path): path
      case .variable(let name): name
      case .option(let name): "--" + name
      }
    }
  }

  /// Where it is.
  let source: Source
  /// The setting's key path, such as `apps[0].bundle`; empty when it is about no single one.
  let setting: String
  /// What was found; nil when nothing was.
  let found: Words?
  /// What is wanted.
  let wanted: Words

  /// Makes one for a value.
  init(_ source: Source, _ setting: String, found: Words?, wanted: Words) {
    self.source = source
    self.setting = setting
    self.found = found
    self.wanted = wanted
  }

  /// Makes one for settings that do not go together.
  init(_ wanted: Words) {
    self.init(.usual, "", found: nil, wanted: wanted)
  }

  /// Where it is, in front of the sentence.
  private var place: String {
    switch source {
    case .usual: setting
    case .file(let path): setting.isEmpty ? path : "\(path): \(setting)"
    case .variable, .option: source.name
    }
  }

  /// One sentence.
  var words: Words {
    guard !(source == .usual && setting.isEmpty) else { return wanted }
    let foundEnglish = found?(.english) ?? "nothing"
    let foundChinese = found?(.simplifiedChinese) ?? "空"
    return Words(
      "\(place): found \(foundEnglish), wanted \(wanted(.english)).",
      zh: "\(place)：实际为 \(foundChinese)，应为 \(wanted(.simplifiedChinese))。"
    )
  }

  /// For programs.
  func object(_ language: Language) -> JSONObject {
    [
      "source": .string(source == .usual ? "whole" : source.word), "place": .string(source.name),
      "setting": .string(setting), "found": found.map { .string($0(language)) } ?? .null,
      "wanted": .string(wanted(language)), "message": .string(words(language)),
    ]
  }
}
