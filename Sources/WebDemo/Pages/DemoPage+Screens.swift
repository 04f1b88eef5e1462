import AppStoreSimulator
import Foundation
import HTTPValues
import IAPKit
import IAPKitUI
import IAPModel

// The app's screens: every word comes from the view models.
extension DemoPage {
  // MARK: Shop

  func shop(_ screens: DemoSnapshot.Screens, _ phone: DemoSnapshot.Phone) -> Markup {
    .element(
      "div",
      [.class("shop")],
      [
        .element(
          "div",
          [.class("hero")],
          [
            .element("h3", [], [say("Tidepool", zh: "潮池")]),
            .element(
              "p",
              [.class("purse")],
              [
                Icon.coins.markup,
                .element("strong", [.set("data-coins", "")], [.text("\(phone.coins)")]),
                say(" coins", zh: " 金币"),
              ]
            ),
            .element(
              "p",
              [.class("rights")],
              [
                phone.hasEverything
                  ? say("Every reef is open.", zh: "全部珊瑚礁已开放。")
                  : say("Three reefs are open.", zh: "已开放三处珊瑚礁。")
              ]
            ),
          ]
        ),
        placeholder(screens.shop),
        .element("ul", [.class("rows")], screens.shop.rows.map { row($0) }),
        .element(
          "p",
          [.class("small center")],
          [
            .element(
              "a",
              [.href(target(tab: .plus)), .set("data-view", "")],
              [say("See Tidepool Plus", zh: "查看潮池 Plus")]
            )
          ]
        ),
      ]
    )
  }

  private func row(_ row: PaywallState.Row) -> Markup {
    let isCoins = row.id == DemoCatalog.coins.rawValue
    return .element(
      "li",
      [.class("row"), .set("data-key", "row-" + row.id)],
      [
        .element(
          "span",
          [.class("badge " + (isCoins ? "gold" : "coral"))],
          [
            (isCoins ? Icon.coins : .shell).markup
          ]
        ),
        .element(
          "div",
          [.class("about")],
          [
            .element("h4", [], [.text(row.terms.title)]),
            .element("p", [], [.text(row.terms.details)]),
            .element(
              "p",
              [.class("small")],
              [
                .text(
                  [row.terms.renewal, row.terms.sharing].compactMap { $0 }.joined(separator: " ")
                )
              ]
            ),
            caption(row),
          ]
        ),
        .element(
          "div",
          [.class("deal")],
          [.element("p", [.class("price")], [.text(row.terms.price)]), buy(row)]
        ),
      ]
    )
  }

  private func caption(_ row: PaywallState.Row) -> Markup {
    guard let caption = row.button.caption else { return .nothing }
    return .element("p", [.class("caption")], [.text(caption)])
  }

  /// The button of a row, with the product's name for whoever only hears it.
  private func buy(_ row: PaywallState.Row) -> Markup {
    button(
      "buy:" + row.id,
      "buy" + (row.isBusy ? " busy" : "") + (row.isOwned ? " owned" : ""),
      (row.canBuy ? [] : [.on("disabled")])
        + [.set("aria-label", "\(row.button.title): \(row.terms.title)")],
      [.text(row.button.title)]
    )
  }

  private func placeholder(_ state: PaywallState) -> Markup {
    guard let text = state.placeholder else { return .nothing }
    return .element(
      "div",
      [.class("placeholder"), .set("role", "status")],
      [.element("p", [], [.text(text)])]
        + (state.canReload ? [button("reload", "plain", [], [.text(state.reloadTitle)])] : [])
    )
  }

  // MARK: Plans

  func plans(_ screens: DemoSnapshot.Screens) -> Markup {
    let state = screens.plans
    return .element(
      "div",
      [.class("plans")],
      [
        headline(state.headline),
        placeholder(state),
        .element("ul", [.class("cards")], state.rows.map { card($0) }),
        .element("div", [.class("below")], [restore(state), policies(state)]),
      ]
    )
  }

  private func headline(_ headline: PaywallHeadline?) -> Markup {
    guard let headline else { return .nothing }
    return .element(
      "div",
      [.class("pitch")],
      [
        .element("span", [.class("badge sea")], [Icon.wave.markup]),
        .element("h3", [], [.text(headline.title)]),
        headline.subtitle.map { .element("p", [], [.text($0)]) } ?? .nothing,
        .element(
          "ul",
          [.class("points")],
          headline.points.map { .element("li", [], [Icon.check.markup, .text($0)]) }
        ),
      ]
    )
  }

