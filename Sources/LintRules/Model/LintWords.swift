/// One text in the languages that the linter speaks.
package struct LintWords: Hashable, Sendable {
  package let english: String
  package let simplifiedChinese: String

  package init(_ english: String, zh simplifiedChinese: String) {
    self.english = english
    self.simplifiedChinese = simplifiedChinese
  }

  package func callAsFunction(_ language: LintLanguage) -> String {
    switch language {
    case .english: english
    case .simplifiedChinese: simplifiedChinese
    }
  }
}

/// The language of what a person reads; JSON and SARIF names are never translated.
package enum LintLanguage: Sendable, CaseIterable {
  case english
  case simplifiedChinese

  /// Chooses by the locale variables, the strongest first; English unless one asks for Chinese.
  ///
  /// - Parameter environment: The process's environment variables.
  package init(environment: [String: String]) {
    let names = ["LC_ALL", "LC_MESSAGES", "LANG"]
    let locale = names.lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
    self = locale.lowercased().hasPrefix("zh") ? .simplifiedChinese : .english
  }
}
