import AppStoreSimulator
import Foundation
import HTTPValues
import IAPKit
import IAPModel
import SimulatedApp
import SimulatedDevice

// Everything around the telephone that can be made to go wrong.
extension DemoPage {
  var worldArea: [Markup] {
    [
      .element(
        "div",
        [.class("world-head")],
        [
          .element("h2", [.id("world-title")], [say("The world around it", zh: "周围的世界")]),
          button("startOver", "quiet", [], [say("Start over", zh: "重新开始")]),
        ]
      ),
      trouble,
      .element(
        "div",
        [.class("panels")],
        [timePanel, appPanel, networkPanel, storePanel]
      ),
    ]
  }

  private var trouble: Markup {
    .element(
      "p",
      [.class("trouble"), .set("role", "status"), .set("data-key", "trouble")],
      snapshot.trouble.map { [.text($0(language))] } ?? []
    )
  }

  private func panel(
    _ key: String,
    _ icon: Icon,
    _ title: Markup,
    _ state: Markup,
    _ content: [Markup]
  ) -> Markup {
    .element(
      "div",
      [.class("panel " + key), .set("data-key", "panel-" + key)],
      [
        .element("h3", [], [icon.markup, title]),
        .element("p", [.class("state")], [state]),
      ] + content
    )
  }

  private func buttons(_ content: [Markup]) -> Markup {
    .element("div", [.class("buttons")], content)
  }

  // MARK: Time

  private var timePanel: Markup {
    panel(
      "time",
      .clock,
      say("Time", zh: "时间"),
      snapshot.isLeaping
        ? .element("span", [.class("leaping")], [say("Time flies…", zh: "时间飞逝…")])
        : .text(day(snapshot.now) + ", " + time(snapshot.now)),
      [
        buttons([
          leap(.hour, say("+1 hour", zh: "+1 小时")), leap(.days, say("+3 days", zh: "+3 天")),
          leap(.month, say("+1 month", zh: "+1 个月")),
        ])
      ]
    )
  }

  private func leap(_ leap: DemoAction.Leap, _ title: Markup) -> Markup {
    button(
      "advance:" + leap.rawValue,
      "button",
      snapshot.isLeaping ? [.on("disabled")] : [],
      [title]
    )
  }

  // MARK: The app

  private var appPanel: Markup {
    let isRunning = phone?.isRunning ?? false
    let generation = phone?.generation ?? .storekit2
    let api = generation == .storekit2 ? "StoreKit 2" : "StoreKit 1"
    return panel(
      "app",
      .phone,
      say("The app", zh: "App"),
      isRunning
        ? .many([say("Running with ", zh: "正在运行，使用 "), .text(api)])
        : say("Not running", zh: "未运行"),
      [
        buttons([
          isRunning
            ? button("kill", "button bad", [], [say("Kill it now", zh: "立即终止")])
            : button("launch", "button good", [], [say("Launch it", zh: "启动")]),
          generation == .storekit2
            ? button(
              "generation:storekit1",
              "button",
              [],
              [
                say("Relaunch with StoreKit 1", zh: "改用 StoreKit 1 重启")
              ]
            )
            : button(
              "generation:storekit2",
              "button",
              [],
              [
                say("Relaunch with StoreKit 2", zh: "改用 StoreKit 2 重启")
              ]
            ),
        ]),
        isRunning ? deaths : .nothing,
      ]
    )
  }

  /// The moments at which the next purchase can be cut off.
  private var deaths: Markup {
    .element(
      "div",
      [.class("deaths"), .set("role", "group"), .set("aria-labelledby", "deaths-title")],
      [
        .element(
          "p",
          [.class("small"), .id("deaths-title")],
          [
            say("Kill it in the middle of the next purchase:", zh: "在下一笔购买途中终止：")
          ]
        ),
        buttons(
          DemoAction.deaths.map { step in
            let isPlanned = phone?.plannedDeath == step
            return button(
              "killAt:" + (isPlanned ? "" : step.rawValue),
              "chip",
              [.set("aria-pressed", isPlanned ? "true" : "false")],
              [.text(Self.moment(step)(language))]
            )
          }
        ),
      ]
    )
  }

