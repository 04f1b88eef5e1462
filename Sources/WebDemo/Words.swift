import IAPKit

/// One text in the languages that the page speaks.
struct Words: Hashable, Sendable {
  private let english: String
  private let chinese: String

  init(_ english: String, zh chinese: String) {
    self.english = english
    self.chinese = chinese
  }

  func callAsFunction(_ language: IAPError.Language) -> String {
    switch language {
    case .english: english
    case .simplifiedChinese: chinese
    }
  }
}
