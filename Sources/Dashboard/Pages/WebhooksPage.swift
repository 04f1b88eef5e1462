import Foundation
import HTTPValues
import IAPModel
import ServerStorage

/// The endpoints of the app's own backend.
enum WebhooksPage {
  @Sendable static func show(_ visit: Visit) async throws(DashboardError) -> Outcome {
    let answer = try await visit.ask(.get, ["v1", "webhooks"])
    let endpoints = (answer["webhooks"]?.arrayValue ?? []).compactMap(\.objectValue)
    return .page(
      Page(
        Section.webhooks.title,
        .webhooks,
        refreshSeconds: 10,
        [list(endpoints, visit)]
      )
    )
  }

  /// How an endpoint stands.
  static func badge(_ endpoint: JSONObject, _ visit: Visit) -> Markup {
    if endpoint["enabled"]?.boolValue != true {
      return .badge(.off, visit.say("switched off", zh: "已停用"))
    }
    if (endpoint["pausedUntil"]?.integerValue).map({ Date(milliseconds: $0) > visit.now }) == true {
      return .badge(.bad, visit.say("does not answer", zh: "无响应"))
    }
    if let oldest = endpoint["oldestDate"]?.integerValue,
      visit.now.timeIntervalSince(Date(milliseconds: oldest)) > 900
    {
      return .badge(.warn, visit.say("behind", zh: "延迟"))
    }
    return .badge(.good, visit.say("fine", zh: "正常"))
  }

  /// The address of an endpoint: its path may hold a secret, which who only looks need not know.
  static func address(_ endpoint: JSONObject, _ visit: Visit) -> String {
    let url = endpoint["url"]?.stringValue ?? ""
    guard !visit.mayAct, let mark = url.range(of: "://") else { return url }
    let host = url[mark.upperBound...].prefix { $0 != "/" && $0 != "?" }
    return url[..<mark.upperBound] + host + "/…"
  }

  private static func list(_ endpoints: [JSONObject], _ visit: Visit) -> Markup {
    let viewer = visit.viewer
    guard !endpoints.isEmpty else {
      return .div(
        "card",
        [
          .empty(
            viewer(Words("No endpoint yet", zh: "尚无端点")),
            viewer(
              Words(
                "POST /v1/webhooks with the secret key makes one; its secret is shown once there.",
                zh: "使用私密密钥调用 POST /v1/webhooks 创建；密钥仅在创建时显示一次。"
              )
            )
          )
        ]
      )
    }
    let table = DataTable(
      caption: viewer(Words("Where events are sent", zh: "事件发送地址")),
      columns: [
        .init(title: viewer(Words("Address", zh: "地址")), isName: true),
        .init(title: viewer(Words("State", zh: "状态"))),
        .init(title: viewer(Words("Waiting", zh: "待发送")), isNumber: true),
        .init(title: viewer(Words("Arrived", zh: "已送达")), isNumber: true),
        .init(title: viewer(Words("Given up", zh: "已放弃")), isNumber: true),
        .init(title: viewer(Words("Last success", zh: "最近成功"))),
      ],
      rows: endpoints.map { endpoint in
        func number(_ name: String) -> Markup {
          .text(viewer.number(endpoint[name]?.integerValue ?? 0))
        }
        return [
          .link(
            visit.link("/dashboard/webhook", [("id", endpoint["id"]?.stringValue ?? "")]),
            [.foreign(address(endpoint, visit))]
          ), badge(endpoint, visit), number("pending"), number("delivered"),
          number("deadLetters"),
          endpoint["lastSuccessDate"]?.integerValue
            .map { .time(Date(milliseconds: $0), viewer) } ?? visit.say("never", zh: "从未"),
        ]
      }
    )
    return .div("card", [table.markup])
  }
}

/// One endpoint: what arrived, what did not, and sending again.
enum WebhookPage {
  /// How many deliveries of a state are listed.
  static let rowsMax = 50

  private static let states: [(String, Words, Mark)] = [
    ("dead", Words("Given up", zh: "已放弃"), .bad),
    ("failing", Words("Tried again", zh: "重试中"), .warn),
    ("queued", Words("To be sent again", zh: "待重发"), .info),
    ("delivered", Words("Arrived", zh: "已送达"), .good),
  ]

