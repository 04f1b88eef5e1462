import EntitlementServer
import Foundation
import HTTPValues
import IAPModel
import ServerStorage

/// What the App Store sent, with its attempts, beside what the ledger holds.
enum NotificationsPage {
  /// How many comparisons are looked through for gaps.
  static let runsMax = 10
  /// How many gaps are listed.
  static let gapsMax = 100

  private struct Gap: Sendable {
    let run: String
    let finding: JSONObject
  }

  @Sendable static func show(_ visit: Visit) async throws(DashboardError) -> Outcome {
    let scope = visit.scope
    let uuid = visit.query("uuid").map { NotificationUUID($0.trimmingCharacters(in: .whitespaces)) }
    let (stored, gaps) = try await visit.read { reader throws(StorageError) in
      var stored: StoredFact?
      if let uuid { stored = try reader.fact(.notification(uuid), in: scope) }
      var gaps: [Gap] = []
      for run in try reader.documents(
        .comparison,
        app: scope.app,
        shelf: nil,
        before: .max,
        limit: runsMax
      ) where run.body["environment"]?.stringValue == scope.environment.rawValue {
        let findings = (run.body["findings"]?.arrayValue ?? []).compactMap(\.objectValue)
        for finding in findings
        where finding["what"]?.stringValue == "notification" && gaps.count < gapsMax {
          gaps.append(Gap(run: run.key.name, finding: finding))
        }
      }
      return (stored, gaps)
    }
    var content = [search(uuid, stored, visit)]
    if visit.site.server.canAsk(about: scope.app) {
      content.append(try await sent(visit))
    } else {
      content.append(
        .p(
          [
            Mark.info.markup,
            visit.say(
              "Without an App Store key for the app nobody can be asked what was sent; what "
                + "arrived stands in the timeline of each purchase.",
              zh: "没有该 App 的 App Store 密钥，无法查询发送记录；已收到的通知见各购买的时间线。"
            ),
          ],
          "notice info"
        )
      )
    }
    content.append(list(gaps, visit))
    return .page(Page(Section.notifications.title, .notifications, content))
  }

  private static func search(
    _ uuid: NotificationUUID?,
    _ stored: StoredFact?,
    _ visit: Visit
  ) -> Markup {
    let viewer = visit.viewer
    let result = found(uuid, stored, visit)
    return .card(
      viewer(Words("Did it arrive?", zh: "是否收到？")),
      id: "arrived",
      [
        .element(
          "form",
          [
            .set("method", "get"), .action(MarkupTarget("/dashboard/notifications")),
            .class("row"), .set("role", "search"),
          ],
          [
            .hidden("app", visit.scope.app.rawValue),
            .hidden("environment", visit.scope.environment.rawValue),
            .div(
              "field grow",
              [
                .element(
                  "label",
                  [.set("for", "uuid")],
                  [visit.say("notificationUUID", zh: "notificationUUID")]
                ),
                .element(
                  "input",
                  [
                    .id("uuid"), .set("name", "uuid"), .set("value", uuid?.rawValue ?? ""),
                    .set("maxlength", "64"), .set("spellcheck", "false"),
                  ]
                ),
              ]
            ), .button(viewer(Words("Look", zh: "查询")), ""),
          ]
        ), result,
      ]
    )
  }

  private static func found(
    _ uuid: NotificationUUID?,
    _ stored: StoredFact?,
    _ visit: Visit
  ) -> Markup {
    let viewer = visit.viewer
    switch (uuid, stored) {
    case (nil, _): return .nothing
    case (_, nil):
      return .p(
        [
          Mark.warn.markup,
          visit.say(
            "The ledger does not hold this notification.",
            zh: "账本中没有此通知。"
          ),
        ],
        "notice warn"
      )
    case (_, let fact?):
      return .facts([
        (
          viewer(Words("State", zh: "状态")),
          .badge(.good, visit.say("recorded", zh: "已记录"))
        ),
        (viewer(Words("Arrived", zh: "到达时间")), .time(fact.receivedDate, viewer, exactly: true)),
        (
          viewer(Words("Signed", zh: "签名时间")),
          fact.signedDate.map { .time($0, viewer, exactly: true) } ?? .nothing
        ),
        (
          viewer(Words("Size", zh: "大小")),
          .text("\(viewer.number(Int64(fact.bytes.count))) B")
        ),
      ])
    }
  }

  // MARK: What was sent

