import EntitlementServer
import Foundation
import HTTPValues
import IAPModel
import ServerStorage

/// Whether the server can do its work.
enum HealthPage {
  @Sendable static func show(_ visit: Visit) async throws(DashboardError) -> Outcome {
    let ready: JSONObject?
    do throws(DashboardError) {
      ready = try await visit.ask(.get, ["readyz"])
    } catch {
      ready = nil
    }
    let app = visit.scope.app
    let found = try await visit.read { reader throws(StorageError) in
      let open = try reader.documents(.review, app: app, shelf: "open", after: 0, limit: 101)
      return (try reader.counts(), open.count)
    }
    let (counts, open) = found
    return .page(
      Page(
        Section.health.title,
        .health,
        refreshSeconds: 15,
        [
          .card(
            visit.viewer(Words("Signs of life", zh: "状态")),
            id: "signs",
            [.element("ul", [.class("reasons plain")], signs(ready, open, visit))]
          ),
          size(counts, visit),
        ]
      )
    )
  }

  private static func signs(_ ready: JSONObject?, _ open: Int, _ visit: Visit) -> [Markup] {
    [
      sign(
        ready != nil,
        Words("The ledger can be read and written", zh: "账本可读写"),
        Words("The ledger cannot be written", zh: "账本无法写入"),
        visit
      ),
      sign(
        ready?["webhooks"]?.stringValue != "behind",
        Words("Webhooks arrive", zh: "Webhook 送达正常"),
        Words("An endpoint is behind by more than 15 minutes", zh: "有端点延迟超过 15 分钟"),
        visit
      ),
      sign(
        visit.site.server.canAsk(about: visit.scope.app),
        Words("The App Store can be asked", zh: "可查询 App Store"),
        Words(
          "No App Store key: bare transaction ids, order numbers and gaps cannot be looked up",
          zh: "没有 App Store 密钥：无法按交易号或订单号查询，也无法补齐缺口"
        ),
        visit
      ),
      sign(
        open == 0,
        Words("No case waits for a decision", zh: "没有待裁决的案例"),
        Words(
          open > 100
            ? "More than 100 cases wait for a decision" : "\(open) cases wait for a decision",
          zh: open > 100 ? "超过 100 个案例待裁决" : "\(open) 个案例待裁决"
        ),
        visit
      ),
    ]
  }

  private static func sign(
    _ isGood: Bool,
    _ good: Words,
    _ bad: Words,
    _ visit: Visit
  ) -> Markup {
    .element(
      "li",
      [],
      [
        isGood
          ? .badge(.good, visit.say("fine", zh: "正常"))
          : .badge(.warn, visit.say("look", zh: "注意")),
        " ", visit.say(isGood ? good : bad),
      ]
    )
  }

  private static func size(_ counts: LedgerCounts, _ visit: Visit) -> Markup {
    let viewer = visit.viewer
    let rows: [(Words, Int)] = [
      (Words("Facts", zh: "事实"), counts.facts),
      (Words("Purchases and subscriptions", zh: "购买与订阅"), counts.subjects),
      (Words("Transactions", zh: "交易"), counts.transactions),
      (Words("Grants, clawbacks and regrants", zh: "发放、收回与重新发放"), counts.entries),
      (Words("Orders", zh: "订单"), counts.orders),
      (Words("Claimed units", zh: "已认领的单位"), counts.claims),
      (Words("Purchases presented by others", zh: "被他人出示的购买"), counts.conflicts),
    ]
    return .card(
      viewer(Words("The ledger, with all its apps", zh: "账本（全部 App）")),
      id: "ledger",
      [.facts(rows.map { (viewer($0.0), .text(viewer.number(Int64($0.1)))) })]
    )
  }
}
