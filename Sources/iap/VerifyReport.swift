import Foundation
import IAPModel
import IAPSignatures

/// What `iap verify` says: for people, and as JSON.
struct VerifyReport {
  private let call: VerifyCall
  private var kind: Words = ""
  private var kindWord: String?
  private var failures: [RuleFailure] = []
  /// What the bytes are, when they are nothing that can be verified.
  private var unknown: Words?
  private var facts: [(Words, String)] = []
  private var members: [JSONMember] = []
  private(set) var isAccepted = false

  init(call: VerifyCall) { self.call = call }

  /// Refuses what cannot be verified at all.
  mutating func refuse(_ what: Words) { unknown = what }

  /// Refuses before looking, whatever it may be.
  mutating func refuse(_ kind: VerifyCall.Kind?, rule: Rule, reason: String) {
    kindWord = kind?.rawValue
    self.kind = Words("a file that was not looked into", zh: "未经查看的文件")
    let part = kind == .receipt ? SignedPart.receipt : kind?.payload?.part ?? .transaction
    failures = [RuleFailure(part: part, rule: rule, reason: reason)]
  }

  mutating func add(_ verdict: Verdict<TransactionPayload>) {
    name(.transaction, Words("a signed transaction", zh: "签名的交易"))
    guard let verified = take(verdict) else { return }
    add(verified.payload)
    members.append(JSONMember("payload", .object(verified.payload.object)))
  }

  mutating func add(_ verdict: Verdict<RenewalInfoPayload>) {
    name(.renewal, Words("signed renewal info", zh: "签名的续期信息"))
    guard let verified = take(verdict) else { return }
    fact(Words("product", zh: "产品"), verified.payload.productID.rawValue)
    fact(Words("subscription", zh: "订阅"), verified.payload.originalTransactionID.rawValue)
    if let renews = verified.payload.willAutoRenew {
      fact(Words("will renew", zh: "自动续期"), renews ? "yes" : "no")
    }
    members.append(JSONMember("payload", .object(verified.payload.object)))
  }

  mutating func add(_ verdict: Verdict<AppTransactionPayload>) {
    name(.appTransaction, Words("a signed app transaction", zh: "签名的 App 交易"))
    guard let verified = take(verdict) else { return }
    fact(Words("app", zh: "App"), verified.payload.bundleID.rawValue)
    members.append(JSONMember("payload", .object(verified.payload.object)))
  }

  mutating func add(_ verdict: Verdict<NotificationContent>) {
    name(.notification, Words("a notification", zh: "通知"))
    guard let verified = take(verdict) else { return }
    let notification = verified.payload.notification
    let type = [notification.type.rawValue, notification.subtype?.rawValue]
    fact(Words("what happened", zh: "事件"), type.compactMap { $0 }.joined(separator: " / "))
    fact(Words("notification", zh: "通知编号"), notification.uuid.rawValue)
    if let transaction = verified.payload.transaction {
      add(transaction)
    } else if let bundleID = notification.bundleID {
      fact(Words("app", zh: "App"), bundleID.rawValue)
    }
    members.append(JSONMember("payload", .object(notification.object)))
    if let transaction = verified.payload.transaction {
      members.append(JSONMember("transaction", .object(transaction.object)))
    }
    if let renewalInfo = verified.payload.renewalInfo {
      members.append(JSONMember("renewalInfo", .object(renewalInfo.object)))
    }
  }

  mutating func add(_ verdict: Verdict<ReceiptPayload>) {
    name(.receipt, Words("an app receipt", zh: "App 收据"))
    guard let verified = take(verdict) else { return }
    let receipt = verified.payload
    if let bundleID = receipt.bundleID { fact(Words("app", zh: "App"), bundleID.rawValue) }
    fact(Words("purchases", zh: "购买数"), String(receipt.items.count))
    for item in receipt.items.prefix(Self.itemCountShown) {
      let ended = item.cancellationDate.map { ", taken back \(Self.text($0))" } ?? ""
      let until = item.expiresDate.map { ", until \(Self.text($0))" } ?? ""
      fact("", "\(item.productID), transaction \(item.transactionID)\(until)\(ended)")
    }
    if receipt.items.count > Self.itemCountShown { fact("", "…") }
    let items = receipt.items.compactMap { $0.transaction(in: receipt) }
    members.append(JSONMember("purchases", .array(items.map { .object($0.object) })))
  }

  /// Adds a verdict on a text that bears no marks of any kind.
  mutating func addUnknown(_ verdict: Verdict<JSONObject>) {
    kind = Words("a signed text of no known kind", zh: "未知种类的签名文本")
    _ = take(verdict)
    isAccepted = false
  }

  private static let itemCountShown = 10

  private static func text(_ date: Date) -> String { ISO8601DateFormatter().string(from: date) }

  private mutating func name(_ kind: VerifyCall.Kind, _ words: Words) {
    kindWord = kind.rawValue
    self.kind = words
  }

  private mutating func fact(_ name: Words, _ value: String) { facts.append((name, value)) }

  private mutating func add(_ payload: TransactionPayload) {
    fact(Words("app", zh: "App"), payload.bundleID.rawValue)
    let type = payload.type.map { " (\($0))" } ?? ""
    fact(Words("product", zh: "产品"), payload.productID.rawValue + type)
    fact(Words("transaction", zh: "交易"), payload.transactionID.rawValue)
    fact(Words("bought", zh: "购买时间"), Self.text(payload.purchaseDate))
    if let date = payload.expiresDate { fact(Words("until", zh: "到期时间"), Self.text(date)) }
    if let date = payload.revocationDate {
      fact(Words("taken back", zh: "撤销时间"), Self.text(date))
    }
  }

