import Foundation
import HTTPValues

/// A chart over days, drawn on the server: stacked bars, or a line.
///
/// The same numbers stand in a table below it.
struct DayChart {
  enum Shape {
    case bars, line
  }

  struct Series {
    let name: String
    /// One number a day.
    let values: [Int64]
  }

  let title: String
  /// The first day of each bar or point.
  let days: [CountingDay]
  /// How many days each stands for.
  let daysPerBar: Int
  let series: [Series]
  let shape: Shape
  let viewer: Viewer
  /// Writes a number for people.
  let write: (Int64) -> String
  /// Writes a number beside the axis.
  let writeShort: (Int64) -> String

  private static let width = 720.0
  private static let height = 232.0
  private static let left = 70.0
  private static let right = 12.0
  private static let top = 14.0
  private static let bottom = 36.0

  private var plotWidth: Double { Self.width - Self.left - Self.right }
  private var plotHeight: Double { Self.height - Self.top - Self.bottom }

  private var sums: [Int64] {
    days.indices.map { index in series.reduce(0) { $0 + max($1.values[index], 0) } }
  }

  /// The end of the axis: a round number that holds every sum.
  static func roundMax(_ largest: Int64) -> Int64 {
    guard largest > 4 else { return 4 }
    var power: Int64 = 1
    while power <= largest / 10 { power *= 10 }
    for step in [10, 20, 40, 50, 80, 100] as [Int64] {
      let candidate = power * step / 10
      if candidate >= largest { return candidate }
    }
    return power * 10
  }

  func markup(id: String) -> Markup {
    let most = Self.roundMax(sums.max() ?? 0)
    return .element(
      "figure",
      [],
      [
        .element(
          "svg",
          [
            .class("chart"), .set("viewBox", "0 0 \(Int(Self.width)) \(Int(Self.height))"),
            .set("role", "img"), .set("aria-label", summary),
          ],
          [grid(most), shape == .bars ? bars(most) : line(most), dayLabels]
        ),
        series.count > 1 ? keys : .nothing, table,
      ]
    )
  }

  /// What the picture says, for who does not see it.
  private var summary: String {
    let total = sums.reduce(0, +)
    let last = sums.last ?? 0
    return shape == .bars
      ? viewer(
        Words(
          "\(title): \(write(total)) in all",
          zh: "\(title)：共 \(write(total))"
        )
      )
      : viewer(Words("\(title): \(write(last)) at the end", zh: "\(title)：期末 \(write(last))"))
  }

  private func x(_ index: Int) -> Double {
    Self.left + plotWidth * Double(index) / Double(max(days.count, 1))
  }

  private func y(_ value: Int64, _ most: Int64) -> Double {
    Self.top + plotHeight * (1 - Double(value) / Double(max(most, 1)))
  }

  private static func text(_ value: Double) -> String {
    let tenths = Int((value * 10).rounded())
    return tenths.isMultiple(of: 10) ? "\(tenths / 10)" : "\(tenths / 10).\(abs(tenths % 10))"
  }

  private func grid(_ most: Int64) -> Markup {
    .many(
      (0...4).map { step in
        let value = most * Int64(step) / 4
        let height = Self.text(y(value, most))
        return .many([
          .element(
            "line",
            [
              .class(step == 0 ? "axis" : "grid-line"), .set("x1", Self.text(Self.left)),
              .set("x2", Self.text(Self.width - Self.right)), .set("y1", height),
              .set("y2", height),
            ]
          ),
          .element(
            "text",
            [
              .class(step.isMultiple(of: 2) ? "" : "spare"),
              .set("x", Self.text(Self.left - 8)), .set("y", Self.text(y(value, most) + 4)),
              .set("text-anchor", "end"),
            ],
            [.text(writeShort(value))]
          ),
        ])
      }
    )
  }

