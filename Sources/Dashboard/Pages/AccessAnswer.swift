import EntitlementServer
import Foundation
import HTTPValues
import IAPEntitlements
import IAPModel
import ServerStorage

/// "Why does this customer have no access?", answered in words: a function of what the ledger
/// knows.
struct AccessAnswer {
  let visit: Visit
  let findings: CustomerFindings
  let catalog: EntitlementCatalog
  /// Open cases that name the customer or one of its transactions.
  let reviews: [ReviewRecord]

  private var viewer: Viewer { visit.viewer }

  private var report: AccessReport { findings.history.access(at: visit.now, catalog: catalog) }

  /// One reason: a sentence, and where to go on.
  private func item(_ content: [Markup]) -> Markup { .element("li", [], content) }

  var card: Markup {
    let report = report
    let (mark, head): (Mark, Words) =
      report.entitlements.isEmpty
      ? (.off, Words("No access at present", zh: "目前没有权益"))
      : (.good, Words("Has access", zh: "拥有权益"))
    var reasons: [Markup] = report.entitlements.map { held($0) }
    reasons += report.lapsed.map { lapsed($0) }
    reasons += obstacles(report)
    if reasons.isEmpty { reasons = [nothingKnown] }
    return .card(
      viewer(
        report.entitlements.isEmpty
          ? Words("Why is there no access?", zh: "为什么没有权益？")
          : Words("What may the customer use, and why?", zh: "客户可以使用什么，为什么？")
      ),
      id: "access",
      [
        .p([.badge(mark, visit.say(head))], "answer"),
        .element("ul", [.class("reasons")], reasons),
      ]
    )
  }

  private func held(_ entitlement: Entitlement) -> Markup {
    var content: [Markup] = [
      .element("strong", [], [.foreign(entitlement.id.rawValue)]), visit.say(": ", zh: "："),
      visit.say(entitlement.reason.heldWords),
    ]
    if let until = entitlement.until {
      content += [visit.say(", until ", zh: "，至 "), .time(until, viewer)]
    } else {
      content.append(visit.say(", without end", zh: "，长期有效"))
    }
    if entitlement.ownership == .familyShared {
      content.append(visit.say(", shared by the family", zh: "，家人共享"))
    }
    content += [" – ", purchase(entitlement.originalTransactionID, entitlement.productID)]
    return item(content)
  }

  private func lapsed(_ entitlement: LapsedEntitlement) -> Markup {
    var content: [Markup] = [
      .element("strong", [], [.foreign(entitlement.id.rawValue)]), visit.say(": ", zh: "："),
      visit.say(entitlement.reason.lapsedWords), visit.say(", since ", zh: "，自 "),
      .time(entitlement.since, viewer),
    ]
    let state = findings.history.subscriptions(at: visit.now)
      .first { $0.originalTransactionID == entitlement.originalTransactionID }
    if let state {
      content += [visit.say(" (", zh: "（"), visit.say(state.reason.words), visit.say(")", zh: "）")]
    }
    content += [" – ", purchase(entitlement.originalTransactionID, entitlement.productID)]
    return item(content)
  }

  private func purchase(_ original: OriginalTransactionID, _ product: ProductID) -> Markup {
    .link(
      visit.link("/dashboard/purchase", [("original", original.rawValue)]),
      [.foreign(product.rawValue)]
    )
  }

  /// What may stand between a customer who paid and access.
  private func obstacles(_ report: AccessReport) -> [Markup] {
    var reasons: [Markup] = []
    for review in reviews where review.state == .open {
      reasons.append(
        item([
          .link(
            visit.link("/dashboard/review", [("id", review.id.rawValue)]),
            [visit.say("A case waits for a decision", zh: "有案例待裁决")]
          ), visit.say(": ", zh: "："), visit.say(review.kind.words), visit.say(".", zh: "。"),
        ])
      )
    }
    for order in findings.orders where order.transactions.isEmpty { reasons.append(unpaid(order)) }
    let known = findings.history.transactions
    if !known.isEmpty, known.allSatisfy({ $0.payload.type == .consumable }) {
      reasons.append(
        item([
          visit.say(
            "Everything that was bought is used up once (consumables), and that never opens "
              + "anything lasting. Look at the timeline for whether it was handed over.",
            zh: "所购均为消耗型商品，不会带来长期权益。是否已交付请看时间线。"
          )
        ])
      )
    }
    if let other = findings.otherEnvironments.first {
      reasons.append(
        item([
          visit.say("There are purchases in another environment (", zh: "在其他环境中有购买（"),
          .link(
            MarkupTarget(
              "/dashboard/customer",
              [
                ("app", visit.scope.app.rawValue), ("environment", other.rawValue),
                ("id", visit.query("id") ?? ""),
              ]
            ),
            [visit.say(other.words)]
          ),
          visit.say("); they open nothing here.", zh: "），在此处无效。"),
        ])
      )
    }
    return reasons
  }

  private func unpaid(_ order: CustomerFindings.Order) -> Markup {
    let isOld = visit.now.timeIntervalSince(order.record.createdDate) > 3600
    return item([
      visit.say("No payment is known for the order of ", zh: "该订单没有付款记录："),
      .link(
        visit.link("/dashboard/order", [("number", order.record.number.description)]),
        [.foreign(order.record.productID.rawValue)]
      ), visit.say(" made ", zh: "，下单时间 "), .time(order.record.createdDate, viewer),
      isOld
        ? visit.say(
          ": it was cancelled, waits for a parent or a bank, or its transaction never came. "
            + "Ask for the order number on the receipt and search for it.",
          zh: "：可能已取消、等待家长或银行确认，或交易未送达。请索取收据上的订单号并搜索。"
        ) : visit.say(": the payment may still be under way.", zh: "：付款可能仍在进行。"),
    ])
  }

  private var nothingKnown: Markup {
    item([
      visit.say(
        "The ledger knows no purchase of this name. The name may be another one, the purchase may "
          + "belong to another account of the app, or it never reached the server. Ask for the "
          + "order number on the App Store's receipt and search for it.",
        zh: "账本中没有此名称的购买：可能用了其他名称、归属其他账户，或从未到达服务器。"
          + "请索取 App Store 收据上的订单号并搜索。"
      )
    ])
  }
}
