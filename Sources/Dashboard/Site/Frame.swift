import EntitlementServer
import Foundation
import HTTPValues
import IAPModel
import ServerStorage

/// What stands around every page: head, menu, choice of app, foot.
struct Frame {
  let visit: Visit
  let page: Page
  let assets: Assets

  private var viewer: Viewer { visit.viewer }

  var markup: Markup {
    var attributes: [MarkupAttribute] = [.id("main"), .set("tabindex", "-1")]
    if let seconds = page.refreshSeconds { attributes.append(.set("data-refresh", "\(seconds)")) }
    return .element(
      "html",
      [.set("lang", viewer.language.rawValue)],
      [
        Self.head(viewer(page.title), assets),
        .element(
          "body",
          [],
          [
            .element(
              "a",
              [.class("skip"), .href(MarkupTarget(fragment: "main"))],
              [visit.say("Skip to the content", zh: "跳到内容")]
            ),
            top,
            .element(
              "div",
              [.class("frame")],
              [
                menu,
                .element(
                  "main",
                  attributes,
                  [notice, .element("h1", [], [.text(viewer(page.title))])] + page.content
                ),
              ]
            ),
            foot,
          ]
        ),
      ]
    )
  }

  static func head(_ title: String, _ assets: Assets) -> Markup {
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
        .element("meta", [.set("name", "robots"), .set("content", "noindex")]),
        .element("title", [], [.text("\(title) · IAPKit")]),
        .element("link", [.set("rel", "icon"), .href(assets.icon)]),
        .element("link", [.set("rel", "stylesheet"), .href(assets.style)]),
        .element("script", [.src(assets.script), .on("defer")]),
      ]
    )
  }

  /// The mark beside the name.
  static let sign = Markup.element(
    "svg",
    [
      .class("sign"), .set("viewBox", "0 0 24 24"), .set("aria-hidden", "true"),
      .set("focusable", "false"),
    ],
    [
      .element(
        "path",
        [
          .set(
            "d",
            "M4 7h16l-1.4 12.2a2 2 0 0 1-2 1.8H7.4a2 2 0 0 1-2-1.8zM8.5 9V6.5a3.5 3.5 0 0 1 7 0V9"
          )
        ]
      ),
      .element("path", [.class("tick"), .set("d", "m9 14.2 2.2 2.2 4-4.4")]),
    ]
  )

  private var notice: Markup {
    guard let word = visit.query("done"), let words = Self.done[word] else { return .nothing }
    return .element(
      "p",
      [.class("notice good"), .set("role", "status")],
      [Mark.good.markup, visit.say(words)]
    )
  }

  /// What was done, by the word behind a redirect.
  private static let done: [String: Words] = [
    "decided": Words("The case is decided.", zh: "已完成裁决。"),
    "queued": Words("The events will be sent again.", zh: "事件将重新发送。"),
    "begun": Words("The comparison has begun.", zh: "对账已开始。"),
    "saved": Words("Saved.", zh: "已保存。"),
  ]

  private var top: Markup {
    .element(
      "header",
      [.class("top")],
      [
        .element(
          "a",
          [.class("brand"), .href(visit.link("/dashboard/overview"))],
          [Self.sign, .text("IAPKit")]
        ),
        visit.site.server.configured.isSimulated
          ? Markup.badge(.info, visit.say("Simulated store", zh: "模拟商店")) : .nothing,
        chooser,
        .element(
          "div",
          [.class("who")],
          [
            .element("span", [.class("muted")], [.foreign(visit.person.name.rawValue)]),
            .element(
              "form",
              [.set("method", "post"), .action(MarkupTarget("/dashboard/logout"))],
              [
                .hidden("token", visit.formToken),
                .button(viewer(Words("Log out", zh: "退出")), "quiet"),
              ]
            ),
          ]
        ),
      ]
    )
  }

  /// Chooses app and environment; a form that works without a script.
  private var chooser: Markup {
    var options: [Markup] = []
    for app in visit.apps {
      for environment in EntitlementServer.environments(of: app) {
        let isChosen =
          app.bundleID == visit.scope.app && environment == visit.scope.environment
        options.append(
          .element(
            "option",
            [.set("value", "\(environment.rawValue) \(app.bundleID.rawValue)")]
              + (isChosen ? [.on("selected")] : []),
            [.text("\(app.bundleID.rawValue) · \(viewer(environment.words))")]
          )
        )
      }
    }
    return .element(
      "form",
      [
        .class("chooser"), .set("method", "get"), .action(MarkupTarget("/dashboard/choose")),
        .set("data-auto", ""),
      ],
      [
        .hidden("to", page.section?.rawValue ?? Section.overview.rawValue),
        .element(
          "label",
          [.set("for", "scope"), .class("hidden")],
          [visit.say("App and environment", zh: "App 与环境")]
        ),
        .element("select", [.id("scope"), .set("name", "scope")], options),
        .button(viewer(Words("Show", zh: "查看")), "quiet"),
      ]
    )
  }

  private var menu: Markup {
    let items = Section.allCases.map { section in
      Markup.element(
        "li",
        [],
        [
          .element(
            "a",
            [.href(visit.link(section.path))]
              + (section == page.section ? [.set("aria-current", "page")] : []),
            [visit.say(section.title)]
          )
        ]
      )
    }
    return .element(
      "nav",
      [.class("menu"), .set("aria-label", viewer(Words("Sections", zh: "栏目")))],
      [.element("ul", [], items)]
    )
  }

  private var foot: Markup {
    let languages = Language.allCases.map { language in
      Markup.element(
        "a",
        [
          .href(visit.here([("language", language.rawValue)])),
          .set("lang", language.rawValue), .set("hreflang", language.rawValue),
        ] + (language == viewer.language ? [.set("aria-current", "true")] : []),
        [.text(language.name)]
      )
    }
    return .element(
      "footer",
      [.class("foot")],
      [
        .element("p", [.class("languages")], languages),
        .element(
          "p",
          [.class("muted")],
          [
            visit.say("Times in", zh: "时区："), " ", .text(viewer.zoneName), " · ",
            .element(
              "a",
              [.href(visit.link("/dashboard/settings"))],
              [visit.say("Settings", zh: "设置")]
            ),
          ]
        ),
      ]
    )
  }
}

extension StoreEnvironment {
  /// What people call it.
  var words: Words {
    switch self {
    case .production: Words("Production", zh: "正式环境")
    case .sandbox: Words("Sandbox", zh: "沙盒")
    default: Words(verbatim: rawValue)
    }
  }
}
