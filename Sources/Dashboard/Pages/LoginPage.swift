import HTTPValues

/// The page before the pages.
struct LoginPage {
  let viewer: Viewer
  let token: String
  let next: MarkupTarget?
  let problem: Words?
  let isSimulated: Bool

  func markup(_ assets: Assets) -> Markup {
    let title = Words("Log in", zh: "登录")
    let target = MarkupTarget("/dashboard/login", next.map { [("next", $0.text)] } ?? [])
    let error: Markup =
      problem.map {
        .element(
          "p",
          [.class("notice bad"), .set("role", "alert"), .id("problem")],
          [Mark.bad.markup, .text(viewer($0))]
        )
      } ?? .nothing
    let described: [MarkupAttribute] =
      problem == nil ? [] : [.set("aria-describedby", "problem")]
    return Self.bare(
      viewer,
      assets,
      title,
      [
        error,
        .element(
          "form",
          [.set("method", "post"), .action(target), .class("stack")],
          [
            .hidden("token", token),
            nameField(described), passwordField(described),
            .button(viewer(title), "primary"),
          ]
        ),
        .element(
          "p",
          [.class("muted small")],
          [
            .text(
              viewer(
                Words(
                  "Accounts are made with 'iap operators add' on the server.",
                  zh: "账户在服务器上用“iap operators add”创建。"
                )
              )
            )
          ]
        ),
      ]
    )
  }

  private func nameField(_ described: [MarkupAttribute]) -> Markup {
    .field(
      viewer(Words("Name", zh: "用户名")),
      .element(
        "input",
        [
          .set("name", "name"), .id("name"), .set("autocomplete", "username"),
          .on("required"), .on("autofocus"), .set("maxlength", "64"),
          .set("autocapitalize", "none"), .set("spellcheck", "false"),
        ] + described
      ),
      for: "name"
    )
  }

  private func passwordField(_ described: [MarkupAttribute]) -> Markup {
    .field(
      viewer(Words("Password", zh: "密码")),
      .element(
        "input",
        [
          .set("name", "password"), .id("password"), .set("type", "password"),
          .set("autocomplete", "current-password"), .on("required"),
          .set("maxlength", "1024"),
        ] + described
      ),
      for: "password"
    )
  }

  /// A page for who is not logged in, or for what went wrong.
  static func bare(
    _ viewer: Viewer,
    _ assets: Assets,
    _ title: Words,
    _ content: [Markup]
  ) -> Markup {
    let switches = Language.allCases.filter { $0 != viewer.language }.map { language in
      Markup.element(
        "a",
        [
          .href(MarkupTarget("/dashboard/login", [("language", language.rawValue)])),
          .set("lang", language.rawValue), .set("hreflang", language.rawValue),
        ],
        [.text(language.name)]
      )
    }
    return .element(
      "html",
      [.set("lang", viewer.language.rawValue)],
      [
        Frame.head(viewer(title), assets),
        .element(
          "body",
          [.class("bare")],
          [
            .element(
              "main",
              [.id("main"), .class("door")],
              [
                .element("p", [.class("brand")], [Frame.sign, .text("IAPKit")]),
                .element("h1", [], [.text(viewer(title))]),
              ] + content
            ),
            .element("footer", [.class("door-foot")], switches),
          ]
        ),
      ]
    )
  }

  /// What went wrong, in words.
  static func failure(_ error: DashboardError, _ viewer: Viewer, _ assets: Assets) -> Markup {
    let (title, text) = words(error.code)
    return bare(
      viewer,
      assets,
      title,
      [
        .element("p", [], [.text(viewer(text))]),
        .element(
          "p",
          [],
          [
            .element(
              "a",
              [.href(MarkupTarget("/dashboard/overview"))],
              [.text(viewer(Words("To the overview", zh: "返回概览")))]
            )
          ]
        ),
      ]
    )
  }

  private static func words(_ code: DashboardError.Code) -> (Words, Words) {
    switch code {
    case .notFound:
      (
        Words("Nothing here", zh: "未找到"),
        Words(
          "There is nothing of that name, or you may not see it.",
          zh: "没有该名称的内容，或您无权查看。"
        )
      )
    case .forbidden:
      (
        Words("Not allowed", zh: "无权限"),
        Words(
          "Your account may not do that. Ask for the role 'act'.",
          zh: "您的账户无权执行此操作，请申请“act”角色。"
        )
      )
    case .formRefused:
      (
        Words("The form is out of date", zh: "表单已失效"),
        Words(
          "Nothing was changed. Go back, load the page again and repeat.",
          zh: "未作任何更改。请返回、重新加载页面后再试。"
        )
      )
    case .conflict:
      (
        Words("Somebody was faster", zh: "已被他人更改"),
        Words(
          "What is there contradicts that, or somebody changed it meanwhile.",
          zh: "现有内容与此冲突，或在此期间已被他人更改。"
        )
      )
    case .unusable:
      (
        Words("That cannot be used", zh: "输入无效"),
        Words("Nothing was changed: a value was missing or wrong.", zh: "未作更改：有值缺失或错误。")
      )
    case .unsupported:
      (
        Words("Not possible here", zh: "此处不支持"),
        Words(
          "This server's configuration names no key for that.",
          zh: "此服务器的配置没有所需的密钥。"
        )
      )
    default:
      (
        Words("Not possible at the moment", zh: "暂时无法处理"),
        Words("It was not possible to look or to store. Try again.", zh: "暂时无法读取或保存，请重试。")
      )
    }
  }
}
