import SwiftSyntax

/// Handing over what was asked for instead of what was bought.
enum GrantedByRequestedProduct: LintRule {
  static let info = RuleInfo(
    "granted-by-requested-product",
    .warning,
    .money,
    title: LintWords(
      "What was asked for is handed over, not what was bought",
      zh: "交付的是请求的商品，而不是实际购买的商品"
    ),
    why: LintWords(
      """
      'purchase()' may succeed with another transaction than the one asked for: a downgrade \
      returns the current plan and begins at the next renewal.
      """,
      zh: "“purchase()”成功时返回的交易未必是请求的商品：降级会返回当前方案，下次续订才生效。"
    ),
    fix: LintWords(
      "Hand over by the verified transaction's 'productID'.",
      zh: "按已验证交易的“productID”交付。"
    )
  )

  static func places(in project: Project) -> [Place] {
    project.newPurchases.flatMap { purchase -> [Place] in
      guard let product = purchase.node.base?.bare.as(DeclReferenceExprSyntax.self)?.baseName.text,
        let boundary = purchase.node.flowBoundary
      else { return [] }
      return boundary.all(SwitchCaseSyntax.self)
        .filter { $0.labelNames.contains("success") }
        .flatMap { branch in
          Effects.all(in: branch.statements).filter { isAbout(product, $0) }
        }
        .map { purchase.unit.place($0) }
    }
  }

  /// Whether an effect uses `product.id` or the product itself, and no transaction.
  private static func isAbout(_ product: String, _ effect: Syntax) -> Bool {
    guard !effect.names.contains(where: { $0 == "transaction" || $0 == "productID" }) else {
      return false
    }
    let values: [ExprSyntax]
    if let call = effect.as(FunctionCallExprSyntax.self) {
      values = call.arguments.map(\.expression)
    } else if let operation = effect.as(InfixOperatorExprSyntax.self) {
      values = [operation.rightOperand]
    } else {
      return false
    }
    return values.contains { value in
      let text = value.bare.text.filter { !$0.isWhitespace }
      return text == product || text == product + ".id"
    }
  }
}
