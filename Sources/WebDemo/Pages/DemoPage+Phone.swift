import AppStoreSimulator
import Foundation
import HTTPValues
import IAPKit
import IAPKitUI
import IAPModel

// The telephone: its frame, its home screen, the app's frame.
extension DemoPage {
  var phoneArea: [Markup] {
    guard let phone else { return [] }
    return [
      .element("h2", [.id("phone-title"), .class("heard")], [.text(name(of: phone.name))]),
      phoneSwitch,
      .element(
        "div",
        [.class("phone" + (showsApp(phone) ? " in-app" : " at-home")), .set("data-key", "phone")],
        [
          statusBar(phone),
          .element(
            "div",
            [.class("screen"), .set("data-key", "screen")]
              + (showsSheet(phone) ? [.on("inert")] : []),
            showsApp(phone) ? app(phone) : home(phone)
          ),
          showsSheet(phone) ? sheet(phone) : .nothing,
          homeBar(phone),
        ]
      ),
      questions,
    ]
  }

  func name(of name: DemoPhone.Name) -> String {
    switch name {
    case .first: Words("Mia's phone", zh: "米娅的手机")(language)
    case .second: Words("Her second phone", zh: "她的第二部手机")(language)
    }
  }

  private func showsApp(_ phone: DemoSnapshot.Phone) -> Bool { phone.isRunning && !phone.isAway }

  /// The sheet stands before the app, and goes away with it.
  private func showsSheet(_ phone: DemoSnapshot.Phone) -> Bool {
    phone.sheet != nil && showsApp(phone)
  }

  /// The links between the telephones; a button gives her a second one.
  private var phoneSwitch: Markup {
    .element(
      "nav",
      [
        .class("switch"), .set("data-key", "switch"),
        .set("aria-label", Words("Phones", zh: "手机")(language)),
      ],
      snapshot.phones.map { phone in
        .element(
          "a",
          [
            .href(target(phone: phone.name)), .set("data-view", ""),
            .set("data-key", "phone-" + phone.name.rawValue),
          ] + (phone.name == self.phone?.name ? [.set("aria-current", "true")] : []),
          [.text(name(of: phone.name))]
        )
      }
        + (snapshot.phone(.second) == nil
          ? [
            button(
              "secondPhone",
              "quiet",
              [],
              [
                say("Give her a second phone", zh: "给她第二部手机")
              ]
            )
          ] : [])
    )
  }

  private func statusBar(_ phone: DemoSnapshot.Phone) -> Markup {
    let network =
      phone.isOnline
      ? Words("Connected", zh: "已联网")(language) : Words("No network", zh: "无网络")(language)
    return .element(
      "div",
      [.class("status"), .set("data-key", "status")],
      [
        .element("span", [.class("time")], [.text(time(snapshot.now))]),
        .element("span", [.class("island"), .set("aria-hidden", "true")]),
        .element(
          "span",
          [.class("network")],
          [
            (phone.isOnline ? Icon.wifi : .plane).markup,
            .element("span", [.class("heard")], [.text(network)]),
          ]
        ),
      ]
    )
  }

  private func homeBar(_ phone: DemoSnapshot.Phone) -> Markup {
    guard showsApp(phone) else {
      return .element("div", [.class("homebar"), .set("data-key", "homebar")])
    }
    return .element(
      "div",
      [.class("homebar"), .set("data-key", "homebar")],
      [
        button(
          "leave",
          "bar",
          [],
          [
            .element("span", [.class("heard")], [say("Leave the app", zh: "离开 App")])
          ]
        )
      ]
    )
  }

  // MARK: The home screen

  private func home(_ phone: DemoSnapshot.Phone) -> [Markup] {
    let title: Markup =
      phone.isRunning
      ? say("Return to Tidepool", zh: "回到潮池") : say("Open Tidepool", zh: "打开潮池")
    return [
      .element(
        "div",
        [.class("home"), .set("data-key", "home")],
        [
          .element(
            "p",
            [.class("clock"), .set("aria-hidden", "true")],
            [
              .text(time(snapshot.now))
            ]
          ),
          .element("p", [.class("date")], [.text(day(snapshot.now))]),
          note(phone),
          button(
            phone.isRunning ? "comeBack" : "launch",
            "app-icon",
            [],
            [
              .element("span", [.class("tile")], [Icon.wave.markup]),
              .element("span", [.class("label")], [title]),
            ]
          ),
        ]
      )
    ]
  }

  /// What became of the app.
  private func note(_ phone: DemoSnapshot.Phone) -> Markup {
    let text: Markup
    if phone.isRunning {
      text = say(
        "The app is in the background: none of its code runs.",
        zh: "App 在后台：代码暂停运行。"
      )
    } else if let death = phone.lastDeath {
      text = .many([
        say("The app was killed: ", zh: "App 被终止："),
        .text(Self.words(ofDeath: death)(language)),
      ])
    } else {
      text = say("The app was killed.", zh: "App 已被终止。")
    }
    return .element("p", [.class("obituary"), .set("role", "status")], [text])
  }

  /// Where an app died, in words.
  static func words(ofDeath step: String) -> Words {
    switch step {
    case "afterPurchase": Words("paid, before it heard of it.", zh: "已付款，App 尚未得知。")
    case "beforeRequest": Words("saved, before the server was asked.", zh: "已保存，尚未询问服务器。")
    case "beforeDelivery": Words("just before the goods.", zh: "即将交付商品时。")
    case "beforeFinish":
      Words("goods handed over, the store not told.", zh: "商品已交付，尚未告知商店。")
    default: Words(step + ".", zh: step + "。")
    }
  }

  // MARK: The app

  private func app(_ phone: DemoSnapshot.Phone) -> [Markup] {
    guard let screens = phone.screens else { return [] }
    return [
      .element(
        "div",
        [.class("app tab-" + view.tab.rawValue), .set("data-key", "app-" + view.tab.rawValue)],
        [message(screens), content(screens, phone)]
      ),
      .element(
        "nav",
        [
          .class("tabbar"), .set("data-key", "tabbar"),
          .set("aria-label", Words("App", zh: "App")(language)),
        ],
        [
          tab(.shop, .bag, say("Shop", zh: "商店")), tab(.plus, .star, "Plus"),
          tab(.mine, .person, say("Mine", zh: "我的")),
        ]
      ),
    ]
  }

  private func tab(_ tab: View.Tab, _ icon: Icon, _ title: Markup) -> Markup {
    .element(
      "a",
      [.href(target(tab: tab)), .set("data-view", ""), .set("data-key", "tab-" + tab.rawValue)]
        + (tab == view.tab ? [.set("aria-current", "page")] : []),
      [icon.markup, .element("span", [], [title])]
    )
  }

  private func content(_ screens: DemoSnapshot.Screens, _ phone: DemoSnapshot.Phone) -> Markup {
    switch view.tab {
    case .shop: shop(screens, phone)
    case .plus: plans(screens)
    case .mine: mine(screens, phone)
    }
  }

  /// What the app's screens have to say.
  private func message(_ screens: DemoSnapshot.Screens) -> Markup {
    let texts = [
      screens.shop.messageText, screens.plans.messageText, screens.status.message,
      screens.open.messageText,
    ].compactMap { $0 }
    return .element(
      "div",
      [.class("message"), .set("role", "status"), .set("data-key", "message")],
      texts.first.map { text in
        [
          .element("p", [], [.text(text)]),
          button("dismiss", "plain", [], [.text(screens.plans.dismissTitle)]),
        ]
      } ?? []
    )
  }
}