  private static func sent(_ visit: Visit) async throws(DashboardError) -> Markup {
    let viewer = visit.viewer
    let title = viewer(
      Words("What the App Store sent in the last 30 days", zh: "App Store 近 30 天发送的通知")
    )
    let isFailing = visit.query("only") == "failures"
    guard visit.query("ask") != nil else { return invitation(title, visit) }
    let found: (sent: [SentNotificationView], hasMore: Bool)
    do throws(ServerError) {
      found = try await visit.site.server.sentNotifications(
        visit.scope,
        onlyFailures: isFailing
      )
    } catch {
      return .card(
        title,
        id: "sent",
        [
          .p(
            [
              Mark.warn.markup,
              visit.say("The App Store did not answer. Try again.", zh: "App Store 没有响应，请重试。"),
            ],
            "notice warn"
          )
        ]
      )
    }
    guard !found.sent.isEmpty else {
      return .card(
        title,
        id: "sent",
        [
          .empty(
            viewer(Words("Nothing was sent", zh: "没有发送记录")),
            viewer(
              isFailing
                ? Words("Everything arrived.", zh: "全部已送达。")
                : Words(
                  "Is the notification URL entered in App Store Connect?",
                  zh: "是否已在 App Store Connect 填写通知网址？"
                )
            )
          )
        ]
      )
    }
    return .card(title, id: "sent", [table(found.sent, visit)])
  }

  private static func invitation(_ title: String, _ visit: Visit) -> Markup {
    .card(
      title,
      id: "sent",
      [
        .p(
          [
            visit.say(
              "The App Store remembers each notification with its attempts. "
                + "Asking takes a moment.",
              zh: "App Store 保存每个通知及其发送尝试。查询需要片刻。"
            )
          ],
          "muted"
        ),
        .div(
          "row",
          [
            ask(nil, Words("Show the newest", zh: "显示最近发送"), visit),
            ask("failures", Words("Only what did not arrive", zh: "仅未送达"), visit),
          ]
        ),
      ]
    )
  }

  private static func ask(_ only: String?, _ words: Words, _ visit: Visit) -> Markup {
    .element(
      "a",
      [
        .href(
          visit.link(
            "/dashboard/notifications",
            [("ask", "1")] + (only.map { [("only", $0)] } ?? [])
          )
        )
      ],
      [visit.say(words)]
    )
  }

  private static func table(_ sent: [SentNotificationView], _ visit: Visit) -> Markup {
    let viewer = visit.viewer
    return DataTable(
      caption: viewer(Words("Sent, with every attempt", zh: "发送记录及每次尝试")),
      columns: [
        .init(title: viewer(Words("What", zh: "内容")), isName: true),
        .init(title: viewer(Words("Ledger", zh: "账本"))),
        .init(title: viewer(Words("Signed", zh: "签名时间"))),
        .init(title: viewer(Words("Purchase", zh: "购买"))),
        .init(title: viewer(Words("Attempts", zh: "尝试"))),
      ],
      rows: sent.map { row in
        [
          .many([
            row.type.map { visit.say($0.words) } ?? visit.say("not genuine", zh: "无法验证"),
            row.subtype.map {
              .span("muted small", [" ", visit.say($0.words)])
            } ?? .nothing,
          ]),
          row.isRecorded
            ? .badge(.good, visit.say("recorded", zh: "已记录"))
            : .badge(.bad, visit.say("gap", zh: "缺口")),
          row.signedDate.map { .time($0, viewer) } ?? "–",
          row.original.map {
            .link(
              visit.link("/dashboard/purchase", [("original", $0.rawValue)]),
              [.code($0.rawValue)]
            )
          } ?? "–",
          .many(
            row.attempts.map { attempt in
              .div(
                "small",
                [
                  .badge(attempt.isSuccess ? .good : .bad, .foreign(attempt.result)), " ",
                  .time(attempt.date, viewer),
                ]
              )
            }
          ),
        ]
      },
      canFilter: true,
      filterLabel: viewer(Words("Filter these rows", zh: "筛选本页"))
    ).markup
  }

  private static func list(_ gaps: [Gap], _ visit: Visit) -> Markup {
    let viewer = visit.viewer
    let title = viewer(Words("Gaps that comparisons found", zh: "对账发现的缺口"))
    guard !gaps.isEmpty else {
      return .card(
        title,
        id: "gaps",
        [
          .empty(
            viewer(Words("No gaps found", zh: "没有缺口")),
            viewer(
              Words(
                "The last comparisons found every notification in the ledger.",
                zh: "最近的对账中，所有通知均已入账。"
              )
            )
          )
        ]
      )
    }
    let table = DataTable(
      caption: viewer(
        Words("Filled in since, unless the run only listed them", zh: "除仅列出的批次外均已补齐")
      ),
      columns: [
        .init(title: viewer(Words("What", zh: "内容")), isName: true),
        .init(title: viewer(Words("Name", zh: "名称"))),
        .init(title: viewer(Words("Last attempt to send", zh: "最近发送结果"))),
        .init(title: viewer(Words("Found by", zh: "发现批次"))),
      ],
      rows: gaps.map { gap in
        [
          visit.say(
            NotificationType(rawValue: gap.finding["type"]?.stringValue ?? "").words
          ), .code(gap.finding["id"]?.stringValue ?? ""),
          .foreign(gap.finding["sent"]?.stringValue ?? viewer(Words("arrived", zh: "已送达"))),
          .link(
            visit.link("/dashboard/reconciliation", [("id", gap.run)]),
            [.code(gap.run)]
          ),
        ]
      }
    )
    return .card(title, id: "gaps", [table.markup])
  }
}