  @Sendable static func show(_ visit: Visit) async throws(DashboardError) -> Outcome {
    guard let id = visit.query("id") else {
      throw DashboardError(.notFound, "no endpoint is named")
    }
    let endpoint = try await visit.ask(.get, ["v1", "webhooks", id])
    let wanted = visit.query("state")
    let state = states.first { $0.0 == wanted } ?? states[0]
    var query = [("state", state.0), ("limit", "\(rowsMax)")]
    if let after = visit.place("after") { query.append(("after", "\(after)")) }
    let answer = try await visit.ask(.get, ["v1", "webhooks", id, "deliveries"], query)
    let deliveries = (answer["deliveries"]?.arrayValue ?? []).compactMap(\.objectValue)
    return .page(
      Page(
        Words("Endpoint", zh: "端点"),
        .webhooks,
        refreshSeconds: 10,
        [
          about(endpoint, visit), replay(id, endpoint, visit),
          list(deliveries, id, state, answer["next"]?.integerValue, visit),
        ]
      )
    )
  }

  private static func about(_ endpoint: JSONObject, _ visit: Visit) -> Markup {
    let viewer = visit.viewer
    func number(_ name: String) -> Markup {
      .text(viewer.number(endpoint[name]?.integerValue ?? 0))
    }
    func date(_ name: String) -> Markup {
      endpoint[name]?.integerValue.map { .time(Date(milliseconds: $0), viewer) } ?? .nothing
    }
    let types = (endpoint["types"]?.arrayValue ?? []).compactMap(\.stringValue)
    return .card(
      viewer(Words("How it stands", zh: "状态")),
      id: "state",
      note: WebhooksPage.badge(endpoint, visit),
      [
        .facts([
          (viewer(Words("Address", zh: "地址")), .foreign(WebhooksPage.address(endpoint, visit))),
          (viewer(Words("Note", zh: "备注")), .foreign(endpoint["note"]?.stringValue ?? "")),
          (
            viewer(Words("Events", zh: "事件")),
            types.isEmpty
              ? visit.say("all", zh: "全部") : .code(types.joined(separator: ", "))
          ),
          (viewer(Words("Waiting", zh: "待发送")), number("pending")),
          (viewer(Words("Customers held back", zh: "暂缓的客户")), number("held")),
          (viewer(Words("Arrived", zh: "已送达")), number("delivered")),
          (viewer(Words("Given up", zh: "已放弃")), number("deadLetters")),
          (viewer(Words("Oldest that waits", zh: "最早待发送")), date("oldestDate")),
          (viewer(Words("Last success", zh: "最近成功")), date("lastSuccessDate")),
          (viewer(Words("Last failure", zh: "最近失败")), date("lastFailureDate")),
          (viewer(Words("Left alone until", zh: "暂停至")), date("pausedUntil")),
          (viewer(Words("Made", zh: "创建于")), date("createdDate")),
        ])
      ]
    )
  }

  private static func replay(_ id: String, _ endpoint: JSONObject, _ visit: Visit) -> Markup {
    guard visit.mayAct else { return .nothing }
    let viewer = visit.viewer
    let target = visit.link("/dashboard/webhook", [("id", id)])
    let dead = endpoint["deadLetters"]?.integerValue ?? 0
    func form(_ what: String, _ fields: [Markup], _ button: Words) -> Markup {
      .element(
        "form",
        [.set("method", "post"), .action(target), .class("row")],
        [.hidden("token", visit.formToken), .hidden("what", what)] + fields
          + [.button(viewer(button), "")]
      )
    }
    return .card(
      viewer(Words("Send again", zh: "重新发送")),
      id: "replay",
      [
        .p(
          [
            visit.say(
              "Receivers tell repeated events by their id. From an hour on, everything comes "
                + "again in its order.",
              zh: "接收方可凭事件编号识别重复。按小时重放会依原顺序重新发送全部事件。"
            )
          ],
          "muted"
        ),
        form(
          "hours",
          [
            hoursField(visit)
          ],
          Words("Send these again", zh: "重新发送")
        ),
        form(
          "event",
          [
            eventField(visit)
          ],
          Words("Send it again", zh: "重新发送此事件")
        ),
        dead == 0
          ? .nothing
          : form(
            "dead",
            [],
            Words("Send what was given up again", zh: "重新发送已放弃的事件")
          ),
      ]
    )
  }

  private static func hoursField(_ visit: Visit) -> Markup {
    .field(
      visit.viewer(Words("The last hours", zh: "最近小时数")),
      .element(
        "input",
        [
          .id("hours"), .set("name", "hours"), .set("type", "number"),
          .set("min", "1"), .set("max", "720"), .set("value", "24"), .on("required"),
        ]
      ),
      for: "hours"
    )
  }

  private static func eventField(_ visit: Visit) -> Markup {
    .field(
      visit.viewer(Words("One event", zh: "单个事件")),
      .element(
        "input",
        [
          .id("event"), .set("name", "event"), .set("placeholder", "evt_…"),
          .set("maxlength", "64"), .on("required"), .set("spellcheck", "false"),
        ]
      ),
      for: "event"
    )
  }