  private static func moment(_ step: KillStep) -> Words {
    switch step {
    case .afterPurchase: Words("after the payment", zh: "付款之后")
    case .beforeRequest: Words("before the server is asked", zh: "询问服务器之前")
    case .beforeDelivery: Words("before the goods", zh: "交付商品之前")
    default: Words("after the goods", zh: "交付商品之后")
    }
  }

  // MARK: Network and server

  private var networkPanel: Markup {
    let isOnline = phone?.isOnline ?? true
    return panel(
      "network",
      .server,
      say("Network and server", zh: "网络与服务器"),
      .many([
        light(isOnline),
        isOnline ? say("Phone online", zh: "手机在线") : say("Phone offline", zh: "手机离线"),
        " ", light(snapshot.isServerUp),
        snapshot.isServerUp ? say("Server up", zh: "服务器正常") : say("Server down", zh: "服务器停机"),
      ]),
      [
        buttons([
          isOnline
            ? button("network:off", "button bad", [], [say("Cut the network", zh: "断开网络")])
            : button("network:on", "button good", [], [say("Network back", zh: "恢复网络")]),
          snapshot.isServerUp
            ? button("server:off", "button bad", [], [say("Stop the server", zh: "停止服务器")])
            : button("server:on", "button good", [], [say("Start the server", zh: "启动服务器")]),
        ]),
        dashboardLink,
      ]
    )
  }

  private func light(_ isOn: Bool) -> Markup {
    .element(
      "span",
      [.class(isOn ? "light on" : "light off"), .set("aria-hidden", "true")]
    )
  }

  private var dashboardLink: Markup {
    guard let dashboard, let target = MarkupTarget(web: dashboard.address) else { return .nothing }
    return .element(
      "p",
      [.class("small")],
      [
        .element(
          "a",
          [.href(target), .set("target", "_blank")],
          [say("Open the server's dashboard", zh: "打开服务器控制台")]
        ),
        .text(Words(" as ", zh: "，登录名 ")(language)),
        .element("code", [], [.text(dashboard.name)]),
        .text(Words(" with ", zh: "，密码 ")(language)),
        .element("code", [], [.text(dashboard.password)]),
      ]
    )
  }

  // MARK: The App Store

  private var storePanel: Markup {
    panel(
      "store",
      .bag,
      say("App Store", zh: "App Store"),
      .many([
        say("Storefront ", zh: "商店地区 "), .text(country(snapshot.storefront)), ". ",
        snapshot.isCardGood
          ? say("Her card works.", zh: "银行卡可用。") : say("Her card is declined.", zh: "银行卡被拒。"),
      ]),
      [
        buttons(
          WebDemo.storefronts.map { code in
            button(
              "storefront:" + code,
              "chip",
              [.set("aria-pressed", code == snapshot.storefront ? "true" : "false")],
              [.text(country(code))]
            )
          }
        ),
        buttons(
          [
            snapshot.isCardGood
              ? button("card:off", "button bad", [], [say("Decline her card", zh: "拒绝银行卡")])
              : button("card:on", "button good", [], [say("Card works again", zh: "银行卡恢复")])
          ] + renewal
        ),
      ]
    )
  }

  private var renewal: [Markup] {
    guard let renews = snapshot.renews else { return [] }
    return [
      renews
        ? button("renewal:off", "button", [], [say("Cancel the renewal", zh: "取消续订")])
        : button("renewal:on", "button", [], [say("Renew again", zh: "恢复续订")])
    ]
  }

  private func country(_ code: String) -> String {
    switch code {
    case "USA": Words("United States", zh: "美国")(language)
    case "CHN": Words("China", zh: "中国")(language)
    case "DEU": Words("Germany", zh: "德国")(language)
    case "JPN": Words("Japan", zh: "日本")(language)
    default: code
    }
  }
}
