import Foundation
import HTTPValues
import IAPModel
import ServerStorage

/// The numbers of an app: money, subscriptions, trials, churn, refunds, retention.
enum OverviewPage {
  /// The spans that can be chosen, in days.
  static let spans: [Int64] = [30, 90, 365]
  /// The most currencies that have a chart of their own.
  static let chartsMax = 4
  /// The most products that a chart tells apart.
  static let productsMax = 5

  @Sendable static func show(_ visit: Visit) async throws(DashboardError) -> Outcome {
    let span = visit.place("days").flatMap { spans.contains($0) ? $0 : nil } ?? spans[0]
    let today = CountingDay(visit.now)
    let days = (0..<span).reversed().map { CountingDay(number: today.number - $0) }
    let scope = visit.scope
    let figures = try await visit.read { reader throws(StorageError) in
      try Figures(scope, days: days, reader)
    }
    let money = figures.money
    return .page(
      Page(
        Section.overview.title,
        .overview,
        refreshSeconds: 30,
        [
          choice(span, visit), waiting(figures, visit), tiles(figures, money, visit),
          revenue(figures, money, visit), moneyTable(figures, money, visit),
          .div("grid", [activeCard(figures, visit), startsCard(figures, visit)]),
          .div("grid", [trialsCard(figures, visit), refundsCard(figures, visit)]),
          CohortTable(figures: figures, visit: visit).card,
        ]
      )
    )
  }

  private static func choice(_ span: Int64, _ visit: Visit) -> Markup {
    .element(
      "ul",
      [
        .class("filters"),
        .set("aria-label", visit.viewer(Words("Span of time", zh: "时间范围"))),
      ],
      spans.map { days in
        .element(
          "li",
          [],
          [
            .element(
              "a",
              [.href(visit.link("/dashboard/overview", [("days", "\(days)")]))]
                + (days == span ? [.set("aria-current", "true")] : []),
              [visit.say("\(days) days", zh: "\(days) 天")]
            )
          ]
        )
      }
    )
  }

  private static func waiting(_ figures: Figures, _ visit: Visit) -> Markup {
    guard figures.waiting > 0 else { return .nothing }
    let count = visit.viewer.number(figures.waiting)
    return .p(
      [
        Mark.info.markup,
        visit.say(
          "\(count) entries are not counted yet; the numbers follow.",
          zh: "还有 \(count) 条记录尚未统计，数字将随后更新。"
        ),
      ],
      "notice info"
    )
  }

  // MARK: Tiles

  private static func tile(_ name: String, _ figure: String, _ note: Markup) -> Markup {
    .element(
      "li",
      [.class("tile")],
      [.p([.text(name)], "tile-name"), .p([.text(figure)], "figure"), .p([note], "muted")]
    )
  }

  private static func tiles(
    _ figures: Figures,
    _ money: [Figures.CurrencyMoney],
    _ visit: Visit
  ) -> Markup {
    let viewer = visit.viewer
    var tiles: [Markup] = money.filter { !$0.currency.isEmpty }.prefix(2).map { row in
      tile(
        viewer(Words("Gross in \(row.currency)", zh: "总收入（\(row.currency)）")),
        viewer.money(Money(milliunits: row.paid, currency: row.currency)),
        .text(
          viewer(Words("estimated proceeds ", zh: "预计收益 "))
            + viewer.money(
              Money(
                milliunits: row.proceeds(commission: figures.commission),
                currency: row.currency
              )
            )
        )
      )
    }
    let active = figures.active.last ?? 0
    let lost = figures.sum(.lost) - (figures.tallies.last?[.lost] ?? 0)
    let ran = figures.activeBefore + figures.sum(.started)
    let churn = ran > 0 ? Double(max(lost, 0)) / Double(ran) : nil
    let over = figures.sum(.trialsOver) - (figures.tallies.last?[.trialsOver] ?? 0)
    let converted = figures.sum(.converted)
    tiles.append(
      tile(
        viewer(Words("Active subscriptions", zh: "活跃订阅")),
        viewer.number(active),
        visit.say("at the end of today, as far as paid", zh: "截至今日结束的已付费订阅")
      )
    )
    tiles.append(
      tile(
        viewer(Words("Churn", zh: "流失率")),
        viewer.percent(churn),
        ran > 0
          ? visit.say(
            "\(viewer.number(max(lost, 0))) of \(viewer.number(ran)) that ran or began have ended",
            zh: "期初及新增共 \(viewer.number(ran)) 个，终止 \(viewer.number(max(lost, 0))) 个"
          ) : visit.say("nothing ran in this span", zh: "此期间没有订阅")
      )
    )
    tiles.append(
      tile(
        viewer(Words("Trial conversion", zh: "试用转化率")),
        viewer.percent(over > 0 ? min(Double(converted) / Double(over), 1) : nil),
        visit.say(
          "\(viewer.number(converted)) of \(viewer.number(over)) trials that ended",
          zh: "\(viewer.number(over)) 个到期试用中 \(viewer.number(converted)) 个付费"
        )
      )
    )
    return .element("ul", [.class("tiles")], tiles)
  }