  @Sendable static func act(_ visit: Visit) async throws(DashboardError) -> Outcome {
    guard let id = visit.query("id") else {
      throw DashboardError(.notFound, "no endpoint is named")
    }
    let body: JSONObject
    switch visit.form["what"] {
    case "hours":
      guard let hours = visit.form["hours"].flatMap({ Int64($0) }), (1...720).contains(hours)
      else { throw DashboardError(.unusable, "the hours are none that can be used") }
      let since = visit.now.addingTimeInterval(-TimeInterval(hours) * 3600)
      body = ["since": .integer(since.milliseconds)]
    case "event":
      guard let event = visit.form["event"] else {
        throw DashboardError(.unusable, "no event is named")
      }
      body = ["event": .string(event.trimmingCharacters(in: .whitespaces))]
    case "dead": body = ["deadLetters": true]
    default: throw DashboardError(.unusable, "nothing that could be sent again is named")
    }
    _ = try await visit.ask(.post, ["v1", "webhooks", id, "replay"], body: body)
    return .redirect(visit.link("/dashboard/webhook", [("id", id), ("done", "queued")]))
  }

  private static func list(
    _ deliveries: [JSONObject],
    _ id: String,
    _ state: (String, Words, Mark),
    _ next: Int64?,
    _ visit: Visit
  ) -> Markup {
    let viewer = visit.viewer
    let filters = filters(id, state.0, visit)
    guard !deliveries.isEmpty else {
      return .card(
        viewer(Words("Events", zh: "事件")),
        id: "events",
        [
          filters,
          .empty(
            viewer(Words("None that stand so", zh: "没有此状态的事件")),
            viewer(
              Words(
                "Events that arrive are counted above; those with trouble are listed.",
                zh: "送达的事件在上方计数；有问题的事件会列出。"
              )
            )
          ),
        ]
      )
    }
    let table = DataTable(
      caption: viewer(
        Words("What became of events, with the last attempts", zh: "事件结果与最近的尝试")
      ),
      columns: [
        .init(title: viewer(Words("Event", zh: "事件")), isName: true),
        .init(title: viewer(Words("Type", zh: "类型"))),
        .init(title: viewer(Words("State", zh: "状态"))),
        .init(title: viewer(Words("Attempts", zh: "尝试")), isNumber: true),
        .init(title: viewer(Words("The last ones", zh: "最近的尝试"))),
      ],
      rows: deliveries.map { delivery in
        [
          .code(delivery["event"]?.stringValue ?? ""),
          .code(delivery["type"]?.stringValue ?? ""), .badge(state.2, visit.say(state.1)),
          .text(viewer.number(delivery["attemptCount"]?.integerValue ?? 0)),
          attempts(delivery, visit),
        ]
      }
    )
    let pager = pager(next, id, state.0, visit)
    return .card(
      viewer(Words("Events", zh: "事件")),
      id: "events",
      [filters, table.markup, pager]
    )
  }

  private static func filters(_ id: String, _ chosen: String, _ visit: Visit) -> Markup {
    Markup.element(
      "ul",
      [.class("filters"), .set("aria-label", visit.viewer(Words("State", zh: "状态")))],
      states.map { other in
        .element(
          "li",
          [],
          [
            .element(
              "a",
              [.href(visit.link("/dashboard/webhook", [("id", id), ("state", other.0)]))]
                + (other.0 == chosen ? [.set("aria-current", "true")] : []),
              [visit.say(other.1)]
            )
          ]
        )
      }
    )
  }

  private static func pager(
    _ next: Int64?,
    _ id: String,
    _ state: String,
    _ visit: Visit
  ) -> Markup {
    next.map {
      .older(
        visit.link(
          "/dashboard/webhook",
          [("id", id), ("state", state), ("after", "\($0)")]
        ),
        visit
      )
    } ?? .nothing
  }

  private static func attempts(_ delivery: JSONObject, _ visit: Visit) -> Markup {
    let attempts = (delivery["attempts"]?.arrayValue ?? []).compactMap(\.objectValue)
    return .many(
      attempts.suffix(5).reversed().map { attempt in
        let result =
          attempt["status"]?.integerValue.map { "HTTP \($0)" }
          ?? attempt["failure"]?.stringValue ?? "–"
        let date = attempt["date"]?.integerValue.map { Date(milliseconds: $0) }
        return .div(
          "small",
          [
            date.map { .time($0, visit.viewer, exactly: true) } ?? .nothing, " ",
            .foreign(result),
            .text(" · \(attempt["milliseconds"]?.integerValue ?? 0) ms"),
          ]
        )
      }
    )
  }
}
