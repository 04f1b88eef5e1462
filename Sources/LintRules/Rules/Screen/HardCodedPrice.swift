import SwiftSyntax

/// A price in the source.
enum HardCodedPrice: LintRule {
  static let info = RuleInfo(
    "hard-coded-price",
    .error,
    .review,
    title: LintWords("A price is written in the source", zh: "源代码中写死了价格"),
    why: LintWords(
      """
      The store bills in the currency and at the price of the user's storefront. A price in the \
      source is wrong in most countries and after every change; the review refuses it.
      """,
      zh: "商店按用户所在地区的货币和价格收费；写在源代码里的价格在大多数国家以及每次调价后都是错的，审核也会拒绝。"
    ),
    fix: LintWords(
      "Show 'displayPrice' (or StoreKit 1's 'price' with 'priceLocale') of the loaded product.",
      zh: "显示已加载商品的“displayPrice”（StoreKit 1 用“price”配合“priceLocale”）。"
    )
  )

  static func places(in project: Project) -> [Place] {
    guard !project.sales.isEmpty else { return [] }
    return project.appUnits.filter { !$0.isManifest }.flatMap { unit in
      let texts = unit.literals.filter { literal in
        literal.segments.contains { segment in
          segment.as(StringSegmentSyntax.self).map { PriceText.isFound(in: $0.content.text) }
            ?? false
        } && !literal.isForPreview
      }.map { unit.place($0) }
      let numbers = unit.tree.all(PatternBindingSyntax.self).filter(isPrice).map { unit.place($0) }
      return texts + numbers
    }
  }

  private static func isPrice(_ binding: PatternBindingSyntax) -> Bool {
    guard let value = binding.initializer?.value.bare.as(FloatLiteralExprSyntax.self),
      let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.text
    else { return false }
    return name.camelWords.contains("price") && (Double(value.literal.text) ?? 0) > 0
      && !binding.isForPreview
  }
}

/// What a price looks like in a text.
enum PriceText {
  private static let signs: Set<Character> = ["$", "€", "£", "¥", "₹", "₩", "₽", "￥"]
  private static let units = [
    "€", " €", "元", " 元", "円", " USD", " EUR", " GBP", " CNY", " RMB", " dollars", " euros",
  ]

  static func isFound(in text: String) -> Bool {
    let letters = Array(text)
    for (index, letter) in letters.enumerated() {
      if signs.contains(letter), isAmount(letters, from: index + 1, sign: letter) { return true }
      let previous = index > 0 ? letters[index - 1] : " "
      if letter.isNumber, !previous.isNumber, previous != ".", previous != "," {
        let end = amountEnd(letters, from: index)
        let rest = String(letters[end...].prefix(10))
        if units.contains(where: { rest.hasPrefix($0) }) { return true }
      }
    }
    return false
  }

  private static func isAmount(_ letters: [Character], from start: Int, sign: Character) -> Bool {
    let first = start < letters.count && letters[start] == " " && sign != "$" ? start + 1 : start
    let end = amountEnd(letters, from: first)
    guard end > first else { return false }
    // "$0" and "$12" are placeholders of patterns and queries; an amount of whole dollars begins
    // the text or is said for a period.
    let isWhole = letters[first..<end].allSatisfy(\.isNumber)
    guard sign == "$", isWhole else { return letters[first..<end].contains { $0 != "0" } }
    if start == 1, end == letters.count, end > first + 1 { return true }
    let rest = String(letters[end...].prefix(6)).lowercased()
    return letters[first] != "0" && ["/", " a ", " per"].contains { rest.hasPrefix($0) }
  }

  private static func amountEnd(_ letters: [Character], from start: Int) -> Int {
    var end = start
    while end < letters.count,
      letters[end].isNumber
        || (end > start && end + 1 < letters.count && [".", ","].contains(letters[end])
          && letters[end + 1].isNumber)
    {
      end += 1
    }
    return end
  }
}

extension SourceUnit {
  /// `Package.swift` and the like describe a build, not an app.
  var isManifest: Bool {
    ["Package.swift", "Project.swift"].contains(path.split(separator: "/").last ?? "")
  }
}

extension SyntaxProtocol {
  /// Whether the code only feeds previews of the editor.
  var isForPreview: Bool {
    ancestors.contains { around in
      if let macro = around.as(MacroExpansionExprSyntax.self) {
        return macro.macroName.text == "Preview"
      }
      if let macro = around.as(MacroExpansionDeclSyntax.self) {
        return macro.macroName.text == "Preview"
      }
      return around.declaredTypeName.map {
        let words = $0.camelWords
        return words.contains("preview") || words.contains("previews") || words.contains("mock")
      } ?? false
    }
  }
}