  // MARK: Money

  private static func revenue(
    _ figures: Figures,
    _ money: [Figures.CurrencyMoney],
    _ visit: Visit
  ) -> Markup {
    let viewer = visit.viewer
    let priced = money.filter { !$0.currency.isEmpty && $0.paid > 0 }
    guard !priced.isEmpty else {
      return .card(
        viewer(Words("Revenue by day and product", zh: "每日收入（按商品）")),
        id: "revenue",
        [
          .empty(
            viewer(Words("No revenue in this span", zh: "此期间没有收入")),
            viewer(
              Words(
                "Purchases with a price will stand here, each currency by itself.",
                zh: "有价格的购买会显示在这里，各币种分开统计。"
              )
            )
          )
        ]
      )
    }
    return .many(
      priced.prefix(chartsMax).enumerated().map { index, row in
        let title = viewer(
          Words(
            figures.daysPerBar == 1
              ? "Revenue by day and product, \(row.currency)"
              : "Revenue by week and product, \(row.currency)",
            zh: figures.daysPerBar == 1
              ? "每日收入（按商品），\(row.currency)" : "每周收入（按商品），\(row.currency)"
          )
        )
        let chart = DayChart(
          title: title,
          days: figures.barDays,
          daysPerBar: figures.daysPerBar,
          series: series(row, figures, visit),
          shape: .bars,
          viewer: viewer,
          write: { viewer.money(Money(milliunits: $0, currency: row.currency)) },
          writeShort: { viewer.short(Double($0) / 1000) }
        )
        return .card(title, id: "revenue-\(index)", [chart.markup(id: "revenue-\(index)")])
      }
    )
  }

  /// The products of a currency, the greatest first; what is behind them is one.
  private static func series(
    _ row: Figures.CurrencyMoney,
    _ figures: Figures,
    _ visit: Visit
  ) -> [DayChart.Series] {
    let ranked = row.products.sorted {
      let (left, right) = ($0.value.reduce(0, +), $1.value.reduce(0, +))
      return left != right ? left > right : $0.key < $1.key
    }
    var series = ranked.prefix(productsMax).map {
      DayChart.Series(name: $0.key, values: figures.barSums($0.value))
    }
    let rest = ranked.dropFirst(productsMax)
    if !rest.isEmpty {
      let values = figures.days.indices.map { day in
        rest.reduce(Int64(0)) { $0 + $1.value[day] }
      }
      series.append(
        DayChart.Series(
          name: visit.viewer(Words("Others", zh: "其他")),
          values: figures.barSums(values)
        )
      )
    }
    return series
  }

