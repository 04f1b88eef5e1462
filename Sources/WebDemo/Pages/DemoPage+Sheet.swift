import HTTPValues
import IAPKit
import IAPKitUI
import IAPModel

// The system's payment sheet, and what a parent is asked.
extension DemoPage {
  func sheet(_ phone: DemoSnapshot.Phone) -> Markup {
    guard let row = phone.sheet else { return .nothing }
    let isPlan = row.product.subscriptionPeriod != nil
    return .element(
      "div",
      [.class("sheet-shade"), .set("data-key", "sheet"), .set("data-leaving", "")],
      [
        .element(
          "div",
          [
            .class("sheet"), .set("role", "dialog"), .set("aria-labelledby", "sheet-title"),
            .set("data-sheet", ""),
          ],
          [
            .element(
              "div",
              [.class("sheet-head")],
              [
                .element("h3", [.id("sheet-title")], ["App Store"]),
                button(
                  "cancel",
                  "round",
                  [.set("aria-label", Words("Cancel", zh: "取消")(language))],
                  [Icon.close.markup]
                ),
              ]
            ),
            offer(row, isPlan: isPlan),
            facts(row, isPlan: isPlan),
            button(
              "confirm",
              "pay",
              [],
              [
                isPlan
                  ? say("Confirm Subscription", zh: "确认订阅") : say("Confirm Purchase", zh: "确认购买")
              ]
            ),
            others,
          ]
        )
      ]
    )
  }

  private func offer(_ row: PaywallState.Row, isPlan: Bool) -> Markup {
    .element(
      "div",
      [.class("sheet-offer")],
      [
        .element("span", [.class("tile small-tile")], [Icon.wave.markup]),
        .element(
          "div",
          [],
          [
            .element("p", [.class("sheet-product")], [.text(row.terms.title)]),
            .element(
              "p",
              [.class("small")],
              [say("Tidepool · In-app purchase", zh: "潮池 · App 内购买项目")]
            ),
          ]
        ),
      ]
    )
  }

  private func facts(_ row: PaywallState.Row, isPlan: Bool) -> Markup {
    var lines = [fact(say("Price", zh: "价格"), .text(row.terms.price), "big")]
    if let offer = row.terms.offer { lines.append(fact(say("Offer", zh: "优惠"), .text(offer))) }
    lines.append(fact(say("Account", zh: "账户"), "mia@example.com"))
    if isPlan {
      lines.append(
        .element(
          "p",
          [.class("small")],
          [
            say(
              "Renews until it is cancelled. Cancel at least a day before.",
              zh: "取消前将自动续订。请至少提前一天取消。"
            )
          ]
        )
      )
    }
    return .element("div", [.class("sheet-facts")], lines)
  }

  private func fact(_ name: Markup, _ value: Markup, _ kind: String = "") -> Markup {
    .element(
      "p",
      [.class("fact " + kind)],
      [.element("span", [], [name]), .element("strong", [], [value])]
    )
  }

  /// What else may happen at a sheet.
  private var others: Markup {
    .element(
      "div",
      [
        .class("sheet-others"), .set("role", "group"),
        .set("aria-label", Words("What else may happen", zh: "其他可能")(language)),
      ],
      [
        button("askParent", "quiet", [], [say("Ask a parent", zh: "询问家长")]),
        button("failPayment", "quiet", [], [say("Card declined", zh: "银行拒付")]),
        button("leave", "quiet", [], [say("Leave the app", zh: "离开 App")]),
      ]
    )
  }

  /// The parents' telephone.
  var questions: Markup {
    .element(
      "div",
      [.class("questions"), .set("data-key", "questions")],
      snapshot.questions.map { question in
        let name = snapshot.name(of: question.product, language)
        return .element(
          "div",
          [
            .class("question"), .set("role", "group"), .set("data-key", "ask-\(question.id)"),
            .set("aria-label", Words("Dad's phone", zh: "爸爸的手机")(language)),
          ],
          [
            .element("p", [.class("question-from")], [say("Dad's phone", zh: "爸爸的手机")]),
            .element(
              "p",
              [],
              [
                say("Mia would like to buy: ", zh: "米娅想购买："), .element("strong", [], [.text(name)]),
              ]
            ),
            .element(
              "div",
              [.class("buttons")],
              [
                button("approve:\(question.id)", "button good", [], [say("Approve", zh: "批准")]),
                button("decline:\(question.id)", "button", [], [say("Decline", zh: "拒绝")]),
              ]
            ),
          ]
        )
      }
    )
  }
}
