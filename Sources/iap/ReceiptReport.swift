import Foundation
import IAPModel
import IAPSignatures

/// What `iap receipt` says: for people, and as JSON.
enum ReceiptReport {
  /// A receipt that could be taken apart.
  struct Shown {
    let inspection: ReceiptInspection
    let verdict: Verdict<ReceiptPayload>
    let trust: TrustAnchors.Kind
    let isDeviceChecked: Bool
    let isAppChecked: Bool
    let isEnvironmentChecked: Bool
  }

  case receipt(Shown)
  /// Nothing that could be shown, and why.
  case nothing(Words, failures: [RuleFailure])

  static func nothing(_ words: Words) -> Self { .nothing(words, failures: []) }

  var isGenuine: Bool {
    switch self {
    case .receipt(let shown): shown.verdict.accepted != nil
    case .nothing: false
    }
  }

  /// One JSON object.
  ///
  /// - **Shape:** `verdict`; of a receipt `trust`, `checked`, `failures`, `bytes`, `digest`,
  ///   `certificates`, `signerValidity`, `attributes`, each with `number`, `version`, `name` where
  ///   it has one and `value`; else `reason`.
  var json: JSONObject {
    switch self {
    case .nothing(let words, let failures):
      [
        "verdict": "refused", "reason": .string(words(.english)),
        "failures": .array(failures.map(Self.json)),
      ]
    case .receipt(let shown): shown.json
    }
  }

  static func json(_ failure: RuleFailure) -> JSONValue {
    [
      "rule": .string(failure.rule.rawValue), "reason": .string(failure.reason),
      "explanation": .string(VerifyWords.explanation(of: failure.rule)(.english)),
    ]
  }

  /// What a person reads.
  var text: Words {
    switch self {
    case .nothing(let words, _):
      Words(
        "REFUSED  no receipt: " + words(.english),
        zh: "拒绝  不是收据：" + words(.simplifiedChinese)
      )
    case .receipt(let shown):
      Words(shown.written(.english), zh: shown.written(.simplifiedChinese))
    }
  }
}

extension ReceiptReport.Shown {
  fileprivate var json: JSONObject {
    var object: JSONObject = [
      "verdict": .string(verdict.accepted == nil ? "refused" : "accepted"),
      "trust": .string(trust.rawValue),
      "checked": [
        "app": .bool(isAppChecked), "environment": .bool(isEnvironmentChecked),
        "device": .bool(isDeviceChecked),
      ],
      "failures": .array(verdict.failures.map(ReceiptReport.json)),
      "bytes": .integer(Int64(inspection.byteCount)),
      "digest": inspection.digest.map { .string($0.rawValue) } ?? .null,
      "certificates": .integer(Int64(inspection.certificateCount)),
    ]
    if let validity = inspection.signerValidity {
      object["signerValidity"] = [
        .integer(validity.lowerBound.milliseconds), .integer(validity.upperBound.milliseconds),
      ]
    }
    object["attributes"] = .array(inspection.attributes.map { .object(Self.json($0)) })
    return object
  }

  private static func json(_ attribute: ReceiptInspection.Attribute) -> JSONObject {
    var object: JSONObject = [
      "number": .integer(Int64(attribute.number)), "version": .integer(Int64(attribute.version)),
    ]
    if let name = ReceiptWords.name(of: attribute.number) {
      object["name"] = .string(name(.english))
    }
    switch attribute.value {
    case .text(let text): object["value"] = .string(text)
    case .number(let number): object["value"] = .integer(number)
    case .bytes(let bytes): object["value"] = ["hex": .string(ReceiptWords.hexadecimal(bytes))]
    case .purchase(let members): object["value"] = .array(members.map { .object(json($0)) })
    }
    return object
  }