  private static func moneyTable(
    _ figures: Figures,
    _ money: [Figures.CurrencyMoney],
    _ visit: Visit
  ) -> Markup {
    guard !money.isEmpty else { return .nothing }
    let viewer = visit.viewer
    let rows = money.map { row -> [Markup] in
      func amount(_ milliunits: Int64) -> Markup {
        row.currency.isEmpty
          ? visit.say("unknown", zh: "未知")
          : .text(viewer.money(Money(milliunits: milliunits, currency: row.currency)))
      }
      return [
        row.currency.isEmpty ? visit.say("Price unknown", zh: "价格未知") : .text(row.currency),
        .text(viewer.number(row.sold)), amount(row.paid), .text(viewer.number(row.refunded)),
        amount(row.returned), amount(row.proceeds(commission: figures.commission)),
      ]
    }
    let table = DataTable(
      caption: viewer(
        Words(
          "Each currency by itself; nothing is converted",
          zh: "各币种分别统计，不做换算"
        )
      ),
      columns: [
        .init(title: viewer(Words("Currency", zh: "币种")), isName: true),
        .init(title: viewer(Words("Sold", zh: "售出")), isNumber: true),
        .init(title: viewer(Words("Gross", zh: "总额")), isNumber: true),
        .init(title: viewer(Words("Refunds", zh: "退款数")), isNumber: true),
        .init(title: viewer(Words("Refunded", zh: "退款额")), isNumber: true),
        .init(title: viewer(Words("Estimated proceeds", zh: "预计收益")), isNumber: true),
      ],
      rows: rows
    )
    let note = Markup.span(
      "muted small",
      [
        visit.say(
          "at \(figures.commission) % commission · ",
          zh: "佣金 \(figures.commission)% · "
        ),
        .link(visit.link("/dashboard/settings"), [visit.say("change", zh: "更改")]),
      ]
    )
    return .card(viewer(Words("Money", zh: "金额")), id: "money", note: note, [table.markup])
  }

  // MARK: Subscriptions

  private static func chartCard(
    _ title: Words,
    _ id: String,
    _ figures: Figures,
    _ series: [DayChart.Series],
    _ shape: DayChart.Shape,
    _ visit: Visit,
    _ empty: Words
  ) -> Markup {
    let viewer = visit.viewer
    let hasAny = series.contains { $0.values.contains { $0 != 0 } }
    guard hasAny else {
      return .card(
        viewer(title),
        id: id,
        [
          .empty(
            viewer(Words("Nothing in this span", zh: "此期间没有数据")),
            viewer(empty)
          )
        ]
      )
    }
    let chart = DayChart(
      title: viewer(title),
      days: figures.barDays,
      daysPerBar: figures.daysPerBar,
      series: series,
      shape: shape,
      viewer: viewer,
      write: { viewer.number($0) },
      writeShort: { viewer.short(Double($0)) }
    )
    return .card(viewer(title), id: id, [chart.markup(id: id)])
  }

  private static func activeCard(_ figures: Figures, _ visit: Visit) -> Markup {
    let title = Words("Active subscriptions", zh: "活跃订阅")
    return chartCard(
      title,
      "active",
      figures,
      [DayChart.Series(name: visit.viewer(title), values: figures.barEnds(figures.active))],
      .line,
      visit,
      Words("Subscriptions that run will stand here.", zh: "正在运行的订阅会显示在这里。")
    )
  }

  private static func startsCard(_ figures: Figures, _ visit: Visit) -> Markup {
    let viewer = visit.viewer
    return chartCard(
      Words("Begun and ended", zh: "新增与流失"),
      "begun",
      figures,
      [
        DayChart.Series(
          name: viewer(Words("Begun", zh: "新增")),
          values: figures.barSums(figures.tallies.map { max($0[.started], 0) })
        ),
        DayChart.Series(
          name: viewer(Words("Ended", zh: "流失")),
          values: figures.barSums(figures.tallies.map { max($0[.lost], 0) })
        ),
      ],
      .bars,
      visit,
      Words("Subscriptions that begin or end.", zh: "新开始或终止的订阅。")
    )
  }

