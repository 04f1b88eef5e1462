import EntitlementServer
import Foundation
import HTTPValues
import IAPModel
import IAPSignatures

/// `iap audit`: has a running server compare Apple's sales and financial reports with its ledger.
enum AuditCommand: Command {
  static let name = "audit"
  static let summary = Words(
    "Compares Apple's sales and financial reports with a running server's ledger.",
    zh: "将 Apple 的销售与财务报告和运行中服务器的账本核对。"
  )
  static let details = Words(
    """
    FILE is a report of App Store Connect as it was downloaded, packed with gzip or not: Summary
    Sales (the most useful), Subscriber, and financial reports. Subscription and Subscription Event
    reports are recognised and not compared. Days are Apple's: midnight to midnight in California.
    Amounts stay in the customer's currency; what has no price is unknown.

    A subscriber report names products by Apple's number: give the Summary Sales report of the same
    time with it, which says which product that is.

    The secret key stands in the environment variable IAP_KEY.

    Exit status: 0 nothing differs, 1 something differs or could not be read, 2 the call cannot be
    used.
    """,
    zh: """
      FILE 是从 App Store Connect 下载的报告（gzip 压缩或未压缩均可）：销售概要（最有用）、订阅者报告和财务报告。
      订阅报告与订阅事件报告可识别，但不核对。日期按 Apple 的规则：加利福尼亚时间零点至零点。
      金额保持顾客支付的货币，没有价格的视为未知。

      订阅者报告只用 Apple 的编号标识商品：请同时给出同一时期的销售概要，其中有对应关系。

      私密密钥放在环境变量 IAP_KEY 中。

      退出状态：0 无差异，1 有差异或无法读取，2 调用有误。
      """
  )
  static let options: [CommandOption] =
    ServerCall.options + [
      .value("start", "DAY", Words("The first day, as 2026-01-31.", zh: "第一天，如 2026-01-31。")),
      .value("end", "DAY", Words("The last day.", zh: "最后一天。")),
      .value(
        "sku",
        "SKU",
        Words("The app's SKU: rows of other apps are left out.", zh: "App 的 SKU：忽略其他 App 的行。")
      ),
      .value(
        "format",
        "NAME",
        Words("text (default), json or csv.", zh: "text（默认）、json 或 csv。")
      ),
      .jsonFlag,
    ]
  static let operands = [
    CommandOperand("FILE", Words("Report files.", zh: "报告文件。"), isRepeated: true)
  ]

  /// The longest file, in bytes, packed or not.
  static let fileBytesMax = 64 * 1024 * 1024

  static func run(
    _ arguments: CommandArguments,
    console: Console
  ) async throws(CommandError) -> ExitStatus {
    let format = arguments.value("format") ?? (arguments.flag("json") ? "json" : "text")
    guard format == "json" || !arguments.flag("json") else {
      throw .usage(
        Words("--json and --format \(format) disagree.", zh: "--json 与 --format \(format) 矛盾。")
      )
    }
    guard ["text", "json", "csv"].contains(format) else {
      throw .usage(
        Words(
          "--format is text, json or csv, not '\(format)'.",
          zh: "--format 为 text、json 或 csv，而不是“\(format)”。"
        )
      )
    }
    var pieces: [ReportPiece] = []
    for path in arguments.operands {
      let bytes = try await console.contents(of: path, sizeBytesMax: fileBytesMax)
      guard !bytes.isEmpty else {
        throw CommandError(.file, Words("'\(path)' is empty.", zh: "“\(path)”为空。"))
      }
      let name = String(path.split(separator: "/").last ?? "")
      pieces += try ReportPiece.pieces(of: bytes, name: name)
    }
    let server = ServerCall(arguments, console)
    let begun = try await handIn(pieces, arguments, server)
    guard let id = begun["id"]?.stringValue else { throw ServerCall.strange }
    let path = "/v1/audits/" + PercentCoding.encode(id)
    let report = try await server.wait(for: path, begun, console) { report in
      let purchases = report["purchases"]?.integerValue ?? 0
      return Words("\(purchases) purchases compared", zh: "已核对 \(purchases) 笔购买")(
        console.language
      )
    }
    switch format {
    case "json": console.line(verbatim: JSONValue.object(report).serializedText)
    case "csv": console.output(try await server.text(path, "format=csv"))
    default: AuditReport(report: report).write(to: console)
    }
    return AuditReport(report: report).isClean ? .success : .failure
  }