  private mutating func take<Payload>(_ verdict: Verdict<Payload>) -> Verified<Payload>? {
    failures = verdict.failures
    guard let verified = verdict.accepted else { return nil }
    isAccepted = true
    fact(Words("environment", zh: "环境"), verified.environment.rawValue)
    fact(Words("signed", zh: "签名时间"), Self.text(verified.signedDate))
    fact(Words("certificates judged at", zh: "证书判断时间"), Self.text(verified.judgedAt))
    members += [
      JSONMember("environment", .string(verified.environment.rawValue)),
      JSONMember("signedDate", .integer(verified.signedDate.milliseconds)),
      JSONMember("judgedAt", .integer(verified.judgedAt.milliseconds)),
      JSONMember("trust", .string(verified.trust.rawValue)),
      JSONMember("simulated", .bool(verified.isSimulated)),
    ]
    return verified
  }
}

extension VerifyReport {
  /// One JSON object.
  ///
  /// - **Shape:** `verdict`, `kind`; when accepted `environment`, `signedDate`, `judgedAt`,
  ///   `trust`, `simulated` and the payload; when refused `failures`, each with `part`, `rule`,
  ///   `reason` and `explanation`.
  var json: JSONObject {
    var object: JSONObject = ["verdict": .string(isAccepted ? "accepted" : "refused")]
    object["kind"] = kindWord.map { .string($0) } ?? .null
    guard !isAccepted else { return JSONObject(object.members + members) }
    var list = failures.map { failure -> JSONValue in
      [
        "part": .string(failure.part.rawValue), "rule": .string(failure.rule.rawValue),
        "reason": .string(failure.reason),
        "explanation": .string(VerifyWords.explanation(of: failure.rule)(.english)),
      ]
    }
    if let unknown {
      list = [["part": .null, "rule": "kind", "reason": .string(unknown(.english))]]
    }
    object["failures"] = .array(list)
    return object
  }

  /// What a person reads.
  var text: Words { Words(written(.english), zh: written(.simplifiedChinese)) }

  private func written(_ language: Language) -> String {
    if let unknown {
      return Words("REFUSED  nothing to verify: ", zh: "拒绝  无可验证的内容：")(language)
        + unknown(language)
    }
    return isAccepted ? accepted(language) : refused(language)
  }

  /// How wide a terminal shows a text: Chinese characters take two columns.
  private static func columns(_ text: String) -> Int {
    text.unicodeScalars.reduce(0) { $0 + ($1.value >= 0x2E80 ? 2 : 1) }
  }

  /// A text that may quote what somebody forged: it must neither feign lines of this report nor
  /// command the terminal.
  static func printable(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars.prefix(lineScalarsMax) {
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse:
        result += "\\u{\(String(scalar.value, radix: 16))}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return text.unicodeScalars.count > lineScalarsMax ? result + "…" : result
  }

  /// How much of one text is shown.
  static let lineScalarsMax = 1000

  private func accepted(_ language: Language) -> String {
    var lines = [Words("ACCEPTED  ", zh: "通过  ")(language) + kind(language)]
    let names = facts.map { $0.0(language) }
    let width = names.map(Self.columns).max() ?? 0
    for (name, value) in zip(names, facts.map(\.1)) {
      let gap = String(repeating: " ", count: width - Self.columns(name) + 2)
      lines.append("  " + name + gap + Self.printable(value))
    }
    return (lines + notes(language)).joined(separator: "\n")
  }

  private func notes(_ language: Language) -> [String] {
    var notes: [Words] = []
    switch call.anchors.kind {
    case .apple: break
    case .simulated:
      notes.append(
        Words(
          "Signed under a root given with --root, not under Apple's: no real purchase.",
          zh: "签名基于 --root 给出的根证书而非 Apple 的根证书：不是真实购买。"
        )
      )
    case .xcode:
      notes.append(
        Words(
          "Signed by Xcode on a developer's machine: no real purchase.",
          zh: "由开发者的 Xcode 签名：不是真实购买。"
        )
      )
    }
    if call.origin.apps?.first?.bundleID == nil {
      notes.append(
        Words("Not checked: which app it is for (--bundle).", zh: "未检查：属于哪个 App（--bundle）。")
      )
    }
    if call.origin.environments == nil {
      notes.append(
        Words(
          "Not checked: the environment (--environment). Sandbox purchases are free.",
          zh: "未检查：环境（--environment）。沙盒购买是免费的。"
        )
      )
    }
    return notes.map { $0(language) }
  }

  private func refused(_ language: Language) -> String {
    let count = failures.count
    let head = Words(
      "REFUSED  \(kind(.english)): \(count == 1 ? "one rule fails" : "\(count) rules fail")",
      zh: "拒绝  \(kind(.simplifiedChinese))：\(count) 条规则未满足"
    )
    let list = failures.enumerated().map { index, failure in
      let part =
        failure.part.rawValue == failures[0].part.rawValue && Set(failures.map(\.part)).count == 1
        ? "" : " (\(failure.part))"
      return """
          \(index + 1). \(failure.rule)\(part): \(Self.printable(failure.reason))
             \(VerifyWords.explanation(of: failure.rule)(language))
        """
    }
    return ([head(language)] + list).joined(separator: "\n")
  }
}
