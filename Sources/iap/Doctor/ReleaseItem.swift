/// Something before a release that only a person can look at.
struct ReleaseItem: Sendable {
  /// A stable word.
  let code: String
  /// The question.
  let look: Words
  /// Where to look.
  let place: Words

  /// The list, in the order in which it is walked.
  static let all: [ReleaseItem] = [
    ReleaseItem(
      code: "agreements",
      look: Words(
        "Is the Paid Apps agreement active, with tax forms and a bank account?",
        zh: "“付费 App”协议是否已生效，税务表格和银行账户是否齐全？"
      ),
      place: Words(
        "App Store Connect, Business. Without it no product is ever found, without an error.",
        zh: "App Store Connect 的“商务”。否则查询不到任何商品，也没有报错。"
      )
    ),
    ReleaseItem(
      code: "products",
      look: Words(
        "Is every product Ready to Submit, and are the first ones added to the app's version?",
        zh: "每个商品是否为“准备提交”，首批商品是否已添加到该 App 版本？"
      ),
      place: Words(
        "App Store Connect, the version's page, In-App Purchases and Subscriptions.",
        zh: "App Store Connect 版本页面的“App 内购买项目和订阅”。"
      )
    ),
    ReleaseItem(
      code: "pictures",
      look: Words(
        "Has every product a name, a description and a picture for the review?",
        zh: "每个商品是否有名称、描述和审核截图？"
      ),
      place: Words(
        "iap catalog check FILE --pictures FOLDER",
        zh: "iap catalog check FILE --pictures FOLDER"
      )
    ),
    ReleaseItem(
      code: "restore",
      look: Words("Is there a button that restores purchases?", zh: "是否有恢复购买按钮？"),
      place: Words("App Review guideline 3.1.1.", zh: "App 审核指南 3.1.1。")
    ),
    ReleaseItem(
      code: "terms-shown",
      look: Words(
        "Does the subscription screen show price, period, renewal, terms of use and privacy "
          + "policy?",
        zh: "订阅界面是否显示价格、周期、自动续期、使用条款和隐私政策？"
      ),
      place: Words("App Review guideline 3.1.2 and schedule 2.", zh: "App 审核指南 3.1.2 与附件二。")
    ),
    ReleaseItem(
      code: "review-notes",
      look: Words(
        "Do the review notes say where the purchases are, with an account to sign in?",
        zh: "审核备注是否说明购买入口并提供登录账户？"
      ),
      place: Words(
        "App Store Connect, App Review Information.",
        zh: "App Store Connect 的“App 审核信息”。"
      )
    ),
    ReleaseItem(
      code: "notification-urls",
      look: Words(
        "Are both notification URLs set, version 2, and is the sandbox one this server's as well?",
        zh: "两个通知网址是否均已设置为第 2 版，沙盒网址是否也指向本服务器？"
      ),
      place: Words(
        "App Store Connect, App Information, App Store Server Notifications.",
        zh: "App Store Connect 的“App 信息 > App Store 服务器通知”。"
      )
    ),
    ReleaseItem(
      code: "deletion",
      look: Words(
        "Can an account be deleted in the app, and does the backend erase the customer here?",
        zh: "App 内能否删除账户，后端是否同时在此抹除客户数据？"
      ),
      place: Words(
        "DELETE /v1/customers/ID; guideline 5.1.1.",
        zh: "DELETE /v1/customers/ID；审核指南 5.1.1。"
      )
    ),
    ReleaseItem(
      code: "device",
      look: Words(
        "Was the list for devices walked with sandbox testers?",
        zh: "是否已用沙盒测试员完成真机检查清单？"
      ),
      place: Words("docs/on-device-checklist.md", zh: "docs/on-device-checklist.md")
    ),
  ]
}
