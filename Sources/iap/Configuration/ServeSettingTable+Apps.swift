// What can be set for an app.
extension ServeSettingTable {
  static let apps: [ServeSetting] =
    [
      ServeSetting(
        "apps",
        .list,
        usual: "[]",
        "The apps that the server works for; at least one.",
        zh: "服务器所服务的 App；至少一个。"
      ),
      ServeSetting(
        "apps[].bundle",
        .text,
        isRequired: true,
        "The app's bundle identifier.",
        zh: "App 的 Bundle ID。"
      ),
      ServeSetting(
        "apps[].appAppleId",
        .integer(1...Int64.max),
        "The app's number at Apple (App Store Connect, App Information); needed for production.",
        zh: "App 的 Apple ID（App Store Connect 的“App 信息”）；生产环境必需。"
      ),
      ServeSetting(
        "apps[].environments",
        .words(["Production", "Sandbox"]),
        usual: "[\"Production\",\"Sandbox\"]",
        "Whose data is taken; the two are kept apart.",
        zh: "接受哪些环境的数据；两者彼此分开。"
      ),
      ServeSetting(
        "apps[].transfers",
        .word(["keep", "transfer", "share"]),
        usual: "\"keep\"",
        "What happens when another customer presents a purchase that has an owner.",
        zh: "其他客户出示已有归属的购买时的处理方式。"
      ),
      ServeSetting(
        "apps[].accounts",
        .word(["proven", "claimed"]),
        usual: "\"proven\"",
        "When a client's word about its account counts: with a customer token or the secret key "
          + "only, "
          + "or with any genuine purchase (for apps without a backend whose account names nobody "
          + "can guess).",
        zh: "客户端自称的账户何时算数：仅凭客户令牌或私密密钥（proven），或凭任何真实购买（claimed，"
          + "适用于没有后端且账户名无法猜测的 App）。"
      ),
    ] + products + access

  private static let products: [ServeSetting] = [
    ServeSetting(
      "apps[].onlyHighestLevelCounts",
      .flag,
      usual: "false",
      "Whether of several subscriptions of a group only the highest level gives entitlements.",
      zh: "同一订阅组内是否只有最高级别提供权益。"
    ),
    ServeSetting(
      "apps[].products",
      .map,
      "What each product gives, by its identifier; without an entry it gives an entitlement of its "
        + "own name. `PUT /v1/catalog` wins over the entries.",
      zh: "各商品（按标识符）提供什么；没有条目时提供同名权益。PUT /v1/catalog 优先。"
    ),
    ServeSetting(
      "apps[].products.*",
      .object,
      "One product.",
      zh: "一个商品。"
    ),
    ServeSetting(
      "apps[].products.*.entitlements",
      .texts,
      "The entitlements that it gives.",
      zh: "所提供的权益。"
    ),
    ServeSetting(
      "apps[].products.*.level",
      .integer(1...Int64(Int.max)),
      "Its level in its group; 1 is the highest.",
      zh: "组内级别，1 为最高。"
    ),
    ServeSetting(
      "apps[].products.*.accessPeriod",
      .period,
      "How long a non-renewing subscription lasts.",
      zh: "非续期订阅的有效时长。"
    ),
  ]

  private static let access: [ServeSetting] =
    key(
      "appStoreKey",
      "The key that asks the App Store's server: bare transaction ids, order numbers, "
        + "reconciliation and `iap doctor` need it. It is tested at the start.",
      zh: "用于询问 App Store 服务器的密钥：单独的交易 ID、订单号、对账和“iap doctor”都需要它。启动时会测试。"
    )
    + key(
      "offerKey",
      "The key that signs promotional offers; it may be the same one.",
      zh: "签署促销优惠的密钥；可与上一项相同。"
    ) + [
      ServeSetting(
        "apps[].sharedSecretFile",
        .secretFile,
        "The file with the app's shared secret, which notifications of version 1 and requests to "
          + "`/verifyReceipt` have to show then.",
        zh: "内含 App 共享密钥的文件；设置后，第 1 版通知和 /verifyReceipt 请求必须出示它。"
      ),
      ServeSetting(
        "apps[].verifyReceipt",
        .flag,
        usual: "false",
        "Asks Apple's old service about receipts that cannot be judged here.",
        zh: "向 Apple 的旧服务查询本地无法判断的收据。"
      ),
      ServeSetting(
        "apps[].consumption",
        .object,
        "Answers the App Store's questions when a customer asks for a refund, and says with it "
          + "that customers have agreed to that.",
        zh: "当客户申请退款时回答 App Store 的询问，并声明客户已同意。"
      ),
      ServeSetting(
        "apps[].consumption.customersConsented",
        .agreement,
        isRequired: true,
        "That customers have agreed.",
        zh: "客户已同意。"
      ),
      ServeSetting(
        "apps[].consumption.sampleProvided",
        .flag,
        isRequired: true,
        "Whether a sample could be tried before the purchase.",
        zh: "购买前是否可以试用。"
      ),
      ServeSetting(
        "apps[].consumption.refundPreference",
        .word(["DECLINE", "GRANT_FULL"]),
        "What is wished for; nothing when it is left out.",
        zh: "对退款的意愿；不写则不表态。"
      ),
    ]

  private static func key(_ name: String, _ english: String, zh chinese: String) -> [ServeSetting] {
    [
      ServeSetting("apps[].\(name)", .object, english, zh: chinese),
      ServeSetting(
        "apps[].\(name).keyId",
        .text,
        isRequired: true,
        "What App Store Connect calls the key: ten letters and digits.",
        zh: "App Store Connect 中的密钥 ID：十位字母或数字。"
      ),
      ServeSetting(
        "apps[].\(name).issuerId",
        .text,
        isRequired: true,
        "Who the team is: the issuer id above the list of keys.",
        zh: "团队的 Issuer ID，见密钥列表上方。"
      ),
      ServeSetting(
        "apps[].\(name).file",
        .secretFile,
        isRequired: true,
        "The `.p8` file of an In-App Purchase key.",
        zh: "App 内购买项目密钥的 .p8 文件。"
      ),
    ]
  }
}