  /// Hands the files in, in as few requests as their size allows.
  private static func handIn(
    _ pieces: [ReportPiece],
    _ arguments: CommandArguments,
    _ server: ServerCall
  ) async throws(CommandError) -> JSONObject {
    let requests = ReportPiece.requests(pieces)
    var report: JSONObject = [:]
    for (index, request) in requests.enumerated() {
      var body: JSONObject = [
        "files": .array(request.map { .object($0.object) }),
        "complete": .bool(index == requests.count - 1),
      ]
      guard index > 0 else {
        for name in ["start", "end", "sku"] {
          if let value = arguments.value(name) { body[name] = .string(value) }
        }
        report = try await server.object(.post, "/v1/audits", body)
        continue
      }
      guard let id = report["id"]?.stringValue else { throw ServerCall.strange }
      report = try await server.object(
        .post,
        "/v1/audits/\(PercentCoding.encode(id))/files",
        body
      )
    }
    return report
  }
}

/// A report file, or a part of one that is too long for one request.
struct ReportPiece: Sendable {
  /// The most bytes of one request's files: with their encoding they keep below the server's limit.
  static let bytesMax = 900 * 1024
  /// The most files of one request.
  private static let filesMax = 50

  let name: String
  let bytes: [UInt8]
  /// The number of the first line behind the names of the columns; nil for a whole file.
  let firstLine: Int?

  var object: JSONObject {
    var object: JSONObject = [
      "name": .string(String(name.suffix(200))),
      "content": .string(Base64.encode(bytes, .standard)),
    ]
    object["firstLine"] = firstLine.map { .integer(Int64($0)) }
    return object
  }

  /// Divides a file where that is needed, each part with the names of the columns in front.
  static func pieces(of bytes: [UInt8], name: String) throws(CommandError) -> [ReportPiece] {
    guard bytes.count > bytesMax else {
      return [ReportPiece(name: name, bytes: bytes, firstLine: nil)]
    }
    var text: [UInt8] = []
    if Gzip.isOne(bytes) {
      let fault = Gzip.unpack(bytes, bytesMax: AuditCommand.fileBytesMax) { text += $0 }
      if let fault {
        throw CommandError(
          .file,
          Words("'\(name)' cannot be unpacked: \(fault).", zh: "无法解压“\(name)”：\(fault)。")
        )
      }
    } else {
      text = bytes
    }
    return divided(text, name)
  }

  private static func divided(_ text: [UInt8], _ name: String) -> [ReportPiece] {
    var pieces: [ReportPiece] = []
    var head: [UInt8] = []
    var part: [UInt8] = []
    var number = 0
    var first = 0
    for line in text.split(separator: 0x0A, omittingEmptySubsequences: false) {
      number += 1
      // The names of the columns stand in the first line with several cells.
      if first == 0 {
        head += line + [0x0A]
        if line.count(where: { $0 == 0x09 }) >= 4 { first = number + 1 }
        continue
      }
      if !part.isEmpty, head.count + part.count + line.count > bytesMax {
        pieces.append(ReportPiece(name: name, bytes: head + part, firstLine: first))
        part = []
        first = number
      }
      part += line + [0x0A]
    }
    pieces.append(ReportPiece(name: name, bytes: head + part, firstLine: max(first, 2)))
    return pieces
  }

  /// Puts pieces together into requests.
  static func requests(_ pieces: [ReportPiece]) -> [[ReportPiece]] {
    var requests: [[ReportPiece]] = []
    var size = 0
    for piece in pieces {
      let fits = size + piece.bytes.count <= bytesMax && requests.last?.count ?? 0 < filesMax
      if fits, !requests.isEmpty {
        requests[requests.count - 1].append(piece)
        size += piece.bytes.count
      } else {
        requests.append([piece])
        size = piece.bytes.count
      }
    }
    return requests
  }
}
