import Foundation
import IAPModel
import IAPSignatures
import OpenSSLCrypto

/// `iap verify`: says whether signed data is genuine, and if not, everything that is wrong with it.
struct VerifyCommand: Command {
  static let name = "verify"
  static let summary = Words(
    "Checks a signed transaction, renewal info, app transaction, notification or receipt.",
    zh: "验证签名的交易、续期信息、App 交易、通知或收据。"
  )
  static let details = Words(
    """
    FILE holds a compact JWS, a request's or notification's body, or a receipt (binary or base64).
    A JWS has no line break, not even at its end: tr -d '\\r\\n' < FILE | iap verify -
    Without --bundle, --app-id and --environment those are printed and not checked.
    Without --at, notifications are judged now, everything else when it was signed; receipts
    always at their creation date.

    Exit status: 0 accepted, 1 refused (every failed rule is named), 2 the call cannot be used.
    """,
    zh: """
      FILE 可以是紧凑格式的 JWS、请求或通知的正文，或收据（二进制或 base64）。
      JWS 不含换行，末尾也不含：tr -d '\\r\\n' < FILE | iap verify -
      未给出 --bundle、--app-id、--environment 时，只显示相应内容而不检查。
      未给出 --at 时，通知按当前时间判断证书，其余按签名时间；收据总是按其创建日期。

      退出状态：0 通过，1 拒绝（列出所有未满足的规则），2 调用有误。
      """
  )
  static let options: [CommandOption] = [
    .value(
      "kind",
      "KIND",
      Words(
        "transaction, renewal, app-transaction, notification or receipt; found out if left out.",
        zh: "transaction、renewal、app-transaction、notification 或 receipt；省略时自动识别。"
      )
    ),
    .repeated(
      "root",
      "FILE",
      Words(
        "A root certificate to trust in place of Apple's, DER or PEM.",
        zh: "用来代替 Apple 根证书的根证书（DER 或 PEM）。"
      )
    ),
    .value("bundle", "ID", Words("The app it has to be for.", zh: "必须属于的 App（Bundle ID）。")),
    .value(
      "app-id",
      "N",
      Words("The app's number at Apple.", zh: "App 的 Apple ID。")
    ),
    .value(
      "environment",
      "NAME",
      Words(
        "Production, Sandbox, Xcode or LocalTesting.",
        zh: "Production、Sandbox、Xcode 或 LocalTesting。"
      )
    ),
    .value(
      "at",
      "WHEN",
      Words(
        "now, signed, or a date: when the certificates have to be valid.",
        zh: "now、signed 或日期：证书在何时必须有效。"
      )
    ),
    .flag(
      "xcode",
      Words(
        "Trust --root as the certificate of Xcode; takes receipts of local tests only.",
        zh: "将 --root 视为 Xcode 的证书；只接受本地测试的收据。"
      )
    ),
    .flag(
      "no-pin",
      Words(
        "Do not demand that the third certificate is the root itself.",
        zh: "不要求第三张证书就是根证书本身。"
      )
    ),
    .flag("json", Words("Print one JSON object.", zh: "输出一个 JSON 对象。")),
  ]
  static let operands = [
    CommandOperand("FILE", Words("The file, or - for standard input.", zh: "文件，- 表示标准输入。"))
  ]

  /// The longest file that is looked at: a receipt at its limit, as base64 with line breaks.
  static let sizeBytesMax = 6 * 1024 * 1024

  static func run(
    _ arguments: CommandArguments,
    console: Console
  ) async throws(CommandError) -> ExitStatus {
    let call = try await VerifyCall(arguments, console)
    let bytes = try await read(arguments.operands[0], console)
    let report = try call.report(on: bytes, now: console.now())
    if arguments.flag("json") {
      console.line(verbatim: JSONValue.object(report.json).serializedText)
    } else {
      console.line(report.text)
    }
    return report.isAccepted ? .success : .failure
  }

  /// A file that cannot be read says nothing about what is in it: that is no refusal.
  static func read(_ path: String, _ console: Console) async throws(CommandError) -> [UInt8] {
    let bytes =
      path == "-" ? await console.input(sizeBytesMax) : await console.file(path, sizeBytesMax)
    guard let bytes else {
      throw .usage(Words("'\(path)' cannot be read.", zh: "无法读取“\(path)”。"))
    }
    return bytes
  }
}

/// What a call of `iap verify` asks for.
struct VerifyCall {
  /// The kinds that a call can name.
  enum Kind: String, CaseIterable {
    case transaction
    case renewal
    case appTransaction = "app-transaction"
    case notification
    case receipt

    var payload: PayloadKind? {
      switch self {
      case .transaction: .transaction
      case .renewal: .renewalInfo
      case .appTransaction: .appTransaction
      case .notification: .notification
      case .receipt: nil
      }
    }
  }

  /// When the certificates have to be valid, as a call says it.
  enum Instant: Equatable {
    case now
    case signed
    case date(Date)
  }

  let kind: Kind?
  let anchors: TrustAnchors
  let origin: ExpectedOrigin
  let instant: Instant?
  let pinsThird: Bool
  let crypto: OpenSSLPrimitives

  init(_ arguments: CommandArguments, _ console: Console) async throws(CommandError) {
    kind = try Self.kind(arguments.value("kind"))
    instant = try Self.instant(arguments)
    pinsThird = !arguments.flag("no-pin")
    anchors = try await Self.anchors(arguments, console)
    let appID = try arguments.integer("app-id", in: 1...Int64.max)
    let bundle = arguments.value("bundle")
    let isAppNamed = appID != nil || bundle != nil
    let app = ExpectedOrigin.App(
      bundleID: bundle.map { BundleID($0) },
      appAppleID: appID.map { AppAppleID($0) }
    )
    origin = ExpectedOrigin(
      apps: isAppNamed ? [app] : nil,
      environments: try Self.environment(arguments.value("environment")).map { [$0] }
    )
    do {
      crypto = try OpenSSLPrimitives()
    } catch {
      throw CommandError(.failed, Words("the cryptographic library: \(error)"))
    }
  }

