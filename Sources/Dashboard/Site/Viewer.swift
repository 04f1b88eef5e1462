import Foundation
import HTTPValues
import IAPModel

/// How somebody wants to read: language, conventions of the region, time zone.
struct Viewer: Hashable, Sendable {
  var language: Language
  /// The region whose way of writing numbers and dates is used.
  var region: String
  var timeZone: TimeZone

  static let languageCookie = "iap_language"
  static let zoneCookie = "iap_zone"
  /// The most languages of a browser that are looked at.
  static let languagesMax = 20

  /// Reads what the browser says; a choice that somebody made wins.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - cookies: Its cookies.
  init(_ request: HTTPRequest, _ cookies: Cookies) {
    let wanted = Self.tags(request.headers["Accept-Language"] ?? "")
    let chosen = (request.queryValue("language") ?? cookies[Self.languageCookie])
      .flatMap { Language(rawValue: $0) }
    language = chosen ?? wanted.lazy.compactMap { Self.language($0) }.first ?? .english
    let home = language == .english ? "US" : "CN"
    region =
      wanted.lazy.filter { Self.language($0) != nil || chosen == nil }
      .compactMap { Self.region($0) }.first ?? home
    let zone = request.queryValue("zone") ?? cookies[Self.zoneCookie]
    timeZone = zone.flatMap { Self.zone($0) } ?? Self.utc
  }

  /// The time zone of the counting days.
  static let utc = TimeZone(secondsFromGMT: 0) ?? .current

  /// A time zone of that name; nil when there is none, or when it cannot be a name.
  static func zone(_ name: String) -> TimeZone? {
    guard name.utf8.count <= 64, name.utf8.allSatisfy({ isNameByte($0) }) else { return nil }
    return TimeZone(identifier: name)
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "+-_/".utf8.contains(byte)
    }
  }

  /// The languages of a browser, the most wanted first.
  private static func tags(_ header: String) -> [String] {
    let parts = header.prefix(1000).split(separator: ",").prefix(languagesMax)
    let weighted = parts.enumerated().map { index, part in
      let words = part.split(separator: ";").map { $0.filter { $0 != " " } }
      let weight =
        words.dropFirst().first { $0.hasPrefix("q=") }
        .flatMap { Double($0.dropFirst(2)) } ?? 1
      return (tag: words.first ?? "", weight: weight, index: index)
    }
    return weighted.filter { $0.weight > 0 }
      .sorted { ($1.weight, $0.index) < ($0.weight, $1.index) }.map(\.tag)
  }

  private static func language(_ tag: String) -> Language? {
    switch tag.lowercased().split(separator: "-").first {
    case "zh": .simplifiedChinese
    case "en": .english
    default: nil
    }
  }

  private static func region(_ tag: String) -> String? {
    tag.split(separator: "-").dropFirst().first {
      $0.utf8.count == 2 && $0.utf8.allSatisfy { isNameByte($0) }
    }.map { $0.uppercased() }
  }

  private var locale: Locale {
    Locale(identifier: (language == .english ? "en_" : "zh-Hans_") + region)
  }

  /// A text in the language.
  func callAsFunction(_ words: Words) -> String { words(language) }

  /// A number.
  func number(_ value: Int64) -> String { value.formatted(.number.locale(locale)) }

  /// A number in few characters: for an axis.
  func short(_ value: Double) -> String {
    value.formatted(
      .number.notation(.compactName).precision(.significantDigits(1...3)).locale(locale)
    )
  }

  /// A share; nil is unknown.
  func percent(_ share: Double?) -> String {
    guard let share else { return "–" }
    return share.formatted(.percent.precision(.fractionLength(1)).locale(locale))
  }

  /// An amount in its own currency.
  func money(_ money: Money) -> String {
    money.amount.formatted(.currency(code: money.currency).locale(locale))
  }

  /// A day and a minute in the time zone.
  func instant(_ date: Date) -> String {
    date.formatted(
      Date.FormatStyle(date: .abbreviated, time: .shortened, locale: locale, timeZone: timeZone)
    )
  }

  /// A day and a second in the time zone.
  func exactly(_ date: Date) -> String {
    date.formatted(
      Date.FormatStyle(date: .abbreviated, time: .standard, locale: locale, timeZone: timeZone)
    )
  }

  /// A day of counting, which is one of UTC.
  func day(_ date: Date) -> String {
    date.formatted(
      Date.FormatStyle(date: .abbreviated, time: .omitted, locale: locale, timeZone: Self.utc)
    )
  }

  /// A day of counting, short: for an axis.
  func shortDay(_ date: Date) -> String {
    var style = Date.FormatStyle(locale: locale, timeZone: Self.utc)
    style = style.month(.abbreviated).day()
    return date.formatted(style)
  }

  /// A month of counting.
  func month(_ date: Date) -> String {
    var style = Date.FormatStyle(locale: locale, timeZone: Self.utc)
    style = style.year().month(.abbreviated)
    return date.formatted(style)
  }

  /// The name of the time zone.
  var zoneName: String { timeZone.identifier == "GMT" ? "UTC" : timeZone.identifier }
}

/// The cookies of a request; of two with one name the first counts.
struct Cookies: Hashable, Sendable {
  private let values: [String: String]

  /// The longest header that is looked at, in bytes.
  static let bytesMax = 8192

  init(_ request: HTTPRequest) {
    var values: [String: String] = [:]
    let header = request.headers["Cookie"] ?? ""
    if header.utf8.count <= Self.bytesMax {
      for part in header.split(separator: ";") {
        let words = part.split(separator: "=", maxSplits: 1)
        guard words.count == 2 else { continue }
        let name = words[0].filter { $0 != " " }
        if values[name] == nil { values[name] = String(words[1].filter { $0 != " " }) }
      }
    }
    self.values = values
  }

  subscript(name: String) -> String? { values[name] }
}

/// What a form sent.
struct FormBody: Hashable, Sendable {
  private let items: [HTTPQueryItem]

  /// The longest form, in bytes.
  static let bytesMax = 64 * 1024

  init(_ request: HTTPRequest) {
    let isForm = request.mediaType == "application/x-www-form-urlencoded"
    guard isForm, request.body.count <= Self.bytesMax else {
      items = []
      return
    }
    let text = String(decoding: request.body, as: UTF8.self)
    items = HTTPRequest(method: .post, target: "/?" + text).queryItems
  }

  /// What stands in a field; nil when it is empty.
  subscript(name: String) -> String? {
    items.first { $0.name == name }?.value.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// What stands in all fields of a name.
  func all(_ name: String) -> [String] { items.filter { $0.name == name }.compactMap(\.value) }
}
