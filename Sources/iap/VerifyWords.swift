import IAPSignatures

/// What a failed rule means, in words for whoever helps a customer.
enum VerifyWords {
  /// The meaning of a rule's failure.
  ///
  /// - Parameter rule: The rule.
  /// - Returns: One or two sentences; a general one for rules that are not known here.
  static func explanation(of rule: Rule) -> Words { known[rule] ?? general }

  /// The rules that have words of their own.
  static var rules: Set<Rule> { Set(known.keys) }

  private static let general = Words(
    "Signed data from the App Store follows this rule; do not deliver anything for this.",
    zh: "App Store 的签名数据都满足此规则；请勿据此交付。"
  )

  private static let known: [Rule: Words] = text.merging(chain) { first, _ in first }
    .merging(claims) { first, _ in first }
    .merging(receipt) { first, _ in first }

  private static let text: [Rule: Words] = [
    .format: Words(
      "The text is damaged: cut off, mailed with line breaks, or not signed data at all. "
        + "Ask for it again, as a file.",
      zh: "文本已损坏：被截断、邮件中插入了换行，或根本不是签名数据。请以文件形式重新获取。"
    ),
    .limits: Words(
      "It is far larger, or nested far deeper, than anything the App Store sends.",
      zh: "远大于 App Store 发送的任何内容，或嵌套过深。"
    ),
    .header: Words(
      "The first part of the text is damaged or made up.",
      zh: "文本的第一部分已损坏或系伪造。"
    ),
    .payload: Words(
      "What was signed cannot be read as what it should be.",
      zh: "签名的内容无法按应有的格式读取。"
    ),
    .duplicateMembers: Words(
      "It says one thing twice, perhaps differently. The App Store never does.",
      zh: "同一项出现两次，可能互相矛盾。App Store 从不如此。"
    ),
    .algorithm: Words(
      "It is signed in a way that the App Store does not use: a forgery.",
      zh: "签名方式并非 App Store 所用：系伪造。"
    ),
    .criticalHeader: Words(
      "It demands a feature that the App Store does not use.",
      zh: "它要求 App Store 并不使用的功能。"
    ),
    .signatureLength: Words(
      "The signature has an impossible length: damaged or forged.",
      zh: "签名长度不对：已损坏或系伪造。"
    ),
    .signature: Words(
      "Somebody changed the data after it was signed, or made it up. Do not deliver.",
      zh: "数据在签名后被改动，或系伪造。请勿交付。"
    ),
  ]

  private static let chain: [Rule: Words] = [
    .chainLength: Words(
      "The certificates that prove who signed are missing or too many. Data of Xcode looks so, "
        + "and so do forgeries.",
      zh: "证明签名者身份的证书缺失或过多。Xcode 的测试数据和伪造数据都是如此。"
    ),
    .revocation: Words(
      "The authority says that the certificate must not be trusted any more. Do not deliver.",
      zh: "证书机构已声明该证书不再可信。请勿交付。"
    ),
    .certificates: Words(
      "A certificate in it is damaged.",
      zh: "其中的证书已损坏。"
    ),
    .trustedRoot: Words(
      "It was not signed by Apple, or by a simulated store whose root was not given (--root).",
      zh: "并非由 Apple 签名；若由模拟商店签名，则未用 --root 给出其根证书。"
    ),
    .pinnedThirdCertificate: Words(
      "It names another root certificate than the trusted one.",
      zh: "其所附根证书不是受信任的根证书。"
    ),
    .issuerNames: Words(
      "The certificates do not belong together.",
      zh: "各证书互不匹配。"
    ),
    .chainSignatures: Words(
      "A certificate in it is forged.",
      zh: "其中的证书系伪造。"
    ),
    .chainAlgorithms: Words(
      "A certificate in it is signed too weakly.",
      zh: "其中的证书签名强度不足。"
    ),
    .leafMarker: Words(
      "The signer has a certificate under this root, but not for signing purchases.",
      zh: "签名者虽有此根证书下的证书，但不可用于为购买签名。"
    ),
    .intermediateMarker: Words(
      "The signer's authority may not issue certificates for signing purchases.",
      zh: "签发机构无权签发用于购买签名的证书。"
    ),
    .authority: Words(
      "A certificate was used for issuing others although it may not.",
      zh: "某证书无权签发其他证书却被如此使用。"
    ),
    .keyUsage: Words(
      "A key was used for what it is not meant for.",
      zh: "密钥被用于其用途之外。"
    ),
    .criticalExtensions: Words(
      "A certificate carries a condition that is not known here.",
      zh: "某证书带有未知的强制条件。"
    ),
    .validity: Words(
      "A certificate was not valid at the instant that counts. For data that was kept for long, "
        + "judge at the signing date: --at signed.",
      zh: "证书在判断时刻无效。对于保存已久的数据，请按签名时间判断：--at signed。"
    ),
    .leafKey: Words(
      "The signing key is of another kind than the App Store's.",
      zh: "签名密钥的种类与 App Store 不符。"
    ),
  ]

  private static let claims: [Rule: Words] = [
    .kind: Words(
      "It is data of another kind than asked for, or of none. --kind says which is expected.",
      zh: "这是另一种类的数据，或不属于任何种类。可用 --kind 指明所期望的种类。"
    ),
    .signedDate: Words(
      "Without a signing date it cannot be put in order with other data.",
      zh: "没有签名时间，无法与其他数据排序。"
    ),
    .bundle: Words(
      "It is a purchase in another app. Somebody sent it to the wrong place, or tries it on.",
      zh: "这是另一个 App 的购买：可能发错了地方，也可能有人在试探。"
    ),
    .appAppleID: Words(
      "It is for another app by Apple's number.",
      zh: "按 Apple 的编号，它属于另一个 App。"
    ),
    .environment: Words(
      "It comes from another environment, or does not say from which. A sandbox purchase is a "
        + "test and costs nothing: it must not unlock anything in production.",
      zh: "环境不符或未注明。沙盒购买只是测试，不花钱：不得在生产环境中解锁任何内容。"
    ),
    .agreement: Words(
      "What is inside belongs to another app, environment or subscription than the notification.",
      zh: "内含的数据与通知属于不同的 App、环境或订阅。"
    ),
  ]

  private static let receipt: [Rule: Words] = [
    .container: Words(
      "This is no receipt, or a damaged one.",
      zh: "这不是收据，或收据已损坏。"
    ),
    .signers: Words(
      "A receipt is signed once, by the App Store alone.",
      zh: "收据只由 App Store 签名一次。"
    ),
    .digest: Words(
      "It is signed too weakly, or in a way that the App Store does not use.",
      zh: "签名强度不足，或签名方式并非 App Store 所用。"
    ),
    .signerCertificate: Words(
      "The certificate that proves who signed is missing.",
      zh: "缺少证明签名者身份的证书。"
    ),
    .signedAttributes: Words(
      "Somebody changed the receipt after it was signed.",
      zh: "收据在签名后被改动。"
    ),
    .repeatedAttributes: Words(
      "It says one thing twice, perhaps differently. The App Store never does.",
      zh: "同一项出现两次，可能互相矛盾。App Store 从不如此。"
    ),
    .deviceHash: Words(
      "The receipt was made for another device: it may have been copied.",
      zh: "收据属于另一台设备：可能是复制而来。"
    ),
  ]
}
