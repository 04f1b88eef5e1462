import Foundation
import IAPKit

/// One text in the languages that users read.
struct Words {
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

/// Writes days the way readers of a language do.
struct DayFormat {
  private let formatter: DateFormatter

  init(_ language: IAPError.Language, timeZone: TimeZone) {
    formatter = DateFormatter()
    formatter.locale = Locale(identifier: language == .english ? "en_US" : "zh_Hans_CN")
    formatter.timeZone = timeZone
    formatter.dateStyle = .long
    formatter.timeStyle = .none
  }

  func text(_ date: Date) -> String { formatter.string(from: date) }
}