  fileprivate func written(_ language: Language) -> String {
    var lines = [head(language)]
    for (index, failure) in verdict.failures.enumerated() {
      lines.append("  \(index + 1). \(failure.rule): \(VerifyReport.printable(failure.reason))")
      lines.append("     " + VerifyWords.explanation(of: failure.rule)(language))
    }
    lines += container(language)
    let purchases = inspection.attributes.filter {
      $0.number == ReceiptInspection.purchaseNumber
    }
    lines.append(Words("Attributes", zh: "属性")(language))
    lines += inspection.attributes.compactMap { attribute in
      if case .purchase = attribute.value { return nil }
      return Self.line(attribute, "  ", language)
    }
    for (index, purchase) in purchases.enumerated() {
      guard case .purchase(let members) = purchase.value else { continue }
      lines.append(
        Words(
          "Purchase \(index + 1) of \(purchases.count)",
          zh: "购买 \(index + 1)/\(purchases.count)"
        )(language)
      )
      lines += members.map { Self.line($0, "  ", language) }
    }
    if purchases.isEmpty {
      lines.append(Words("No purchases stand in it.", zh: "其中没有购买记录。")(language))
    }
    return (lines + notes(language)).joined(separator: "\n")
  }

  private func head(_ language: Language) -> String {
    guard verdict.accepted == nil else {
      switch trust {
      case .apple: return Words("GENUINE  signed by Apple", zh: "真  由 Apple 签名")(language)
      case .simulated:
        return Words(
          "GENUINE  signed under a root given with --root: no real purchase",
          zh: "真  基于 --root 给出的根证书签名：不是真实购买"
        )(language)
      case .xcode:
        return Words(
          "GENUINE  signed by Xcode on a developer's machine: no real purchase",
          zh: "真  由开发者的 Xcode 签名：不是真实购买"
        )(language)
      }
    }
    let count = verdict.failures.count
    return Words(
      "REFUSED  \(count == 1 ? "one rule fails" : "\(count) rules fail")",
      zh: "拒绝  \(count) 条规则未满足"
    )(language)
  }

  private func container(_ language: Language) -> [String] {
    let digest = inspection.digest?.rawValue.uppercased() ?? "?"
    var lines = [
      Words(
        "Container  \(inspection.byteCount) bytes, signed over \(digest), "
          + "\(inspection.certificateCount) certificates",
        zh: "容器  \(inspection.byteCount) 字节，摘要 \(digest)，"
          + "\(inspection.certificateCount) 张证书"
      )(language)
    ]
    if let validity = inspection.signerValidity {
      let format = ISO8601DateFormatter()
      let first = format.string(from: validity.lowerBound)
      let last = format.string(from: validity.upperBound)
      lines.append(
        Words(
          "  the signing certificate is valid from \(first) to \(last)",
          zh: "  签名证书有效期：\(first) 至 \(last)"
        )(language)
      )
    }
    return lines
  }

  private static func line(
    _ attribute: ReceiptInspection.Attribute,
    _ indent: String,
    _ language: Language
  ) -> String {
    let name = ReceiptWords.name(of: attribute.number)?(language) ?? "-"
    let number = String(attribute.number)
    let gap = String(repeating: " ", count: max(0, 4 - number.count))
    let value = VerifyReport.printable(ReceiptWords.value(attribute, language))
    return "\(indent)\(gap)\(number)  \(name): \(value)"
  }

  private func notes(_ language: Language) -> [String] {
    var notes: [Words] = []
    if !isAppChecked {
      notes.append(
        Words("Not checked: which app it is for (--bundle).", zh: "未检查：属于哪个 App（--bundle）。")
      )
    }
    if !isEnvironmentChecked {
      notes.append(
        Words("Not checked: the environment (--environment).", zh: "未检查：环境（--environment）。")
      )
    }
    if !isDeviceChecked {
      notes.append(
        Words("Not checked: which device it is for (--device).", zh: "未检查：属于哪台设备（--device）。")
      )
    }
    return notes.map { $0(language) }
  }
}