  private static func kind(_ text: String?) throws(CommandError) -> Kind? {
    guard let text else { return nil }
    guard let kind = Kind(rawValue: text) else {
      let known = Kind.allCases.map(\.rawValue).joined(separator: ", ")
      throw .usage(
        Words("--kind is one of \(known); not '\(text)'.", zh: "--kind 只能是 \(known)；不能是“\(text)”。")
      )
    }
    return kind
  }

  private static func environment(_ text: String?) throws(CommandError) -> StoreEnvironment? {
    guard let text else { return nil }
    let known: [StoreEnvironment] = [.production, .sandbox, .xcode, .localTesting]
    guard let match = known.first(where: { $0.rawValue.lowercased() == text.lowercased() }) else {
      let names = known.map(\.rawValue).joined(separator: ", ")
      throw .usage(
        Words(
          "--environment is one of \(names); not '\(text)'.",
          zh: "--environment 只能是 \(names)；不能是“\(text)”。"
        )
      )
    }
    return match
  }

  private static func instant(_ arguments: CommandArguments) throws(CommandError) -> Instant? {
    switch arguments.value("at") {
    case nil: return nil
    case "now": return .now
    case "signed": return .signed
    default: return try arguments.date("at").map { .date($0) }
    }
  }

  private static func anchors(
    _ arguments: CommandArguments,
    _ console: Console
  ) async throws(CommandError) -> TrustAnchors {
    var roots: [[UInt8]] = []
    for path in arguments.values("root") {
      roots += try await certificates(in: path, console)
    }
    if roots.isEmpty {
      guard !arguments.flag("xcode") else {
        throw .usage(
          Words(
            "--xcode needs Xcode's certificate in --root.",
            zh: "--xcode 需要用 --root 给出 Xcode 的证书。"
          )
        )
      }
      return .apple
    }
    do {
      return try arguments.flag("xcode") ? .xcode(roots) : .simulated(roots)
    } catch {
      throw .usage(
        Words(
          "--root: that is no certificate (\(error.reason)).",
          zh: "--root：不是证书（\(error.reason)）。"
        )
      )
    }
  }

  private static func certificates(
    in path: String,
    _ console: Console
  ) async throws(CommandError) -> [[UInt8]] {
    let bytes = try await VerifyCommand.read(path, console)
    guard bytes.first != 0x30 else { return [bytes] }
    let blocks = PEM.blocks(bytes)?.filter { $0.label == "CERTIFICATE" } ?? []
    guard !blocks.isEmpty else {
      throw .usage(
        Words("--root: '\(path)' holds no certificate.", zh: "--root：“\(path)”中没有证书。")
      )
    }
    return blocks.map(\.der)
  }
}

extension VerifyCall {
  /// Verifies and says what came of it.
  ///
  /// - Parameters:
  ///   - bytes: The file.
  ///   - now: The present.
  /// - Returns: The report.
  /// - Throws: ``CommandError`` with code `failed` when it was not possible to look.
  func report(on bytes: [UInt8], now: Date) throws(CommandError) -> VerifyReport {
    var report = VerifyReport(call: self)
    if bytes.count > VerifyCommand.sizeBytesMax {
      report.refuse(
        kind,
        rule: .limits,
        reason: "longer than \(VerifyCommand.sizeBytesMax) bytes"
      )
      return report
    }
    do {
      switch (kind, VerifyInput(bytes)) {
      case (nil, .unknown(let what)): report.refuse(what)
      case (nil, .receipt), (.receipt?, .receipt):
        report.add(try receipts.verify(bytes))
      case (nil, .receiptText(let text)), (.receipt?, .receiptText(let text)):
        report.add(try receipts.verify(base64: text))
      case (.receipt?, _): report.add(try receipts.verify(base64: bytes))
      case (let kind, .jws(let text, let found)):
        try verify(text, kind?.payload ?? found, now, &report)
      case (let kind?, _): try verify(bytes, kind.payload, now, &report)
      }
    } catch {
      throw CommandError(.failed, Words("it was not possible to look: \(error)"))
    }
    return report
  }

  /// What judges receipts.
  var receipts: ReceiptVerifier {
    ReceiptVerifier(anchors: anchors, origin: origin, crypto: crypto)
  }

  private func verify(
    _ text: [UInt8],
    _ kind: PayloadKind?,
    _ now: Date,
    _ report: inout VerifyReport
  ) throws(CryptoError) {
    var options = JWSVerifier.Options()
    options.pinsThirdCertificate = pinsThird
    let verifier = JWSVerifier(anchors: anchors, origin: origin, crypto: crypto, options: options)
    let instant = judging(kind, now)
    switch kind {
    case .transaction?: report.add(try verifier.transaction(text, instant: instant))
    case .renewalInfo?: report.add(try verifier.renewalInfo(text, instant: instant))
    case .appTransaction?: report.add(try verifier.appTransaction(text, instant: instant))
    case .notification?:
      report.add(try NotificationVerifier(verifier: verifier).verify(text, instant: instant))
    case nil: report.addUnknown(try verifier.members(text, as: .transaction, instant: instant))
    }
  }

  private func judging(_ kind: PayloadKind?, _ now: Date) -> JudgingInstant {
    switch instant {
    case .now?: .at(now)
    case .signed?: .signedDate
    case .date(let date)?: .at(date)
    case nil: kind == .notification ? .at(now) : .signedDate
    }
  }
}
