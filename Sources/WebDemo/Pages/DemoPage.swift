import Foundation
import HTTPValues
import IAPKit
import IAPModel

/// The page, from a snapshot: pure.
struct DemoPage: Sendable {
  /// What one visitor looks at.
  struct View: Hashable, Sendable {
    /// A screen of the app.
    enum Tab: String, Hashable, Sendable, CaseIterable {
      case shop, plus, mine
    }

    var phone = DemoPhone.Name.first
    var tab = Tab.shop
    var language = IAPError.Language.english
  }

  let snapshot: DemoSnapshot
  let view: View
  let version: Int
  let formToken: String
  let dashboard: DemoWorld.Dashboard?

  var language: IAPError.Language { view.language }

  /// The telephone that is looked at; the first when there is no second.
  var phone: DemoSnapshot.Phone? { snapshot.phone(view.phone) ?? snapshot.phones.first }

  func say(_ english: String, zh chinese: String) -> Markup {
    .text(Words(english, zh: chinese)(language))
  }

  /// Where a link within the page leads.
  func target(phone: DemoPhone.Name? = nil, tab: View.Tab? = nil) -> MarkupTarget {
    MarkupTarget(
      "/",
      [("on", (phone ?? view.phone).rawValue), ("tab", (tab ?? view.tab).rawValue)]
    )
  }

  /// A button of the page's one form.
  ///
  /// - Parameters:
  ///   - action: What it does, as the form sends it.
  ///   - classes: Its classes.
  ///   - extra: Further attributes.
  ///   - content: What is written on it.
  /// - Returns: The button.
  func button(
    _ action: String,
    _ classes: String = "button",
    _ extra: [MarkupAttribute] = [],
    _ content: [Markup]
  ) -> Markup {
    .element(
      "button",
      [
        .set("type", "submit"), .set("form", "act"), .set("name", "do"), .set("value", action),
        .class(classes), .set("data-key", "do-" + action),
      ] + extra,
      content
    )
  }

  // MARK: The whole

  /// The whole page, written out.
  var document: [UInt8] {
    .init(
      Markup.page(
        .element("html", [.set("lang", language.rawValue)], [head, body])
      )
    )
  }

  private var head: Markup {
    .element(
      "head",
      [],
      [
        .element("meta", [.set("charset", "utf-8")]),
        .element(
          "meta",
          [.set("name", "viewport"), .set("content", "width=device-width, initial-scale=1")]
        ),
        .element("meta", [.set("name", "color-scheme"), .set("content", "light dark")]),
        .element("title", [], [say("IAPKit demo: a purchase, live", zh: "IAPKit 演示：一笔购买的全过程")]),
        .element("link", [.set("rel", "icon"), .href(MarkupTarget("/icon.svg"))]),
        .element("link", [.set("rel", "stylesheet"), .href(MarkupTarget("/demo.css"))]),
        .element("script", [.src(MarkupTarget("/demo.js")), .on("defer")]),
      ]
    )
  }

  private var body: Markup {
    .element(
      "body",
      [.set("data-version", "\(version)")],
      [
        .element(
          "a",
          [.class("skip"), .href(MarkupTarget(fragment: "life"))],
          [say("Skip to the orders", zh: "跳到订单")]
        ),
        top,
        .element(
          "main",
          [.class("stage")],
          [
            area("phone", [], phoneArea),
            area("world", [.set("aria-labelledby", "world-title")], worldArea),
            area("life", [.set("aria-labelledby", "life-title")], lifeArea),
          ]
        ),
        form,
        .element(
          "p",
          [.id("ended"), .class("ended"), .set("role", "alert"), .on("hidden")],
          [
            say("The demo has ended. Start it again with make demo.", zh: "演示已结束。用 make demo 重新启动。")
          ]
        ),
      ]
    )
  }

  private func area(
    _ name: StaticString,
    _ attributes: [MarkupAttribute],
    _ content: [Markup]
  ) -> Markup {
    .element(
      "section",
      [.id("\(name)"), .class("area-\(name)")] + attributes
        + ("\(name)" == "phone" ? [.set("aria-labelledby", "phone-title")] : []),
      content
    )
  }

  private var top: Markup {
    .element(
      "header",
      [.class("top")],
      [
        .element(
          "h1",
          [],
          [
            .element("span", [.class("mark"), .set("aria-hidden", "true")], [Icon.wave.markup]),
            "IAPKit",
          ]
        ),
        .element(
          "p",
          [.class("tagline")],
          [
            say(
              "The real client on a simulated iPhone. Break what you like; nothing gets lost.",
              zh: "真实的客户端，模拟的 iPhone、商店与服务器。尽管折腾，订单不会丢。"
            )
          ]
        ),
        .element(
          "nav",
          [.class("languages"), .set("aria-label", Words("Language", zh: "语言")(language))],
          [languageLink(.english, "English"), languageLink(.simplifiedChinese, "中文")]
        ),
      ]
    )
  }

  private func languageLink(_ other: IAPError.Language, _ name: String) -> Markup {
    .element(
      "a",
      [
        .href(
          MarkupTarget(
            "/",
            [
              ("lang", other.rawValue), ("on", view.phone.rawValue), ("tab", view.tab.rawValue),
            ]
          )
        ),
        .set("lang", other.rawValue), .set("hreflang", other.rawValue),
      ] + (other == language ? [.set("aria-current", "true")] : []),
      [.text(name)]
    )
  }

  /// The one form: buttons anywhere on the page belong to it.
  private var form: Markup {
    .element(
      "form",
      [.id("act"), .set("method", "post"), .action(MarkupTarget("/act"))],
      [
        hidden("token", formToken), hidden("on", view.phone.rawValue),
        hidden("tab", view.tab.rawValue),
      ]
    )
  }

  private func hidden(_ name: String, _ value: String) -> Markup {
    .element("input", [.set("type", "hidden"), .set("name", name), .set("value", value)])
  }

  // MARK: Dates

  func time(_ date: Date) -> String { Self.format("HH:mm", date, language) }

  func day(_ date: Date) -> String {
    Self.format(language == .english ? "EEE, MMM d, y" : "y年M月d日 EEE", date, language)
  }

  private static func format(
    _ pattern: String,
    _ date: Date,
    _ language: IAPError.Language
  ) -> String {
    let format = DateFormatter()
    format.locale = Locale(identifier: language == .english ? "en_US" : "zh_Hans_CN")
    format.timeZone = .gmt
    format.dateFormat = pattern
    return format.string(from: date)
  }
}
