import Foundation
import IAPModel

/// One thing that can be set for a server, as data: what reads the file, the environment and the
/// options, what names mistakes, and the reference in `docs/configuration.md` all read this.
struct ServeSetting: Sendable {
  /// What a value has to be.
  enum Kind: Sendable, Hashable {
    case text
    /// A text that is never shown: it may hold a password.
    case secretText
    case flag
    /// A flag that is worth something only when it is on: somebody has agreed.
    case agreement
    case integer(ClosedRange<Int64>)
    case word([String])
    /// A list of such words, with at least one.
    case words([String])
    case texts
    case integers(ClosedRange<Int64>, countMax: Int)
    case file
    case files
    case folder
    /// A file that only the server and its group may read.
    case secretFile
    /// HOST:PORT.
    case address
    case url
    /// A length of time such as P3M.
    case period
    /// Members that have settings of their own.
    case object
    /// A list of such objects.
    case list
    /// An object whose members are named by whoever writes it.
    case map
  }

  /// Where it stands in the file: `limits.requestsPerMinuteMax`, `apps[].bundle`,
  /// `apps[].products.*.level`.
  let path: String
  let kind: Kind
  /// What holds when it is not set, as it would stand in the file; nil when there is nothing.
  let usual: String?
  /// The option of a call that sets it.
  let option: String?
  /// Whether it has to be there when the object around it is.
  let isRequired: Bool
  let meaning: Words

  init(
    _ path: String,
    _ kind: Kind,
    usual: String? = nil,
    option: String? = nil,
    isRequired: Bool = false,
    _ english: String,
    zh chinese: String
  ) {
    self.path = path
    self.kind = kind
    self.usual = usual
    self.option = option
    self.isRequired = isRequired
    meaning = Words(english, zh: chinese)
  }

  /// The member's own name.
  var name: String {
    path.split(separator: ".").last.map { String($0.replacing("[]", with: "")) } ?? path
  }

  /// The environment variable that sets it; nil for what only the file can say.
  var variable: String? {
    guard !path.contains("[]") else { return nil }
    switch kind {
    case .object, .list, .map: return nil
    default: return Self.variable(path)
    }
  }

  /// `limits.claimLeaseSeconds` is `IAP_LIMITS_CLAIM_LEASE_SECONDS`.
  static func variable(_ path: String) -> String {
    var name = "IAP_"
    var isAfterLower = false
    for character in path {
      if character == "." {
        name += "_"
        isAfterLower = false
        continue
      }
      if character.isUppercase, isAfterLower { name += "_" }
      name += character.uppercased()
      isAfterLower = character.isLowercase || character.isNumber
    }
    return name
  }
}

extension ServeSetting.Kind {
  /// What a value has to be, in words.
  var wanted: Words {
    switch self {
    case .text, .secretText: Words("a text", zh: "文本")
    case .flag: Words("true or false", zh: "true 或 false")
    case .agreement: Words("true, or to be left out", zh: "true，否则不写")
    case .integer(let range): Self.number(range)
    case .word(let words):
      Words(Self.list(words, "or"), zh: Self.list(words, "或"))
    case .words(let words):
      Words("a list of \(Self.list(words, "or"))", zh: "由 \(Self.list(words, "或")) 组成的列表")
    case .texts: Words("a list of texts", zh: "文本列表")
    case .integers(let range, let most):
      Words(
        "a list of at most \(most), each \(Self.number(range)(.english))",
        zh: "最多 \(most) 项的列表，每项为\(Self.number(range)(.simplifiedChinese))"
      )
    case .file: Words("the name of a file", zh: "文件名")
    case .files: Words("a list of file names", zh: "文件名列表")
    case .folder: Words("the name of a folder", zh: "文件夹名")
    case .secretFile:
      Words("the name of a file that others may not read", zh: "其他用户不可读的文件名")
    case .address: Words("HOST:PORT such as 127.0.0.1:8080", zh: "HOST:PORT（如 127.0.0.1:8080）")
    case .url:
      Words("an address such as https://iap.example.com", zh: "网址（如 https://iap.example.com）")
    case .period: Words("a length of time such as P3M", zh: "时长（如 P3M）")
    case .object, .map: Words("an object", zh: "对象")
    case .list: Words("a list of objects", zh: "对象列表")
    }
  }

  /// Whether a value is never to be shown.
  var isSecret: Bool { self == .secretText }

  /// Whether a relative value is meant from the folder of the file that it stands in.
  var isPlace: Bool { [.file, .files, .folder, .secretFile].contains(self) }

  private static func number(_ range: ClosedRange<Int64>) -> Words {
    guard range.upperBound < .max else {
      return Words(
        "a whole number from \(range.lowerBound)",
        zh: "从 \(range.lowerBound) 起的整数"
      )
    }
    return Words(
      "a whole number from \(range.lowerBound) to \(range.upperBound)",
      zh: "\(range.lowerBound) 到 \(range.upperBound) 的整数"
    )
  }

  private static func list(_ words: [String], _ last: String) -> String {
    guard let end = words.last, words.count > 1 else { return words.first ?? "" }
    return words.dropLast().joined(separator: ", ") + " \(last) " + end
  }

  /// Whether a value is what it has to be; members of objects are looked at by themselves.
  func accepts(_ value: JSONValue) -> Bool {
    switch self {
    case .text, .secretText, .file, .folder, .secretFile:
      return value.stringValue?.isEmpty == false
    case .flag: return value.boolValue != nil
    case .agreement: return value.boolValue == true
    case .integer(let range): return value.integerValue.map { range.contains($0) } ?? false
    case .word(let words): return value.stringValue.map { words.contains($0) } ?? false
    case .words(let words):
      return Self.all(value) { $0.stringValue.map { words.contains($0) } ?? false }
    case .texts: return Self.all(value, orNone: true) { $0.stringValue != nil }
    case .files: return Self.all(value, orNone: true) { $0.stringValue?.isEmpty == false }
    case .integers(let range, let most):
      return (value.arrayValue?.count ?? 0) <= most
        && Self.all(value) { $0.integerValue.map { range.contains($0) } ?? false }
    case .address: return value.stringValue.flatMap { ListenAddress($0) } != nil
    case .url:
      guard let text = value.stringValue, let url = URL(string: text) else { return false }
      return ["http", "https"].contains(url.scheme ?? "") && url.host?.isEmpty == false
    case .period: return value.stringValue.flatMap { SubscriptionPeriod(iso8601: $0) } != nil
    case .object, .map: return value.objectValue != nil
    case .list: return Self.all(value, orNone: true) { $0.objectValue != nil }
    }
  }

  private static func all(
    _ value: JSONValue,
    orNone mayBeEmpty: Bool = false,
    _ isGood: (JSONValue) -> Bool
  ) -> Bool {
    guard let values = value.arrayValue else { return false }
    return (mayBeEmpty || !values.isEmpty) && values.allSatisfy(isGood)
  }

  /// What a variable or an option says, as it would stand in the file.
  func value(of text: String) -> JSONValue {
    switch self {
    case .flag, .agreement:
      switch text.lowercased() {
      case "true", "yes", "1": return true
      case "false", "no", "0": return false
      default: return .string(text)
      }
    case .integer: return Int64(text).map { .integer($0) } ?? .string(text)
    case .words, .texts, .files:
      return .array(Self.parts(text).map { .string($0) })
    case .integers:
      return .array(
        Self.parts(text).map { part in Int64(part).map { .integer($0) } ?? .string(part) }
      )
    default: return .string(text)
    }
  }

  private static func parts(_ text: String) -> [String] {
    text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
  }
}
