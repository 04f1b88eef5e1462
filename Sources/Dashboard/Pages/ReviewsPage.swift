import Foundation
import HTTPValues
import IAPModel
import ServerStorage

/// The cases that wait for people.
enum ReviewsPage {
  /// How many cases a page has.
  static let rowsMax = 50

  @Sendable static func show(_ visit: Visit) async throws(DashboardError) -> Outcome {
    let state = visit.query("state").flatMap { ReviewRecord.State(rawValue: $0) } ?? .open
    let app = visit.scope.app
    let after = visit.place("after") ?? 0
    let (cases, next) = try await visit.read { reader throws(StorageError) in
      let documents = try reader.documents(
        .review,
        app: app,
        shelf: state.rawValue,
        after: after,
        limit: rowsMax
      )
      var cases: [ReviewRecord] = []
      for document in documents { cases.append(try ReviewRecord(document)) }
      return (cases, documents.count == rowsMax ? documents.last?.sequence : nil)
    }
    return .page(
      Page(
        Section.reviews.title,
        .reviews,
        refreshSeconds: 15,
        [filters(state, visit), list(cases, state, next, visit)]
      )
    )
  }

  private static func filters(_ state: ReviewRecord.State, _ visit: Visit) -> Markup {
    .element(
      "ul",
      [.class("filters"), .set("aria-label", visit.viewer(Words("State", zh: "状态")))],
      ReviewRecord.State.allCases.map { other in
        .element(
          "li",
          [],
          [
            .element(
              "a",
              [.href(visit.link("/dashboard/reviews", [("state", other.rawValue)]))]
                + (other == state ? [.set("aria-current", "true")] : []),
              [visit.say(other.words)]
            )
          ]
        )
      }
    )
  }

  private static func empty(_ state: ReviewRecord.State, _ visit: Visit) -> Markup {
    state == .open
      ? Markup.empty(
        visit.viewer(Words("Nothing waits for you", zh: "没有待裁决案例")),
        visit.viewer(
          Words(
            "Purchases that an app sets aside and contradictions will stand here.",
            zh: "被 App 隔离的购买与矛盾内容会显示在这里。"
          )
        )
      )
      : .empty(
        visit.viewer(Words("No such cases", zh: "没有此类案例")),
        visit.viewer(Words("Choose another state above.", zh: "请在上方选择其他状态。"))
      )
  }

  private static func list(
    _ cases: [ReviewRecord],
    _ state: ReviewRecord.State,
    _ next: Int64?,
    _ visit: Visit
  ) -> Markup {
    let viewer = visit.viewer
    guard !cases.isEmpty else {
      return .div("card", [empty(state, visit)])
    }
    let table = DataTable(
      caption: viewer(Words("Cases, the oldest first", zh: "案例，最早在前")),
      columns: [
        .init(title: viewer(Words("Case", zh: "案例")), isName: true),
        .init(title: viewer(Words("Why", zh: "原因"))),
        .init(title: viewer(Words("Product", zh: "商品"))),
        .init(title: viewer(Words("Customer", zh: "客户"))),
        .init(title: viewer(Words("Opened", zh: "建立时间"))),
        .init(title: viewer(Words("State", zh: "状态"))),
      ],
      rows: cases.map { record in
        [
          .link(
            visit.link("/dashboard/review", [("id", record.id.rawValue)]),
            [visit.say(record.kind.words)]
          ), .foreign(record.details["reason"]?.stringValue ?? "–"),
          .foreign(record.details["productId"]?.stringValue ?? "–"),
          ReviewPage.customer(record, visit), .time(record.openedDate, viewer),
          .badge(record.state.mark, visit.say(record.state.words)),
        ]
      },
      canFilter: true,
      filterLabel: viewer(Words("Filter these rows", zh: "筛选本页"))
    )
    let pager: Markup =
      next.map {
        .older(
          visit.link(
            "/dashboard/reviews",
            [("state", state.rawValue), ("after", "\($0)")]
          ),
          visit
        )
      } ?? .nothing
    return .div("card", [table.markup, pager])
  }
}

/// One case, and what can be done with it.
enum ReviewPage {
  /// What is shown as a fact of its own, or not at all: evidence is long and signed.
  private static let evidence: Set = ["signedTransaction", "receipt"]

  static func customer(_ record: ReviewRecord, _ visit: Visit) -> Markup {
    record.details["account"]?.stringValue.map {
      .link(visit.link("/dashboard/customer", [("id", $0)]), [.foreign($0)])
    } ?? visit.say("nobody", zh: "无")
  }

  @Sendable static func show(_ visit: Visit) async throws(DashboardError) -> Outcome {
    guard let id = visit.query("id").map({ ReviewID($0) }) else {
      throw DashboardError(.notFound, "no case is named")
    }
    let app = visit.scope.app
    let record = try await visit.read { reader throws(StorageError) in
      try reader.document(ReviewRecord.key(id, app: app)).map { document throws(StorageError) in
        try ReviewRecord(document)
      }
    }
    guard let record else { throw DashboardError(.notFound, "there is no such case") }
    let viewer = visit.viewer
    return .page(
      Page(
        record.kind.words,
        .reviews,
        [
          .card(
            viewer(Words("What was reported", zh: "报告内容")),
            id: "report",
            note: .badge(record.state.mark, visit.say(record.state.words)),
            [.p([explanation(record, visit)]), details(record, visit)]
          ), decision(record, visit),
        ]
      )
    )
  }

