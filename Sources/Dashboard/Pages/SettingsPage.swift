import Foundation
import HTTPValues
import IAPModel
import ServerStorage

/// What an app pays the App Store, how somebody wants to read, and who works here.
enum SettingsPage {
  /// The shares that the App Store takes, in percent.
  static let commissions: [Int64] = [30, 15]

  /// What an app pays, in percent; 30 until somebody says otherwise.
  static func commission(
    _ app: BundleID,
    _ reader: any LedgerReading
  ) throws(StorageError) -> Int64 {
    try reader.document(key(app))?.body["commission"]?.integerValue ?? commissions[0]
  }

  private static func key(_ app: BundleID) -> DocumentKey {
    DocumentKey(.dashboardApp, app: app, name: "settings")
  }

  @Sendable static func show(_ visit: Visit) async throws(DashboardError) -> Outcome {
    let app = visit.scope.app
    let commission = try await visit.read { reader throws(StorageError) in
      try self.commission(app, reader)
    }
    let people = visit.person.apps.isEmpty ? try await visit.site.accounts.list() : []
    return .page(
      Page(
        Words("Settings", zh: "设置"),
        nil,
        [
          commissionCard(commission, visit), zoneCard(visit),
          people.isEmpty ? .nothing : peopleCard(people, visit),
        ]
      )
    )
  }

  @Sendable static func save(_ visit: Visit) async throws(DashboardError) -> Outcome {
    guard let wanted = visit.form["commission"].flatMap({ Int64($0) }),
      commissions.contains(wanted)
    else { throw DashboardError(.unusable, "the commission is none of those that there are") }
    let app = visit.scope.app
    var write = LedgerWrite(date: visit.now)
    write.documents = [
      DocumentWrite(key(app), body: ["commission": .integer(wanted)], condition: .always)
    ]
    write.audit = [
      AuditRecord(
        app: app,
        action: "dashboard.commission",
        details: [
          "percent": .integer(wanted), "by": .string("operator:\(visit.auditName)"),
        ],
        date: visit.now
      )
    ]
    _ = try await visit.site.accounts.commit(write)
    return .redirect(visit.link("/dashboard/settings", [("done", "saved")]))
  }

  private static func commissionCard(_ commission: Int64, _ visit: Visit) -> Markup {
    let viewer = visit.viewer
    let choices = commissions.map { percent in
      Markup.element(
        "label",
        [.class("check")],
        [
          .element(
            "input",
            [
              .set("type", "radio"), .set("name", "commission"), .set("value", "\(percent)"),
            ] + (percent == commission ? [.on("checked")] : [])
              + (visit.mayAct ? [] : [.on("disabled")])
          ),
          .text("\(percent) %"),
        ]
      )
    }
    return .card(
      viewer(Words("Commission of the App Store", zh: "App Store 佣金")),
      id: "commission",
      [
        .p(
          [
            visit.say(
              "Estimated proceeds are what customers paid less this share. Taxes and exchange "
                + "rates are not known here; Apple's financial reports have the last word.",
              zh: "预计收益为客户支付金额减去此比例；此处不计税费与汇率，以 Apple 财务报告为准。"
            )
          ],
          "muted"
        ),
        .element(
          "form",
          [.set("method", "post"), .action(visit.link("/dashboard/settings"))],
          [
            .hidden("token", visit.formToken),
            .element(
              "fieldset",
              [],
              [.element("legend", [], [.foreign(visit.scope.app.rawValue)])] + choices
            ),
            visit.mayAct ? .button(viewer(Words("Save", zh: "保存")), "primary") : .nothing,
          ]
        ),
      ]
    )
  }

  private static func zoneCard(_ visit: Visit) -> Markup {
    let viewer = visit.viewer
    return .card(
      viewer(Words("Time zone", zh: "时区")),
      id: "time-zone",
      [
        .element(
          "form",
          [
            .set("method", "get"), .action(MarkupTarget("/dashboard/settings")),
            .class("row"),
          ],
          [
            .hidden("app", visit.scope.app.rawValue),
            .hidden("environment", visit.scope.environment.rawValue),
            .field(
              viewer(Words("Name, such as Asia/Shanghai", zh: "名称，如 Asia/Shanghai")),
              .element(
                "input",
                [
                  .id("zone"), .set("name", "zone"), .set("value", viewer.timeZone.identifier),
                  .set("maxlength", "64"), .set("spellcheck", "false"),
                ]
              ),
              for: "zone"
            ),
            .button(viewer(Words("Use", zh: "使用")), ""),
          ]
        ),
        .p(
          [
            visit.say(
              "Times are shown in it; charts count days of UTC.",
              zh: "时间按此显示；图表按 UTC 日统计。"
            )
          ],
          "muted small"
        ),
      ]
    )
  }

  private static func peopleCard(_ people: [OperatorRecord], _ visit: Visit) -> Markup {
    let viewer = visit.viewer
    let table = DataTable(
      caption: viewer(
        Words(
          "Who may log in; changed with 'iap operators' on the server",
          zh: "可登录的人员；在服务器上用“iap operators”更改"
        )
      ),
      columns: [
        .init(title: viewer(Words("Name", zh: "用户名")), isName: true),
        .init(title: viewer(Words("May", zh: "权限"))),
        .init(title: viewer(Words("Sees", zh: "可见 App"))),
        .init(title: viewer(Words("Added", zh: "创建于"))),
      ],
      rows: people.map { person in
        [
          .foreign(person.name.rawValue),
          person.role == .act
            ? visit.say("look and act", zh: "查看与操作") : visit.say("look", zh: "查看"),
          person.apps.isEmpty
            ? visit.say("every app", zh: "全部 App")
            : .foreign(person.apps.map(\.rawValue).joined(separator: ", ")),
          .time(person.createdDate, viewer),
        ]
      }
    )
    return .card(viewer(Words("Operators", zh: "操作员")), id: "people", [table.markup])
  }
}
