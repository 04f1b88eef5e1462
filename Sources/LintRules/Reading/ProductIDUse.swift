import SwiftParser
import SwiftSyntax

/// A place in an app's sources that names a product.
struct ProductIDUse: Sendable {
  let product: String
  let place: Place
  let isInTests: Bool
  /// Whether the place looks like the one where products are listed or named.
  let isHome: Bool

  /// Every literal that is a product's identifier.
  ///
  /// An identifier is known from the catalog, or from one place that can only mean a product;
  /// its other literals are found by their text.
  static func all(in project: Project) -> [ProductIDUse] {
    var known = project.catalog.products
    for unit in project.appUnits where !unit.isManifest {
      for literal in unit.literals {
        guard let text = literal.representedLiteralValue, isPossible(text),
          literal.meansProduct(in: unit)
        else { continue }
        known.insert(text)
      }
    }
    return project.units.filter { !$0.isManifest }.flatMap { unit in
      unit.literals.compactMap { literal in
        guard let text = literal.representedLiteralValue, known.contains(text) else { return nil }
        return ProductIDUse(
          product: text,
          place: unit.place(literal),
          isInTests: unit.isTest,
          isHome: literal.isNamedOrListed
        )
      }
    }
  }

  /// The characters that App Store Connect allows, within its length.
  static func isPossible(_ text: String) -> Bool {
    !text.isEmpty && text.count <= lengthMax
      && text.unicodeScalars.allSatisfy { scalar in
        scalar.isASCII
          && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
            || ["-", ".", "_"].contains(scalar))
      }
  }

  /// The longest identifier of a product, in characters.
  static let lengthMax = 100
}

extension StringLiteralExprSyntax {
  private static let labels: Set = [
    "productIds", "productIDs", "productIdentifiers", "productId", "productID",
    "productIdentifier", "productIdentifers",
  ]
  private static let members: Set = ["productID", "productId", "productIdentifier"]
  private static let declared: Set = ["product", "products"]

  /// Whether only a product can be meant at this place.
  func meansProduct(in unit: SourceUnit) -> Bool {
    guard unit.importsStoreKit || unit.importsFacade || isDeclaredAsProduct else { return false }
    if isDeclaredAsProduct { return true }
    for around in ancestors {
      if let call = around.as(FunctionCallExprSyntax.self) { return isProduct(of: call, in: unit) }
      if let operation = around.as(InfixOperatorExprSyntax.self) {
        let sides = [operation.leftOperand, operation.rightOperand]
        return sides.contains { $0.lastName.map(Self.members.contains) ?? false }
      }
      if let choice = around.as(SwitchCaseSyntax.self) {
        return choice.label.position <= position && endPosition <= choice.label.endPosition
          && choice.ancestor(SwitchExprSyntax.self)?.subject.lastName.map(Self.members.contains)
            == true
      }
      if around.is(CodeBlockItemSyntax.self) || around.is(MemberBlockItemSyntax.self) {
        return false
      }
    }
    return false
  }

  private func isProduct(of call: FunctionCallExprSyntax, in unit: SourceUnit) -> Bool {
    let label = call.arguments.first { isInside($0) }?.label?.text
    if let label, Self.labels.contains(label) { return true }
    switch call.name {
    case "products": return label == "for" && call.baseText.hasSuffix("Product")
    case "latest", "currentEntitlement", "currentEntitlements":
      return label == "for" && call.base?.isTransactionType == true
    case "loadProducts": return label == "ids"
    case "buy": return unit.importsFacade && label == nil
    case "ProductView", "StoreView": return label == "id" || label == "ids"
    default: return false
    }
  }

  /// `static let monthlyProductID = "…"`, an array `productIDs`, a case of `enum ProductID:
  /// String`.
  private var isDeclaredAsProduct: Bool {
    for around in ancestors {
      if let binding = around.as(PatternBindingSyntax.self) {
        let words = binding.pattern.text.camelWords
        if Set(words).isSuperset(of: ["product", "id"])
          || Set(words).isSuperset(of: ["product", "ids"])
          || Set(words).isSuperset(of: ["product", "identifier"])
          || Set(words).isSuperset(of: ["product", "identifiers"])
        {
          return true
        }
        return hasProductType && representedLiteralValue?.contains(".") == true
      }
      if around.is(EnumCaseElementSyntax.self) {
        return hasProductType && representedLiteralValue?.contains(".") == true
      }
      if around.is(FunctionCallExprSyntax.self) || around.is(CodeBlockItemSyntax.self) {
        return false
      }
    }
    return false
  }

  /// Whether the literal is an element of a list, or the value of a constant or an enum's case.
  fileprivate var isNamedOrListed: Bool {
    for around in ancestors {
      if around.is(ArrayElementSyntax.self) || around.is(EnumCaseElementSyntax.self) { return true }
      if let binding = around.as(PatternBindingSyntax.self) {
        return binding.initializer?.value.literalText != nil
      }
      if around.is(FunctionCallExprSyntax.self) || around.is(CodeBlockItemSyntax.self) {
        return false
      }
    }
    return false
  }

  private var hasProductType: Bool {
    let words = Set((enclosingTypeName ?? "").camelWords)
    return !words.isDisjoint(with: Self.declared)
  }
}