  private static func explanation(_ record: ReviewRecord, _ visit: Visit) -> Markup {
    switch record.kind {
    case .quarantine:
      visit.say(
        "An app could not get this purchase accepted, so it set it aside and told the customer. "
          + "Deliver: the app hands the goods over when it asks next. Refuse: it never does. "
          + "Close: nothing happens.",
        zh: "App 未能使此购买通过验证，已将其隔离并告知客户。放行：App 下次查询时交付商品；"
          + "拒绝：不再交付；关闭：不产生影响。"
      )
    case .ownership:
      visit.say(
        "An account presented a purchase that belongs to another one. Deliver: it goes to the "
          + "account that presented it. Refuse or close: it stays where it is.",
        zh: "某账户出示了属于其他账户的购买。放行：转给出示者；拒绝或关闭：归属不变。"
      )
    default:
      visit.say(
        "Two signed contents came under one name. Both are kept and the newer one counts; there "
          + "is nothing to deliver.",
        zh: "同一名称下出现两份签名内容。两者均保留，以较新者为准；无需交付。"
      )
    }
  }

  private static func details(_ record: ReviewRecord, _ visit: Visit) -> Markup {
    let viewer = visit.viewer
    var rows: [(String, Markup)] = [
      (viewer(Words("Case", zh: "案例")), .code(record.id.rawValue)),
      (viewer(Words("Opened", zh: "建立时间")), .time(record.openedDate, viewer)),
      (viewer(Words("Customer", zh: "客户")), customer(record, visit)),
    ]
    if let number = record.details["orderNumber"]?.stringValue {
      rows.append(
        (
          viewer(Words("Order", zh: "订单")),
          .link(visit.link("/dashboard/order", [("number", number)]), [.code(number)])
        )
      )
    }
    let told: Set = ["account", "orderNumber"]
    for member in record.details.members
    where !told.contains(member.name) && !evidence.contains(member.name) {
      let isDate = member.name.hasSuffix("Date")
      let value: Markup =
        isDate
        ? member.value.integerValue.map { .time(Date(milliseconds: $0), viewer) } ?? .nothing
        : .foreign(member.value.stringValue ?? member.value.serializedText)
      rows.append((viewer(name(member.name)), value))
    }
    for name in evidence.sorted() where record.details[name] != nil {
      rows.append((viewer(self.name(name)), visit.say("at hand", zh: "已提供")))
    }
    return .facts(rows)
  }

  private static func name(_ member: String) -> Words {
    switch member {
    case "transactionId": Words("Transaction", zh: "交易")
    case "originalTransactionId": Words("Purchase", zh: "购买")
    case "productId": Words("Product", zh: "商品")
    case "reason": Words("Reason", zh: "原因")
    case "attempts": Words("Attempts", zh: "尝试次数")
    case "lastError": Words("Last error", zh: "最近错误")
    case "installation": Words("Installation", zh: "安装实例")
    case "quantity": Words("Quantity", zh: "数量")
    case "purchaseDate": Words("Bought", zh: "购买时间")
    case "contactReference": Words("Reference code", zh: "参考编号")
    case "context": Words("From the app", zh: "App 附加信息")
    case "environment": Words("Environment", zh: "环境")
    case "owner": Words("Owner", zh: "所有者")
    case "note": Words("Note", zh: "备注")
    case "decidedBy": Words("Decided by", zh: "裁决人")
    case "decidedDate": Words("Decided", zh: "裁决时间")
    case "signedTransaction": Words("Signed transaction", zh: "签名交易")
    case "receipt": Words("Receipt", zh: "收据")
    default: Words(verbatim: member)
    }
  }

  private static func decision(_ record: ReviewRecord, _ visit: Visit) -> Markup {
    let viewer = visit.viewer
    guard record.state != .delivered else { return .nothing }
    guard visit.mayAct else {
      return .p(
        [
          Mark.info.markup,
          visit.say(
            "Your account may look at cases and not decide them.",
            zh: "您的账户只能查看案例，不能裁决。"
          ),
        ],
        "notice info"
      )
    }
    func button(_ action: String, _ words: Words, _ style: String) -> Markup {
      .element(
        "button",
        [
          .set("type", "submit"), .set("name", "action"), .set("value", action),
          .class(style),
        ],
        [visit.say(words)]
      )
    }
    return .card(
      viewer(Words("Decide", zh: "裁决")),
      id: "decide",
      [
        .element(
          "form",
          [
            .set("method", "post"),
            .action(visit.link("/dashboard/review", [("id", record.id.rawValue)])),
          ],
          [
            .hidden("token", visit.formToken),
            .div(
              "stack",
              [
                noteField(visit)
              ]
            ),
            .div(
              "row",
              [
                button("deliver", Words("Deliver the goods", zh: "放行并交付"), "primary"),
                button("refuse", Words("Refuse", zh: "拒绝"), "danger"),
                button("resolve", Words("Close without effect", zh: "关闭"), ""),
              ]
            ),
          ]
        )
      ]
    )
  }

  private static func noteField(_ visit: Visit) -> Markup {
    .field(
      visit.viewer(Words("Note for the audit log", zh: "备注（写入案例）")),
      .element(
        "textarea",
        [
          .id("note"), .set("name", "note"), .set("rows", "2"),
          .set("maxlength", "500"),
        ]
      ),
      for: "note"
    )
  }

  @Sendable static func decide(_ visit: Visit) async throws(DashboardError) -> Outcome {
    guard let id = visit.query("id"), let action = visit.form["action"],
      ["deliver", "refuse", "resolve"].contains(action)
    else { throw DashboardError(.unusable, "the decision is none of those that there are") }
    var body: JSONObject = ["action": .string(action)]
    body["note"] = visit.form["note"].map { .string($0) }
    _ = try await visit.ask(.post, ["v1", "reviews", id, "resolve"], body: body)
    return .redirect(visit.link("/dashboard/review", [("id", id), ("done", "decided")]))
  }
}
