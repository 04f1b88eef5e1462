import Foundation
import HTTPValues
import IAPKit
import IAPModel

// The life of every order, newest first.
extension DemoPage {
  var lifeArea: [Markup] {
    [
      .element(
        "div",
        [.class("life-head")],
        [
          .element(
            "h2",
            [.id("life-title"), .set("tabindex", "-1")],
            [
              say("The life of each order", zh: "每笔订单的一生")
            ]
          ),
          legend,
        ]
      ),
      latest,
      snapshot.lives.isEmpty ? empty : .nothing,
      .element(
        "div",
        [.class("lives"), .set("data-key", "lives")],
        snapshot.lives.map { life($0) }
      ),
      noscript,
    ]
  }

  private var legend: Markup {
    .element(
      "ul",
      [.class("legend"), .set("aria-label", Words("Who noted it", zh: "记录者")(language))],
      OrderLife.Lane.allCases.map { lane in
        .element(
          "li",
          [.class("lane-" + lane.rawValue)],
          [.element("span", [.class("dot"), .set("aria-hidden", "true")]), name(of: lane)]
        )
      }
    )
  }

  private func name(of lane: OrderLife.Lane) -> Markup {
    switch lane {
    case .app: say("App", zh: "App")
    case .store: say("App Store", zh: "App Store")
    case .server: say("Server", zh: "服务器")
    }
  }

  /// The newest step, for whoever hears the page.
  private var latest: Markup {
    let step = snapshot.lives.first?.steps.last
    return .element(
      "p",
      [.class("heard"), .set("role", "status"), .set("data-key", "latest")],
      step.map { [.text($0.text(language))] } ?? []
    )
  }

  private var empty: Markup {
    .element(
      "div",
      [.class("empty")],
      [
        .element(
          "p",
          [.class("lead")],
          [
            say("Nothing was bought yet.", zh: "还没有购买。")
          ]
        ),
        .element(
          "ol",
          [],
          [
            .element(
              "li",
              [],
              [
                say("Buy some coins on the phone and confirm.", zh: "在手机上购买金币并确认。")
              ]
            ),
            .element(
              "li",
              [],
              [
                say(
                  "Then plan a kill after the payment, buy again, and open the app once more.",
                  zh: "然后选择“付款之后”终止，再次购买，并重新打开 App。"
                )
              ]
            ),
            .element(
              "li",
              [],
              [
                say(
                  "Stop the server, buy, start it: the coins come by themselves.",
                  zh: "停止服务器，购买，再启动：金币会自动到账。"
                )
              ]
            ),
          ]
        ),
      ]
    )
  }

  private func life(_ life: OrderLife) -> Markup {
    let title = snapshot.name(of: life.order.productId, language)
    let identity = "order-\(life.id)"
    return .element(
      "article",
      [
        .class("life is-" + life.order.state.rawValue), .set("data-key", identity),
        .set("aria-labelledby", identity),
      ],
      [
        .element(
          "header",
          [],
          [
            .element("h3", [.id(identity)], [.text(title)]),
            .element(
              "span",
              [.class("pill state-" + life.order.state.rawValue)],
              [
                .text(life.order.state.words(language)), " ",
                .element("code", [], [.text(life.order.state.rawValue)]),
              ]
            ),
          ]
        ),
        summary(life),
        .element(
          "ol",
          [.class("steps")],
          steps(life)
        ),
        footer(life),
      ]
    )
  }

  private func summary(_ life: OrderLife) -> Markup {
    var parts: [Markup] = []
    if life.granted > 0 {
      parts.append(.element("strong", [.class("granted")], [.text(handedOver(life))]))
    }
    if life.order.state == .opened, life.refundable != nil {
      parts.append(
        .element(
          "strong",
          [.class("owed")],
          [say("charged, and the app does not know it yet", zh: "已扣款，App 尚未得知")]
        )
      )
    }
    if life.takenBack > 0 {
      parts.append(
        .element(
          "strong",
          [.class("taken")],
          [
            .text(
              Words(
                "taken back \(life.takenBack)\u{D7}",
                zh: "已收回 \(life.takenBack) 次"
              )(language)
            )
          ]
        )
      )
    }
    if life.isOnBoth {
      parts.append(
        .element("span", [], [say("on both phones", zh: "两部手机均可用")])
      )
    }
    parts.append(
      .element(
        "span",
        [.class("number")],
        [
          say("Order ", zh: "订单 "),
          .element("code", [], [.text(String(life.id.description.prefix(8)))]),
        ]
      )
    )
    return .element("p", [.class("summary")], parts)
  }

  /// How often goods were handed over: once for a purchase, once for each period of a plan.
  private func handedOver(_ life: OrderLife) -> String {
    let count = life.granted
    if count == 1 { return Words("handed over once", zh: "已交付一次")(language) }
    if DemoOffer.plans.contains(life.order.productId) {
      return Words(
        "\(count) periods handed over, each once",
        zh: "已交付 \(count) 个周期，每期一次"
      )(language)
    }
    return Words("handed over \(count) times", zh: "已交付 \(count) 次")(language)
  }

  /// The steps, with the day in front whenever it changes.
  private func steps(_ life: OrderLife) -> [Markup] {
    var last: String?
    return life.steps.enumerated().flatMap { number, step -> [Markup] in
      let today = day(step.date)
      defer { last = today }
      let row = self.step(step, number: number)
      guard today != last else { return [row] }
      let heading = Markup.element(
        "li",
        [.class("day"), .set("data-key", "day-\(number)")],
        [.text(today)]
      )
      return [heading, row]
    }
  }

  private func step(_ step: OrderLife.Step, number: Int) -> Markup {
    var kind = "step lane-" + step.lane.rawValue
    if step.isTrouble { kind += " trouble-step" }
    if step.isGood { kind += " good-step" }
    var text: [Markup] = [.text(step.text(language))]
    if step.count > 1 {
      text.append(.element("span", [.class("times")], [.text(" \u{D7}\(step.count)")]))
    }
    if let device = step.device {
      text.append(.element("span", [.class("device")], [.text(" · " + name(of: device))]))
    }
    return .element(
      "li",
      [.class(kind), .set("data-key", "step-\(number)-\(step.word)")],
      [
        .element("span", [.class("dot"), .set("aria-hidden", "true")]),
        .element(
          "time",
          [.class("when")],
          [.text(time(step.date))]
        ),
        .element(
          "span",
          [.class("what")],
          [
            .element("span", [.class("heard")], [name(of: step.lane), ": "])
          ] + text
        ),
        .element("code", [.class("word")], [.text(step.word)]),
      ]
    )
  }

  private func footer(_ life: OrderLife) -> Markup {
    var parts: [Markup] = []
    if let id = life.refundable {
      parts.append(button("refund:\(id)", "quiet", [], [say("Refund it", zh: "退款")]))
    }
    if let dashboard, life.order.transactionId != nil,
      let target = MarkupTarget(web: dashboard.address + "/orders/\(life.id)")
    {
      parts.append(
        .element(
          "a",
          [.href(target), .set("target", "_blank")],
          [say("See it in the dashboard", zh: "在控制台中查看")]
        )
      )
    }
    return parts.isEmpty ? .nothing : .element("p", [.class("life-foot")], parts)
  }

  private var noscript: Markup {
    .element(
      "noscript",
      [],
      [
        .element(
          "p",
          [.class("small")],
          [
            .element("a", [.href(target())], [say("Look again", zh: "刷新页面")])
          ]
        )
      ]
    )
  }
}
