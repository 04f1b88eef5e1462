import Foundation
import IAPModel

/// Looks at what a source says, setting by setting; a mistake never hides another.
struct SettingChecker {
  let source: SettingMistake.Source
  /// From where relative files are meant; nil for the folder of the process.
  let folder: URL?
  var mistakes: [SettingMistake] = []

  /// The longest text of a value that is shown, in characters.
  static let shownMax = 60

  init(_ source: SettingMistake.Source, folder: URL? = nil) {
    self.source = source
    self.folder = folder
  }

  /// Checks an object.
  ///
  /// - Parameters:
  ///   - object: The object.
  ///   - pattern: Where it stands in the table: empty, `limits.`, `apps[].`
  ///   - place: Where it stands in the file: empty, `limits.`, `apps[0].`
  /// - Returns: The members that can be used, with files meant from the folder.
  mutating func check(_ object: JSONObject, _ pattern: String, _ place: String) -> JSONObject {
    let known = ServeSettingTable.members(of: pattern)
    var good = JSONObject()
    for member in object.members {
      let isNamedFreely = known.contains { $0.path == pattern + "*" }
      let name = isNamedFreely ? "*" : member.name
      guard let setting = known.first(where: { $0.path == pattern + name }) else {
        unknown(member.name, place, known)
        continue
      }
      good[member.name] = check(member.value, setting, place + member.name)
    }
    for setting in known where setting.isRequired && object[setting.name] == nil {
      add(place + setting.name, found: nil, setting.kind.wanted)
    }
    return good
  }

  /// Checks a value; nil when it cannot be used.
  mutating func check(
    _ value: JSONValue,
    _ setting: ServeSetting,
    _ place: String
  ) -> JSONValue? {
    guard setting.kind.accepts(value) else {
      add(place, found: Self.shown(value, setting.kind), setting.kind.wanted)
      return nil
    }
    switch (setting.kind, value) {
    case (.object, .object(let object)), (.map, .object(let object)):
      return .object(check(object, setting.path + ".", place + "."))
    case (.list, .array(let values)):
      return .array(
        values.enumerated().compactMap { index, value in
          value.objectValue.map {
            .object(check($0, setting.path + "[].", "\(place)[\(index)]."))
          }
        }
      )
    default: return resolved(value, setting.kind)
    }
  }

  mutating func add(_ place: String, found: Words?, _ wanted: Words) {
    mistakes.append(SettingMistake(source, place, found: found, wanted: wanted))
  }

  /// A member of that name means nothing; what is probably meant is said.
  private mutating func unknown(_ name: String, _ place: String, _ known: [ServeSetting]) {
    let names = known.map(\.name)
    let near =
      nearestName(to: name, among: names)
      ?? names.first { Self.plain($0) == Self.plain(name) }
    add(
      place + name,
      found: Words("a setting that is not known", zh: "未知的设置"),
      near.map { Words("perhaps \($0)", zh: "可能是 \($0)") }
        ?? Words(
          "one of \(names.sorted().joined(separator: ", "))",
          zh: "以下之一：\(names.sorted().joined(separator: "、"))"
        )
    )
  }

  /// A name without what people spell in different ways.
  private static func plain(_ name: String) -> String {
    name.lowercased().filter { $0 != "_" && $0 != "-" }
  }

  private func resolved(_ value: JSONValue, _ kind: ServeSetting.Kind) -> JSONValue {
    guard kind.isPlace, let folder else { return value }
    switch value {
    case .string(let text): return .string(ServeSettingsReader.path(text, in: folder))
    case .array(let values): return .array(values.map { resolved($0, kind) })
    default: return value
    }
  }

  /// A value as it is shown to people: short, and never a secret.
  static func shown(_ value: JSONValue, _ kind: ServeSetting.Kind) -> Words {
    switch value {
    case .object: return Words("an object", zh: "对象")
    case .array(let values) where values.isEmpty: return Words("an empty list", zh: "空列表")
    case .string(let text) where kind.isSecret && !text.isEmpty:
      return Words("a text that is not shown", zh: "不予显示的文本")
    case .array(let values) where kind.isSecret:
      return Words("a list of \(values.count)", zh: "\(values.count) 项的列表")
    case .null, .bool, .number, .string, .array: break
    }
    let text = value.serializedText
    return Words(text.count > shownMax ? text.prefix(shownMax) + "…" : text)
  }
}
