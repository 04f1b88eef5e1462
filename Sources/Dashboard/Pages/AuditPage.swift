import Foundation
import HTTPValues
import IAPModel
import ServerStorage

/// Who did what.
enum AuditPage {
  /// How many notes a page has.
  static let rowsMax = 50
  /// How many notes of other apps are passed over for one page.
  static let scannedMax = 2000

  @Sendable static func show(_ visit: Visit) async throws(DashboardError) -> Outcome {
    let before = visit.place("before") ?? .max
    let app = visit.scope.app
    let seesAll = visit.person.apps.isEmpty
    let (records, next) = try await visit.read { reader throws(StorageError) in
      var found: [AuditRecord] = []
      var place = before
      var scanned = 0
      while found.count < rowsMax, scanned < scannedMax {
        let page = try reader.audit(before: place, limit: 200)
        scanned += page.count
        guard let last = page.last else { return (found, nil as Int64?) }
        for record in page where found.count < rowsMax {
          place = record.sequence
          // What belongs to no app is for who sees every app.
          if record.app == app || record.app == nil && seesAll { found.append(record) }
        }
        if found.count < rowsMax { place = last.sequence }
      }
      return (found, place > 1 ? place : nil)
    }
    return .page(
      Page(Section.audit.title, .audit, refreshSeconds: 30, [list(records, next, visit)])
    )
  }

  private static func list(
    _ records: [AuditRecord],
    _ next: Int64?,
    _ visit: Visit
  ) -> Markup {
    let viewer = visit.viewer
    guard !records.isEmpty else {
      return .div(
        "card",
        [
          .empty(
            viewer(Words("Nothing was done yet", zh: "暂无记录")),
            viewer(
              Words(
                "Decisions, replays, keys and logins will stand here.",
                zh: "裁决、重放、密钥和登录等操作会显示在这里。"
              )
            )
          )
        ]
      )
    }
    let table = DataTable(
      caption: viewer(
        Words("What people and backends did, the newest first", zh: "人员与后端的操作，最新在前")
      ),
      columns: [
        .init(title: viewer(Words("When", zh: "时间"))),
        .init(title: viewer(Words("What", zh: "操作")), isName: true),
        .init(title: viewer(Words("Who", zh: "操作者"))),
        .init(title: viewer(Words("Circumstances", zh: "详情"))),
      ],
      rows: records.map { record in
        [
          .time(record.date, viewer, exactly: true), .code(record.action),
          .foreign(record.details["by"]?.stringValue ?? viewer(Words("server", zh: "服务器"))),
          details(record.details),
        ]
      },
      canFilter: true,
      filterLabel: viewer(Words("Filter these rows", zh: "筛选本页"))
    )
    return .div("card", [table.markup, pager(next, visit)])
  }

  static func pager(_ next: Int64?, _ visit: Visit) -> Markup {
    guard let next else { return .nothing }
    return .older(visit.link("/dashboard/audit", [("before", "\(next)")]), visit)
  }

  private static func details(_ object: JSONObject) -> Markup {
    .many(
      object.members.filter { $0.name != "by" }.map { member in
        .div(
          "small",
          [
            .span("muted", [.text(member.name), ": "]),
            .foreign(member.value.stringValue ?? member.value.serializedText),
          ]
        )
      }
    )
  }
}

extension Markup {
  /// The way to the next page of a list that begins with the newest.
  static func older(_ target: MarkupTarget, _ visit: Visit) -> Markup {
    .element(
      "nav",
      [
        .class("pager"),
        .set("aria-label", visit.viewer(Words("Pages of the list", zh: "分页"))),
      ],
      [
        .element(
          "a",
          [.href(target), .set("rel", "next")],
          [visit.say("Further entries →", zh: "更多 →")]
        )
      ]
    )
  }
}