  private static func trialsCard(_ figures: Figures, _ visit: Visit) -> Markup {
    let viewer = visit.viewer
    return chartCard(
      Words("Trials", zh: "试用"),
      "trials",
      figures,
      [
        DayChart.Series(
          name: viewer(Words("Trials begun", zh: "开始试用")),
          values: figures.barSums(figures.tallies.map { max($0[.trials], 0) })
        ),
        DayChart.Series(
          name: viewer(Words("Paid after a trial", zh: "试用后付费")),
          values: figures.barSums(figures.tallies.map { max($0[.converted], 0) })
        ),
      ],
      .bars,
      visit,
      Words("Free introductory periods.", zh: "免费推介期。")
    )
  }

  private static func refundsCard(_ figures: Figures, _ visit: Visit) -> Markup {
    let values = figures.tallies.map { tally in
      tally.numbers.reduce(Int64(0)) { sum, pair in
        Counter.money(pair.key, "r") == nil ? sum : sum + pair.value
      }
    }
    return chartCard(
      Words("Refunds", zh: "退款"),
      "refunds",
      figures,
      [
        DayChart.Series(
          name: visit.viewer(Words("Refunds", zh: "退款")),
          values: figures.barSums(values)
        )
      ],
      .bars,
      visit,
      Words("What the App Store pays back.", zh: "App Store 退还的购买。")
    )
  }
}

/// How many subscriptions still ran so many months after they began.
struct CohortTable {
  let figures: Figures
  let visit: Visit

  var card: Markup {
    let viewer = visit.viewer
    let title = viewer(Words("Retention by the month of the beginning", zh: "按开始月份的留存"))
    let cohorts = figures.cohorts.filter { $0.tally[.size] > 0 }.prefix(Figures.cohortsMax)
    guard !cohorts.isEmpty else {
      return .card(
        title,
        id: "retention",
        [
          .empty(
            viewer(Words("No subscription has begun yet", zh: "尚无订阅")),
            viewer(
              Words("Each month's beginners get a row.", zh: "每个月开始的订阅各占一行。")
            )
          )
        ]
      )
    }
    let head: [Markup] =
      [column(viewer(Words("Month", zh: "月份"))), column(viewer(Words("Begun", zh: "开始")), true)]
      + (0..<EntryFigures.cohortMonths).map { column("\($0)", true) }
    let rows = cohorts.map { cohort in
      Markup.element(
        "tr",
        [],
        [
          .element("th", [.set("scope", "row")], [.text(viewer.month(cohort.month.start))]),
          .element("td", [.class("num")], [.text(viewer.number(cohort.tally[.size]))]),
        ] + (0..<EntryFigures.cohortMonths).map { cell(cohort, $0) }
      )
    }
    return .card(
      title,
      id: "retention",
      [
        .element(
          "div",
          [
            .class("scroll"), .set("tabindex", "0"), .set("role", "region"),
            .set("aria-labelledby", "retention"),
          ],
          [
            .element(
              "table",
              [.class("data cohorts")],
              [
                .element(
                  "caption",
                  [],
                  [
                    visit.say(
                      "Share that still ran so many months later; months that are not over for "
                        + "everybody are left out",
                      zh: "若干月后仍在订阅的比例；尚未全部到期的月份不显示"
                    )
                  ]
                ),
                .element("thead", [], [.element("tr", [], head)]),
                .element("tbody", [], rows),
              ]
            )
          ]
        )
      ]
    )
  }

  private func column(_ title: String, _ isNumber: Bool = false) -> Markup {
    .element(
      "th",
      [.set("scope", "col"), .class(isNumber ? "num" : "")],
      [.text(title)]
    )
  }

  private func cell(_ cohort: (month: CountingMonth, tally: Tally), _ month: Int) -> Markup {
    // Everybody who began in the month has reached this age when the last one has.
    let next = CountingMonth(number: cohort.month.number + 1).start
    guard month == 0 || CountingMonth.adding(month, to: next) <= visit.now else {
      return .element("td", [], [])
    }
    let share = Double(max(cohort.tally[.running(month)], 0)) / Double(cohort.tally[.size])
    let step = min(4, Int((share * 4).rounded(.up)))
    let text = share.formatted(.percent.precision(.fractionLength(0)))
    return .element("td", [.class("num s\(step)")], [.text(text)])
  }
}
