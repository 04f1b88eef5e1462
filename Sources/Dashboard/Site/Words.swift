/// The languages of the pages.
enum Language: String, Hashable, Sendable, CaseIterable {
  case english = "en"
  case simplifiedChinese = "zh-Hans"

  /// Its own name.
  var name: String {
    switch self {
    case .english: "English"
    case .simplifiedChinese: "简体中文"
    }
  }
}

/// One text in the languages of the pages.
struct Words: Hashable, Sendable {
  let english: String
  let simplifiedChinese: String

  init(_ english: String, zh simplifiedChinese: String) {
    self.english = english
    self.simplifiedChinese = simplifiedChinese
  }

  /// The same in every language: a name, a number.
  init(verbatim text: String) { self.init(text, zh: text) }

  func callAsFunction(_ language: Language) -> String {
    switch language {
    case .english: english
    case .simplifiedChinese: simplifiedChinese
    }
  }
}