  private var dayLabels: Markup {
    let count = min(days.count, 6)
    guard count > 1 else { return .nothing }
    let step = Double(days.count - 1) / Double(count - 1)
    return .many(
      (0..<count).map { number in
        let index = Int((Double(number) * step).rounded())
        let isEdge = number == 0 ? "start" : number == count - 1 ? "end" : "middle"
        let isSpare = number != 0 && number != count - 1
        return .element(
          "text",
          [
            .class(isSpare ? "spare" : ""),
            .set(
              "x",
              Self.text(number == count - 1 ? Self.width - Self.right : x(index))
            ),
            .set("y", Self.text(Self.height - 10)), .set("text-anchor", isEdge),
          ],
          [.text(viewer.shortDay(days[index].start))]
        )
      }
    )
  }

  private func bars(_ most: Int64) -> Markup {
    let slot = plotWidth / Double(max(days.count, 1))
    let gap = slot > 6 ? slot * 0.22 : slot > 2.5 ? 0.8 : 0
    var pieces: [Markup] = []
    for index in days.indices where sums[index] > 0 {
      var height: Int64 = 0
      var parts: [Markup] = [
        .element(
          "title",
          [],
          [.text("\(viewer.day(days[index].start)): \(write(sums[index]))")]
        )
      ]
      for (number, row) in series.enumerated() where row.values[index] > 0 {
        let low = y(height, most)
        height += row.values[index]
        let high = y(height, most)
        parts.append(
          .element(
            "rect",
            [
              .class(series.count == 1 ? "plain" : "b\(min(number, 5) + 1)"),
              .set("x", Self.text(x(index) + gap / 2)), .set("y", Self.text(high)),
              .set("width", Self.text(max(slot - gap, 0.6))),
              .set("height", Self.text(max(low - high, 0.5))),
            ]
          )
        )
      }
      pieces.append(.element("g", [], parts))
    }
    return .many(pieces)
  }

  private func line(_ most: Int64) -> Markup {
    guard let row = series.first, !row.values.isEmpty else { return .nothing }
    let slot = plotWidth / Double(max(days.count, 1))
    let points = row.values.enumerated().map { index, value in
      "\(Self.text(x(index) + slot / 2)) \(Self.text(y(max(value, 0), most)))"
    }
    let path = "M" + points.joined(separator: "L")
    let base = Self.text(Self.height - Self.bottom)
    let first = Self.text(x(0) + slot / 2)
    let last = Self.text(x(row.values.count - 1) + slot / 2)
    return .many([
      .element("path", [.class("area"), .set("d", path + "L\(last) \(base)L\(first) \(base)Z")]),
      .element("path", [.class("line"), .set("d", path)]),
    ])
  }

  private var keys: Markup {
    .element(
      "ul",
      [.class("keys")],
      series.enumerated().map { number, row in
        .element(
          "li",
          [],
          [
            .element(
              "svg",
              [
                .class("key b\(min(number, 5) + 1)"), .set("viewBox", "0 0 12 12"),
                .set("aria-hidden", "true"),
              ],
              [
                .element(
                  "rect",
                  [.set("width", "12"), .set("height", "12"), .set("rx", "3")]
                )
              ]
            ), .foreign(row.name),
          ]
        )
      }
    )
  }

  private var unit: Words {
    daysPerBar == 1 ? Words("Day", zh: "日期") : Words("Week from", zh: "起始日（周）")
  }

  /// The same numbers, for who reads tables; days without anything are left out.
  private var table: Markup {
    let kept = days.indices.filter { index in
      shape == .line || series.contains { $0.values[index] != 0 }
    }
    let columns =
      [DataTable.Column(title: viewer(unit), isName: true)]
      + series.map { DataTable.Column(title: $0.name, isNumber: true) }
    let rows = kept.reversed().map { index in
      [Markup.text(viewer.day(days[index].start))]
        + series.map { .text(write($0.values[index])) }
    }
    return .element(
      "details",
      [.set("aria-label", title)],
      [
        .element("summary", [], [.text(viewer(Words("As a table", zh: "查看表格")))]),
        .div(
          "scroll",
          [DataTable(caption: title, columns: columns, rows: Array(rows)).markup]
        ),
      ]
    )
  }
}
