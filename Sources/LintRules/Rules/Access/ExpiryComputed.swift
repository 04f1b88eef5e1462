import SwiftSyntax

/// The end of a subscription, computed instead of read.
enum ExpiryComputed: LintRule {
  static let info = RuleInfo(
    "expiry-computed",
    .warning,
    .money,
    title: LintWords(
      "The end of a subscription is computed from its purchase",
      zh: "用购买日期推算订阅到期时间"
    ),
    why: LintWords(
      """
      Trials, extensions, grace periods and offers make periods that no addition finds; in the \
      sandbox a month lasts minutes. Users lose days that they paid for, or keep access for nothing.
      """,
      zh: "试用、延期、宽限期和优惠的时长无法靠加法得出，沙盒中一个月只有几分钟；用户会损失已付费的天数，或白白继续使用。"
    ),
    fix: LintWords(
      "Read 'expirationDate' of the transaction, or ask for the subscription's status.",
      zh: "读取交易的“expirationDate”，或查询订阅状态。"
    )
  )

  private static let starts: Set = ["purchaseDate", "originalPurchaseDate", "transactionDate"]

  static func places(in project: Project) -> [Place] {
    guard project.sellsSubscriptions else { return [] }
    return project.calls { unit, call in
      guard unit.importsStoreKit || unit.importsFacade else { return false }
      if ["addingTimeInterval", "advanced"].contains(call.name) {
        return call.base?.lastName.map(starts.contains) ?? false
      }
      if call.name == "date", call.labels.contains("byAdding"), let start = call.argument("to") {
        return start.lastName.map(starts.contains) ?? false
      }
      return false
    }.map { $0.unit.place($0.node) }
  }
}