  private func card(_ row: PaywallState.Row) -> Markup {
    let terms = row.terms
    return .element(
      "li",
      [.class("card" + (row.isOwned ? " mine" : "")), .set("data-key", "card-" + row.id)],
      [
        .element(
          "div",
          [.class("card-head")],
          [
            .element("h4", [], [.text(terms.title)]),
            terms.length.map { .element("p", [.class("length")], [.text($0)]) } ?? .nothing,
          ]
        ),
        .element("p", [.class("price")], [.text(terms.price)]),
        terms.unitPrice.map { .element("p", [.class("small")], [.text($0)]) } ?? .nothing,
        terms.offer.map { .element("p", [.class("offer")], [.text($0)]) } ?? .nothing,
        caption(row),
        buy(row),
        terms.renewal.map { .element("p", [.class("small")], [.text($0)]) } ?? .nothing,
      ]
    )
  }

  private func restore(_ state: PaywallState) -> Markup {
    button(
      "restore",
      "plain",
      state.isRestoring ? [.on("disabled")] : [],
      [.text(state.restoreTitle)]
    )
  }

  private func policies(_ state: PaywallState) -> Markup {
    .element(
      "p",
      [.class("policies")],
      state.policies.compactMap { policy in
        MarkupTarget(web: policy.url.absoluteString).map { target in
          .element(
            "a",
            [.href(target), .set("rel", "noreferrer"), .set("target", "_blank")],
            [.text(policy.title)]
          )
        }
      }
    )
  }

  // MARK: Mine

  func mine(_ screens: DemoSnapshot.Screens, _ phone: DemoSnapshot.Phone) -> Markup {
    .element(
      "div",
      [.class("mine-screen")],
      [
        .element("h3", [], [say("Mine", zh: "我的")]),
        belongings(screens, phone),
        subscriptions(screens.status),
        openPurchases(screens.open),
        .element("div", [.class("below")], [restore(screens.plans)]),
      ]
    )
  }

  private func belongings(
    _ screens: DemoSnapshot.Screens,
    _ phone: DemoSnapshot.Phone
  ) -> Markup {
    let lifetime = phone.access[DemoCatalog.lifetime] ?? .unknown
    let title = screens.shop.rows.first { $0.id == DemoCatalog.lifetime.rawValue }?.terms.title
    return .element(
      "dl",
      [.class("belongings")],
      [
        .element("dt", [], [say("Coins", zh: "金币")]),
        .element("dd", [.set("data-coins", "")], [.text("\(phone.coins)")]),
        .element("dt", [], [.text(title ?? Words("Lifetime", zh: "终身版")(language))]),
        .element("dd", [], [words(of: lifetime)]),
      ]
    )
  }

  private func words(of access: Access) -> Markup {
    switch access {
    case .unknown: say("not known yet", zh: "尚不清楚")
    case .no: say("no", zh: "无")
    case .yes(_, _, let isProvisional):
      isProvisional ? say("yes, for now", zh: "有（暂定）") : say("yes", zh: "有")
    }
  }

  private func subscriptions(_ state: SubscriptionStatusState) -> Markup {
    .element(
      "div",
      [.class("group")],
      [
        .element("h4", [], [say("Subscription", zh: "订阅")]),
        state.placeholder.map { .element("p", [.class("small")], [.text($0)]) } ?? .nothing,
      ]
        + state.rows.map { row in
          .element(
            "div",
            [.class("plan" + (row.isActive ? " active" : "")), .set("data-key", "plan-" + row.id)],
            [
              .element(
                "p",
                [.class("plan-title")],
                [
                  .text(row.title), .element("span", [.class("pill")], [.text(row.headline)]),
                ]
              )
            ] + row.lines.map { .element("p", [.class("small")], [.text($0)]) }
          )
        }
    )
  }

  private func openPurchases(_ state: OpenPurchasesState) -> Markup {
    .many(
      state.kinds.map { kind in
        .element(
          "div",
          [.class("group open")],
          [.element("h4", [], [.text(state.title(kind))])]
            + state.rows(kind).map { openRow($0, state) }
        )
      }
    )
  }

  private func openRow(_ row: OpenPurchasesState.Row, _ state: OpenPurchasesState) -> Markup {
    .element(
      "div",
      [.class("plan"), .set("data-key", "open-" + row.id)],
      [
        .element("p", [.class("plan-title")], [.text(row.title)]),
        .element("p", [.class("small")], [.text(row.text)]),
        row.reference.map { reference in
          .element(
            "p",
            [.class("small")],
            [
              .text(state.referenceTitle + " "), .element("code", [], [.text(reference)]),
            ]
          )
        } ?? .nothing,
        row.canRetry
          ? button(
            "recheck:" + row.id,
            "plain",
            row.isBusy ? [.on("disabled")] : [],
            [.text(state.retryTitle)]
          ) : .nothing,
      ]
    )
  }
}
