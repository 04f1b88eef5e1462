import SwiftSyntax

/// A price in the currency of the phone's settings.
enum PriceInDeviceLocale: LintRule {
  static let info = RuleInfo(
    "price-in-device-locale",
    .error,
    .review,
    title: LintWords(
      "A price is formatted with the device's locale",
      zh: "用设备的区域设置格式化价格"
    ),
    why: LintWords(
      """
      The device's region and the storefront differ for every traveller and expatriate: the number \
      of one currency then stands beside the sign of another.
      """,
      zh: "设备地区与商店地区常常不同：这样会把一种货币的数字与另一种货币的符号放在一起。"
    ),
    fix: LintWords(
      """
      Show 'displayPrice'; for computed amounts use the product's 'priceFormatStyle', or set the \
      formatter's locale to 'priceLocale'.
      """,
      zh: "显示“displayPrice”；自行计算的金额使用商品的“priceFormatStyle”，或把格式化器的 locale 设为“priceLocale”。"
    )
  )

  private static let stores: Set = [
    "priceLocale", "priceFormatStyle", "currencyCode", "priceFormatter", "displayPrice",
  ]

  static func places(in project: Project) -> [Place] {
    guard !project.sales.isEmpty else { return [] }
    return project.appUnits.flatMap { unit in
      formatters(unit) + styles(unit)
    }
  }

  /// `numberStyle = .currency` without the product's locale.
  private static func formatters(_ unit: SourceUnit) -> [Place] {
    unit.tree.all(InfixOperatorExprSyntax.self).filter { operation in
      guard operation.operator.is(AssignmentExprSyntax.self),
        operation.leftOperand.lastName == "numberStyle",
        operation.rightOperand.lastName == "currency",
        let around = operation.flowBoundary
      else { return false }
      let names =
        around.kind == .accessorBlock || around.kind == .closureExpr
        ? (around.parent?.parent?.names ?? around.names) : around.names
      return isAboutPrices(operation, unit) && names.isDisjoint(with: stores)
    }.map { unit.place($0) }
  }

  /// `price.formatted(.currency(code: "USD"))`, or with the code of the current locale.
  private static func styles(_ unit: SourceUnit) -> [Place] {
    unit.calls.filter { call in
      guard call.name == "currency", let code = call.argument("code") else { return false }
      let isFixed = code.literalText != nil
      let isDevice = code.text.contains("Locale.current") || code.text.contains("locale.currency")
      guard isFixed || isDevice else { return false }
      let around = call.ancestors.first { $0.is(FunctionCallExprSyntax.self) }
      return around?.names.contains { $0.camelWords.contains("price") } ?? false
    }.map { unit.place($0) }
  }

  private static func isAboutPrices(_ node: some SyntaxProtocol, _ unit: SourceUnit) -> Bool {
    let around = node.flowBoundary?.parent?.names ?? []
    return unit.importsStoreKit || unit.importsFacade
      || around.contains { $0.camelWords.contains("price") }
  }
}
