import SwiftOperators
import SwiftParser
import SwiftSyntax

/// One parsed file.
struct SourceUnit: Sendable {
  let path: String
  let tree: SourceFileSyntax
  /// The modules that it imports.
  let imports: Set<String>
  /// What many rules ask for, looked up once: calls, literals and every name.
  let calls: [FunctionCallExprSyntax]
  let literals: [StringLiteralExprSyntax]
  let names: Set<String>
  /// The lines of the text, for excerpts.
  let lines: [Substring]
  /// Whether it belongs to the app's tests.
  let isTest: Bool
  /// Whether SwiftUI's environment gives it the action `purchase`.
  let hasPurchaseAction: Bool
  private let converter: SourceLocationConverter

  init(_ source: LintSource) {
    path = source.path
    let parsed = Parser.parse(source: source.text)
    let folded = OperatorTable.standardOperators.foldAll(parsed) { _ in }
    tree = folded.as(SourceFileSyntax.self) ?? parsed
    calls = tree.all(FunctionCallExprSyntax.self)
    literals = tree.all(StringLiteralExprSyntax.self)
    names = tree.names
    converter = SourceLocationConverter(fileName: source.path, tree: tree)
    lines = source.text.split(separator: "\n", omittingEmptySubsequences: false)
    imports = Set(
      tree.all(ImportDeclSyntax.self).compactMap { $0.path.first?.name.text }
    )
    hasPurchaseAction = tree.all(AttributeSyntax.self).contains { attribute in
      attribute.attributeName.text == "Environment" && attribute.names.contains("purchase")
    }
    let isTestCode = !imports.isDisjoint(with: Self.testModules)
    let folders = source.path.split(separator: "/").dropLast()
    isTest = isTestCode || folders.contains { $0 == "Tests" || $0.hasSuffix("Tests") }
  }

  private static let testModules: Set = ["XCTest", "Testing", "StoreKitTest"]

  /// The line and column of a node's first token.
  func place(_ node: some SyntaxProtocol, _ seen: LintWords? = nil) -> Place {
    let location = converter.location(for: node.positionAfterSkippingLeadingTrivia)
    // The parser counts bytes; people and SARIF count characters of Unicode.
    let line = lines.indices.contains(location.line - 1) ? lines[location.line - 1] : ""
    let before = String(decoding: line.utf8.prefix(location.column - 1), as: UTF8.self)
    let column = before.unicodeScalars.count + 1
    return Place(path: path, line: location.line, column: column, seen: seen)
  }

  func line(of node: some SyntaxProtocol) -> Int {
    converter.location(for: node.positionAfterSkippingLeadingTrivia).line
  }

  func excerpt(_ line: Int) -> String {
    guard lines.indices.contains(line - 1) else { return "" }
    return lines[line - 1].split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }
}
