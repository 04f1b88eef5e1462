import EntitlementServer
import Foundation
import HTTPValues
import IAPModel
import ServerStorage

/// Comparisons of the ledger with the App Store.
enum ReconciliationsPage {
  /// How many comparisons a page has.
  static let rowsMax = 30

  @Sendable static func show(_ visit: Visit) async throws(DashboardError) -> Outcome {
    let app = visit.scope.app
    let before = visit.place("before") ?? .max
    let documents = try await visit.read { reader throws(StorageError) in
      try reader.documents(.comparison, app: app, shelf: nil, before: before, limit: rowsMax)
    }
    return .page(
      Page(
        Section.reconciliations.title,
        .reconciliations,
        refreshSeconds: 5,
        [begin(visit), list(documents, visit)]
      )
    )
  }

  static func mark(_ state: String) -> (Mark, Words) {
    switch state {
    case "running": (.info, Words("Running", zh: "进行中"))
    case "done": (.good, Words("Done", zh: "完成"))
    case "failed": (.bad, Words("Failed", zh: "失败"))
    default: (.off, Words(verbatim: state))
    }
  }

  private static func begin(_ visit: Visit) -> Markup {
    let viewer = visit.viewer
    guard visit.site.server.canCompare(visit.scope.app) else {
      return .p(
        [
          Mark.info.markup,
          visit.say(
            "This server's configuration names no App Store key for the app, so there is nothing "
              + "to compare with: appStoreKey in the configuration, see 'iap serve --help'.",
            zh: "此服务器的配置没有该 App 的 App Store 密钥，无法对账："
              + "请在配置中设置 appStoreKey，见“iap serve --help”。"
          ),
        ],
        "notice info"
      )
    }
    guard visit.mayAct else { return .nothing }
    return .card(
      viewer(Words("Compare now", zh: "立即对账")),
      id: "begin",
      [
        .p(
          [
            visit.say(
              "What the App Store sent and what customers bought is compared with the ledger, and "
                + "gaps are filled. It goes on in the background.",
              zh: "将 App Store 发送的通知与客户购买记录同账本比对并补齐缺口，在后台进行。"
            )
          ],
          "muted"
        ),
        .element(
          "form",
          [
            .set("method", "post"), .action(visit.link("/dashboard/reconciliations")),
            .class("row"),
          ],
          [
            .hidden("token", visit.formToken),
            onlyField(visit), daysField(visit),
            .button(viewer(Words("Begin", zh: "开始")), "primary"),
          ]
        ),
      ]
    )
  }

  private static func onlyField(_ visit: Visit) -> Markup {
    .field(
      visit.viewer(Words("Only one purchase (may be empty)", zh: "仅某一购买（可留空）")),
      .element(
        "input",
        [
          .id("original"), .set("name", "original"), .set("maxlength", "64"),
          .set("inputmode", "numeric"),
        ]
      ),
      for: "original"
    )
  }

  private static func daysField(_ visit: Visit) -> Markup {
    .field(
      visit.viewer(Words("The last days", zh: "最近天数")),
      .element(
        "input",
        [
          .id("days"), .set("name", "days"), .set("type", "number"), .set("min", "1"),
          .set("max", "180"), .set("value", "30"), .on("required"),
        ]
      ),
      for: "days"
    )
  }

  @Sendable static func act(_ visit: Visit) async throws(DashboardError) -> Outcome {
    guard let days = visit.form["days"].flatMap({ Int64($0) }), (1...180).contains(days) else {
      throw DashboardError(.unusable, "the days are none that can be used")
    }
    let start = visit.now.addingTimeInterval(-TimeInterval(days) * 86_400)
    var body: JSONObject = ["start": .integer(start.milliseconds)]
    body["originalTransactionId"] = visit.form["original"].map {
      .string($0.trimmingCharacters(in: .whitespaces))
    }
    let answer = try await visit.ask(.post, ["v1", "reconciliations"], body: body)
    return .redirect(
      visit.link(
        "/dashboard/reconciliation",
        [("id", answer["id"]?.stringValue ?? ""), ("done", "begun")]
      )
    )
  }

