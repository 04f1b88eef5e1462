import Foundation
import HTTPValues

/// How something stands, as a shape and a colour: the shape alone is enough.
enum Mark: String, Hashable, Sendable {
  case good, warn, bad, info, off

  private var shape: Markup {
    switch self {
    case .good: .element("circle", [.set("cx", "6"), .set("cy", "6"), .set("r", "5")])
    case .warn: .element("path", [.set("d", "M6 .8 11.6 11H.4z")])
    case .bad: .element("path", [.set("d", "M1 1h10v10H1z")])
    case .info: .element("path", [.set("d", "M6 .4 11.6 6 6 11.6.4 6z")])
    case .off:
      .element(
        "circle",
        [.class("ring"), .set("cx", "6"), .set("cy", "6"), .set("r", "4.2")]
      )
    }
  }

  var markup: Markup {
    .element(
      "svg",
      [
        .class("mark \(rawValue)"), .set("viewBox", "0 0 12 12"), .set("aria-hidden", "true"),
        .set("focusable", "false"),
      ],
      [shape]
    )
  }
}

extension Markup {
  static func p(_ content: [Markup], _ style: String? = nil) -> Markup {
    .element("p", style.map { [.class($0)] } ?? [], content)
  }

  static func div(_ style: String, _ content: [Markup]) -> Markup {
    .element("div", [.class(style)], content)
  }

  static func span(_ style: String, _ content: [Markup]) -> Markup {
    .element("span", [.class(style)], content)
  }

  static func code(_ text: String) -> Markup { .element("code", [], [.foreign(text)]) }

  static func link(_ target: MarkupTarget, _ content: [Markup]) -> Markup {
    .element("a", [.href(target)], content)
  }

  static func hidden(_ name: String, _ value: String) -> Markup {
    .element(
      "input",
      [.set("type", "hidden"), .set("name", name), .set("value", value)]
    )
  }

  static func button(_ text: String, _ style: String) -> Markup {
    .element("button", [.set("type", "submit"), .class(style)], [.text(text)])
  }

  static func field(_ label: String, _ input: Markup, for name: String) -> Markup {
    .div("field", [.element("label", [.set("for", name)], [.text(label)]), input])
  }

  /// A word with a shape.
  static func badge(_ mark: Mark, _ content: Markup) -> Markup {
    .span("badge \(mark.rawValue)", [mark.markup, content])
  }

  /// An instant, exact for machines.
  static func time(_ date: Date, _ viewer: Viewer, exactly: Bool = false) -> Markup {
    .element(
      "time",
      [.set("datetime", machine(date))],
      [.text(exactly ? viewer.exactly(date) : viewer.instant(date))]
    )
  }

  static func machine(_ date: Date) -> String {
    date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: false))
  }

  /// A part of a page with a heading of its own.
  static func card(
    _ title: String,
    id: String,
    note: Markup = .nothing,
    _ content: [Markup]
  ) -> Markup {
    .element(
      "section",
      [.class("card"), .set("aria-labelledby", id)],
      [
        .div("card-head", [.element("h2", [.id(id)], [.text(title)]), note])
      ] + content
    )
  }

  /// Names and values.
  static func facts(_ rows: [(String, Markup)]) -> Markup {
    .element(
      "dl",
      [.class("facts")],
      rows.filter { !$0.1.isNothing }.map { name, value in
        .element(
          "div",
          [],
          [.element("dt", [], [.text(name)]), .element("dd", [], [value])]
        )
      }
    )
  }

  /// What stands in place of a list that has nothing.
  static func empty(_ title: String, _ text: String) -> Markup {
    .div("empty", [.p([.text(title)], "empty-title"), .p([.text(text)], "muted")])
  }
}

/// A table that becomes cards where there is no room for it.
struct DataTable {
  struct Column {
    let title: String
    var isNumber = false
    /// Whether the cell names its row.
    var isName = false
  }

  let caption: String
  let columns: [Column]
  let rows: [[Markup]]
  var canFilter = false
  var filterLabel = ""

  var markup: Markup {
    let head = columns.map { column in
      Markup.element(
        "th",
        [
          .set("scope", "col"), .set("role", "columnheader"),
          .class(column.isNumber ? "num" : ""),
        ],
        [.text(column.title)]
      )
    }
    let body = rows.map { row in
      Markup.element(
        "tr",
        [.set("role", "row")],
        zip(columns, row).map { column, cell in
          let style: [MarkupAttribute] = [
            .set("data-label", column.title), .class(column.isNumber ? "num" : ""),
          ]
          return column.isName
            ? .element("th", [.set("scope", "row"), .set("role", "rowheader")] + style, [cell])
            : .element("td", [.set("role", "cell")] + style, [cell])
        }
      )
    }
    let filter: [MarkupAttribute] =
      canFilter && rows.count > 5 ? [.set("data-filter", filterLabel)] : []
    return .element(
      "table",
      [.class("data"), .set("role", "table")] + filter,
      [
        .element("caption", [], [.text(caption)]),
        .element(
          "thead",
          [.set("role", "rowgroup")],
          [.element("tr", [.set("role", "row")], head)]
        ),
        .element("tbody", [.set("role", "rowgroup")], body),
      ]
    )
  }
}
