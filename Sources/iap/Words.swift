import Foundation

/// The language of what the person at the terminal reads.
enum Language: Sendable {
  case english
  case simplifiedChinese

  /// Chooses by the locale variables, the strongest first; English unless one asks for Chinese.
  ///
  /// - Parameter environment: The process's environment variables.
  init(environment: [String: String]) {
    let names = ["LC_ALL", "LC_MESSAGES", "LANG"]
    let locale = names.lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
    self = locale.lowercased().hasPrefix("zh") ? .simplifiedChinese : .english
  }
}

/// One text in the languages that the command speaks.
///
/// A missing translation falls back to English; names, numbers and JSON are never translated.
struct Words: Sendable, ExpressibleByStringInterpolation {
  let english: String
  let simplifiedChinese: String?

  init(_ english: String, zh simplifiedChinese: String? = nil) {
    self.english = english
    self.simplifiedChinese = simplifiedChinese
  }

  init(stringLiteral value: String) { self.init(value) }

  func callAsFunction(_ language: Language) -> String {
    switch language {
    case .english: english
    case .simplifiedChinese: simplifiedChinese ?? english
    }
  }
}