  private static func list(_ documents: [LedgerDocument], _ visit: Visit) -> Markup {
    let viewer = visit.viewer
    guard !documents.isEmpty else {
      return .div(
        "card",
        [
          .empty(
            viewer(Words("Nothing was compared yet", zh: "尚未对账")),
            viewer(
              Words(
                "With an App Store key the server compares once a day by itself.",
                zh: "配置 App Store 密钥后，服务器每天自动对账一次。"
              )
            )
          )
        ]
      )
    }
    let table = DataTable(
      caption: viewer(Words("Comparisons, the newest first", zh: "对账，最新在前")),
      columns: [
        .init(title: viewer(Words("Run", zh: "批次")), isName: true),
        .init(title: viewer(Words("State", zh: "状态"))),
        .init(title: viewer(Words("Environment", zh: "环境"))),
        .init(title: viewer(Words("Missing", zh: "缺失")), isNumber: true),
        .init(title: viewer(Words("Changed", zh: "有变化")), isNumber: true),
        .init(title: viewer(Words("Begun", zh: "开始于"))),
      ],
      rows: documents.map { document in
        let (mark, words) = self.mark(document.body["state"]?.stringValue ?? "")
        let counts = document.body["counts"]?.objectValue ?? [:]
        let environment = StoreEnvironment(
          rawValue: document.body["environment"]?.stringValue ?? ""
        )
        return [
          .link(
            visit.link("/dashboard/reconciliation", [("id", document.key.name)]),
            [.code(document.key.name)]
          ), .badge(mark, visit.say(words)), visit.say(environment.words),
          .text(viewer.number(counts["missing"]?.integerValue ?? 0)),
          .text(viewer.number(counts["changed"]?.integerValue ?? 0)),
          .time(document.createdDate, viewer),
        ]
      }
    )
    let pager: Markup =
      documents.count == rowsMax
      ? .older(
        visit.link(
          "/dashboard/reconciliations",
          [("before", "\(documents[rowsMax - 1].sequence)")]
        ),
        visit
      ) : .nothing
    return .div("card", [table.markup, pager])
  }
}

/// One comparison: how far it is, and what was missing.
enum ReconciliationPage {
  private static let stages: [(String, Words)] = [
    ("notifications", Words("Notifications", zh: "通知")),
    ("receipts", Words("Receipts", zh: "收据")),
    ("history", Words("Purchases of each customer", zh: "各客户的购买")),
    ("statuses", Words("States of subscriptions", zh: "订阅状态")),
    ("refunds", Words("Refunds", zh: "退款")),
  ]

  private static let counts: [(String, Words)] = [
    ("pages", Words("Pages read", zh: "已读页数")),
    ("customers", Words("Customers", zh: "客户")),
    ("notifications", Words("Notifications", zh: "通知")),
    ("known", Words("Known before", zh: "已知")),
    ("undelivered", Words("Had not arrived", zh: "未送达")),
    ("transactions", Words("Transactions", zh: "交易")),
    ("receipts", Words("Receipts", zh: "收据")),
    ("missing", Words("Missing", zh: "缺失")),
    ("changed", Words("Changed", zh: "有变化")),
    ("refused", Words("Refused", zh: "被拒绝")),
    ("unknownToStore", Words("Unknown to the App Store", zh: "App Store 未知")),
  ]

  @Sendable static func show(_ visit: Visit) async throws(DashboardError) -> Outcome {
    guard let id = visit.query("id") else {
      throw DashboardError(.notFound, "no comparison is named")
    }
    let app = visit.scope.app
    let document = try await visit.read { reader throws(StorageError) in
      try reader.document(DocumentKey(.comparison, app: app, name: id))
    }
    guard let document else { throw DashboardError(.notFound, "there is no such comparison") }
    let body = document.body
    let isRunning = body["state"]?.stringValue == "running"
    return .page(
      Page(
        Words("Comparison", zh: "对账"),
        .reconciliations,
        refreshSeconds: isRunning ? 3 : nil,
        [progress(document, visit), findings(body, visit)]
      )
    )
  }

