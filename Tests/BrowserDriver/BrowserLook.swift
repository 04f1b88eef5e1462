/// How a page is looked at: on what, by whom.
package struct BrowserLook: Hashable, Sendable, CustomStringConvertible {
  /// A screen.
  package struct Viewport: Hashable, Sendable {
    package var name: String
    package var width: Int
    package var height: Int
    package var scale: Int
    package var isMobile: Bool

    package init(_ name: String, _ width: Int, _ height: Int, scale: Int = 1, isMobile: Bool) {
      self.name = name
      self.width = width
      self.height = height
      self.scale = scale
      self.isMobile = isMobile
    }

    /// A telephone, 390 by 844.
    package static let phone = Viewport("phone", 390, 844, scale: 2, isMobile: true)
    /// A desk, 1280 by 900.
    package static let desktop = Viewport("desktop", 1280, 900, isMobile: false)
  }

  /// What the person likes.
  package enum Scheme: String, Hashable, Sendable, CaseIterable {
    case light, dark
  }

  /// The screen.
  package var viewport: Viewport
  /// The languages that the browser asks for, for example `zh-CN,zh`.
  package var languages: String
  /// Light or dark.
  package var scheme: Scheme
  /// Whether scripts of pages run.
  package var runsScripts: Bool
  /// Whether moving things move.
  package var allowsMotion: Bool

  package init(
    _ viewport: Viewport = .desktop,
    languages: String = "en-US,en",
    scheme: Scheme = .light,
    runsScripts: Bool = true,
    allowsMotion: Bool = false
  ) {
    self.viewport = viewport
    self.languages = languages
    self.scheme = scheme
    self.runsScripts = runsScripts
    self.allowsMotion = allowsMotion
  }

  /// The look in a few words, as it stands in the names of pictures: `phone-zh-dark`.
  package var description: String {
    let language = languages.prefix { $0 != "-" && $0 != "," }
    let scripts = runsScripts ? "" : "-noscript"
    return "\(viewport.name)-\(language)-\(scheme.rawValue)\(scripts)"
  }

  /// Both widths, both languages, both colour schemes.
  package static let all: [BrowserLook] = [Viewport.desktop, .phone].flatMap { viewport in
    ["en-US,en", "zh-CN,zh"].flatMap { languages in
      Scheme.allCases.map { BrowserLook(viewport, languages: languages, scheme: $0) }
    }
  }
}
