import Foundation
import IAPModel
import IAPSignatures
import OpenSSLCrypto

/// `iap receipt`: shows everything that stands in an app receipt, and whether it is genuine.
struct ReceiptCommand: Command {
  static let name = "receipt"
  static let summary = Words(
    "Shows every attribute of an app receipt, explained, and whether it is genuine.",
    zh: "逐项解释 App 收据中的全部属性，并判断其真伪。"
  )
  static let details = Words(
    """
    FILE holds a receipt (binary or base64), or the body of a request that carries one. Attributes
    without a name are not documented by Apple; they are shown as they stand there.
    The chain of certificates is judged at the receipt's creation date.
    With --device the hash is checked that ties a receipt to a device: the identifier for vendor as
    a UUID, or on a Mac the six bytes of its first interface (00:11:22:33:44:55).

    Exit status: 0 genuine, 1 not genuine or no receipt, 2 the call cannot be used.
    """,
    zh: """
      FILE 可以是收据（二进制或 base64），或带有收据的请求正文。
      没有名称的属性未见于 Apple 文档，按原样显示。
      证书链按收据的创建日期判断。
      给出 --device 时会检查收据与设备绑定的散列：identifierForVendor（UUID），
      或 Mac 首个网卡的六个字节（00:11:22:33:44:55）。

      退出状态：0 真，1 不真或不是收据，2 调用有误。
      """
  )
  static let options: [CommandOption] = [
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
      "environment",
      "NAME",
      Words(
        "Production, Sandbox, Xcode or LocalTesting.",
        zh: "Production、Sandbox、Xcode 或 LocalTesting。"
      )
    ),
    .value(
      "device",
      "ID",
      Words("The device it has to be for: a UUID or bytes.", zh: "必须属于的设备：UUID 或字节。")
    ),
    .flag(
      "xcode",
      Words(
        "Trust --root as the certificate of Xcode.",
        zh: "将 --root 视为 Xcode 的证书。"
      )
    ),
    .flag("json", Words("Print one JSON object.", zh: "输出一个 JSON 对象。")),
  ]
  static let operands = [
    CommandOperand("FILE", Words("The file, or - for standard input.", zh: "文件，- 表示标准输入。"))
  ]

  static func run(
    _ arguments: CommandArguments,
    console: Console
  ) async throws(CommandError) -> ExitStatus {
    let call = try await VerifyCall(arguments, console)
    let device = try device(arguments.value("device"))
    let bytes = try await VerifyCommand.read(arguments.operands[0], console)
    let report = try report(on: bytes, call, device)
    if arguments.flag("json") {
      console.line(verbatim: JSONValue.object(report.json).serializedText)
    } else {
      console.line(report.text)
    }
    return report.isGenuine ? .success : .failure
  }

  /// The bytes of a device's identifier, nil when none is given.
  static func device(_ text: String?) throws(CommandError) -> [UInt8]? {
    guard let text else { return nil }
    let digits = text.utf8.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: ":") }
    let nibbles = digits.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
    guard nibbles.count == digits.count, [12, 32].contains(digits.count) else {
      throw .usage(
        Words(
          "--device needs a UUID or six bytes such as 00:11:22:33:44:55, not '\(text)'.",
          zh: "--device 需要 UUID 或六个字节（如 00:11:22:33:44:55），而不是“\(text)”。"
        )
      )
    }
    return stride(from: 0, to: nibbles.count, by: 2).map {
      UInt8(nibbles[$0] << 4 | nibbles[$0 + 1])
    }
  }

  private static func report(
    on bytes: [UInt8],
    _ call: VerifyCall,
    _ device: [UInt8]?
  ) throws(CommandError) -> ReceiptReport {
    guard bytes.count <= VerifyCommand.sizeBytesMax else {
      let limit = VerifyCommand.sizeBytesMax
      return .nothing(
        Words("it is longer than \(limit) bytes", zh: "长度超过 \(limit) 字节")
      )
    }
    let receipt: [UInt8]
    switch VerifyInput(bytes) {
    case .receipt(let container): receipt = container
    case .receiptText(let text):
      switch ReceiptText.read(text) {
      case .bytes(let container): receipt = container
      case .refused(let reason): return .nothing(Words(reason))
      }
    case .jws(_, let kind):
      let part = kind?.part.rawValue
      return .nothing(
        Words(
          "it is a signed text (\(part ?? "of no known kind")) and no receipt; 'iap verify' is for "
            + "that",
          zh: "这是签名文本（\(part ?? "未知种类")），不是收据；请使用“iap verify”"
        )
      )
    case .unknown(let what): return .nothing(what)
    }
    do throws(CryptoError) {
      let verdict = try call.receipts.verify(receipt, deviceID: device)
      let inspection: ReceiptInspection
      do throws(CryptoError) {
        inspection = try ReceiptInspection(receipt)
      } catch {
        return .nothing(
          Words("it cannot be read: \(error.reason)", zh: "无法读取：\(error.reason)"),
          failures: verdict.failures
        )
      }
      return .receipt(
        ReceiptReport.Shown(
          inspection: inspection,
          verdict: verdict,
          trust: call.anchors.kind,
          isDeviceChecked: device != nil,
          isAppChecked: call.origin.apps != nil,
          isEnvironmentChecked: call.origin.environments != nil
        )
      )
    } catch {
      throw CommandError(.failed, Words("it was not possible to look: \(error)"))
    }
  }
}