  private static func progress(_ document: LedgerDocument, _ visit: Visit) -> Markup {
    let viewer = visit.viewer
    let body = document.body
    let (mark, words) = ReconciliationsPage.mark(body["state"]?.stringValue ?? "")
    let stage = stages.firstIndex { $0.0 == body["stage"]?.stringValue } ?? 0
    let isRunning = body["state"]?.stringValue == "running"
    let counted = body["counts"]?.objectValue ?? [:]
    func date(_ name: String) -> Markup {
      body[name]?.integerValue.map { .time(Date(milliseconds: $0), viewer) } ?? .nothing
    }
    let label = viewer(
      Words(
        "Step \(stage + 1) of \(stages.count): \(stages[stage].1(.english))",
        zh: "第 \(stage + 1) 步，共 \(stages.count) 步：\(stages[stage].1(.simplifiedChinese))"
      )
    )
    let bar: Markup =
      isRunning
      ? .many([
        .element(
          "progress",
          [
            .set("max", "\(stages.count)"), .set("value", "\(stage)"),
            .set("aria-label", label),
          ]
        ), .p([.text(label)], "muted small"),
      ]) : .nothing
    let problem: Markup =
      (body["problem"]?.stringValue).map {
        .p([Mark.warn.markup, .foreign($0)], "notice warn")
      } ?? .nothing
    return .card(
      viewer(Words("How far it is", zh: "进度")),
      id: "progress",
      note: .badge(mark, visit.say(words)),
      [
        bar, problem,
        .facts(
          [
            (viewer(Words("Run", zh: "批次")), .code(document.key.name)),
            (viewer(Words("From", zh: "起")), date("start")),
            (viewer(Words("To", zh: "止")), date("end")),
            (viewer(Words("Asks again", zh: "再次查询")), date("retryAt")),
          ]
            + counts.map { name, words in
              (viewer(words), .text(viewer.number(counted[name]?.integerValue ?? 0)))
            }
        ),
      ]
    )
  }

  private static func findings(_ body: JSONObject, _ visit: Visit) -> Markup {
    let viewer = visit.viewer
    let found = (body["findings"]?.arrayValue ?? []).compactMap(\.objectValue)
    let title = viewer(Words("What was missing or different", zh: "缺失或不一致"))
    guard !found.isEmpty else {
      return .card(
        title,
        id: "findings",
        [
          .empty(
            viewer(Words("No gaps found", zh: "没有缺口")),
            viewer(
              Words(
                "The ledger holds everything that was compared so far.",
                zh: "目前比对的内容账本均已记录。"
              )
            )
          )
        ]
      )
    }
    let table = DataTable(
      caption: title,
      columns: [
        .init(title: viewer(Words("What", zh: "内容")), isName: true),
        .init(title: viewer(Words("Kind", zh: "类型"))),
        .init(title: viewer(Words("Name", zh: "名称"))),
        .init(title: viewer(Words("Last attempt to send", zh: "最近发送结果"))),
      ],
      rows: found.map { finding in
        let type = finding["type"]?.stringValue.map { NotificationType(rawValue: $0).words }
        return [
          type.map { visit.say($0) }
            ?? .foreign(
              finding["product"]?.stringValue ?? finding["what"]?.stringValue ?? "–"
            ),
          finding["kind"]?.stringValue == "missing"
            ? .badge(.warn, visit.say("missing", zh: "缺失"))
            : .badge(.info, .foreign(finding["kind"]?.stringValue ?? "")),
          .code(finding["id"]?.stringValue ?? ""),
          .foreign(finding["sent"]?.stringValue ?? "–"),
        ]
      },
      canFilter: true,
      filterLabel: viewer(Words("Filter these rows", zh: "筛选本页"))
    )
    return .card(title, id: "findings", [table.markup])
  }
}
