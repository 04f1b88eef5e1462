import Foundation
import IAPKit
import IAPModel

/// `iap replay`: shows what a user's support bundle tells, and decides again what was decided.
struct ReplayCommand: Command {
  static let name = "replay"
  static let summary = Words(
    "Replays a support bundle of the client: the timeline, where it stands, what differs.",
    zh: "重放客户端导出的支持包：时间线、当前状态与差异。"
  )
  static let details = Words(
    """
    BUNDLE is what IAPManager.supportBundle() gave on a user's device. Its decisions are made
    again by the state machine that ships in apps, and compared with what the device's journal
    says. Names of transactions and orders are made up; they end with the last four characters of
    the real ones.

    Exit status: 0 the replay agrees with the journal, 1 it differs or there is no bundle.
    """,
    zh: """
      BUNDLE 是用户设备上 IAPManager.supportBundle() 导出的文件。
      其中的每个决定都由随 App 发布的状态机重新作出，并与设备日志的记录比较。
      交易与订单使用化名，以真实编号的末四位结尾。

      退出状态：0 重放与日志一致，1 存在差异或文件不是支持包。
      """
  )
  static let options: [CommandOption] = [
    .flag("json", Words("Print one JSON object.", zh: "输出一个 JSON 对象。"))
  ]
  static let operands = [
    CommandOperand("BUNDLE", Words("The file, or - for standard input.", zh: "文件，- 表示标准输入。"))
  ]

  /// The longest bundle that is looked at, in bytes.
  static let sizeBytesMax = 16 * 1024 * 1024

  static func run(
    _ arguments: CommandArguments,
    console: Console
  ) async throws(CommandError) -> ExitStatus {
    let path = arguments.operands[0]
    let bytes = try await console.contents(of: path, sizeBytesMax: sizeBytesMax)
    let replay: BundleReplay
    switch BundleReplay.run(bytes) {
    case .refused(let refusal): throw CommandError(.file, words(for: refusal, path))
    case .replayed(let done): replay = done
    }
    if arguments.flag("json") {
      console.line(verbatim: JSONValue.object(json(replay)).serializedText)
    } else {
      ReplayReport(replay: replay).write(to: console)
    }
    return replay.standings.allSatisfy(\.differences.isEmpty) ? .success : .failure
  }

  private static func words(for refusal: BundleReplay.Refusal, _ path: String) -> Words {
    switch refusal {
    case .notJSON: Words("'\(path)' is no JSON object.", zh: "“\(path)”不是 JSON 对象。")
    case .foreign:
      Words(
        "'\(path)' is JSON, but no support bundle of this client.",
        zh: "“\(path)”是 JSON，但不是本客户端的支持包。"
      )
    case .newer(let version):
      Words(
        "'\(path)' was made by a newer client (version \(version) of the format); update iap.",
        zh: "“\(path)”由更新版本的客户端生成（格式版本 \(version)），请更新 iap。"
      )
    case .damaged:
      Words(
        "'\(path)' is a support bundle, but damaged: a part is missing or unreadable.",
        zh: "“\(path)”是支持包，但已损坏：有内容缺失或无法读取。"
      )
    }
  }

  private static func json(_ replay: BundleReplay) -> JSONObject {
    [
      "events": .array(
        replay.lines.map { line in
          var object: JSONObject = [
            "date": .integer(line.event.date.milliseconds),
            "launch": .integer(Int64(line.event.launch)),
            "name": .string(line.event.name.rawValue),
          ]
          object["product"] = line.event.product.map { .string($0.rawValue) }
          object["order"] = line.event.order.map { .string($0.description) }
          object["transaction"] = line.event.transaction.map { .string($0.rawValue) }
          object["state"] = line.state.map { .string($0.rawValue) }
          return .object(object)
        }
      ),
      "standings": .array(
        replay.standings.map { standing in
          var object: JSONObject = [
            "transaction": .string(standing.transaction.rawValue),
            "product": .string(standing.product.rawValue),
          ]
          object["replayed"] = standing.replayed.map { .string($0.rawValue) }
          object["recorded"] = standing.recorded.map { .string($0.rawValue) }
          object["differences"] = .array(standing.differences.map { .string($0.what) })
          return .object(object)
        }
      ),
      "skipped": .integer(Int64(replay.skipped)),
    ]
  }
}

/// A replay in lines for people; words of the machine are not translated.
private struct ReplayReport {
  let replay: BundleReplay

  func write(to console: Console) {
    let bundle = replay.bundle
    let made = time(bundle.createdAt)
    console.line(
      Words(
        "support bundle of \(made), \(bundle.generation), launch \(bundle.launch)",
        zh: "支持包：\(made)，\(bundle.generation)，第 \(bundle.launch) 次启动"
      )
    )
    console.line()
    for line in replay.lines { console.line(verbatim: text(line)) }
    console.line()
    console.line(Words("where it stands", zh: "当前状态"))
    for standing in replay.standings { write(standing, to: console) }
    for order in bundle.orders where order.transactionID == nil {
      console.line(
        verbatim: "  order \(order.number.description.suffix(4)) \(order.productID) \(order.state)"
      )
    }
    if replay.skipped > 0 {
      console.line(
        Words(
          "\(replay.skipped) decisions could not be made again: what came before was not kept.",
          zh: "有 \(replay.skipped) 个决定无法重放：之前的记录未保留。"
        )
      )
    }
    let count = replay.standings.count { !$0.differences.isEmpty }
    console.line(
      count == 0
        ? Words("The replay agrees with the journal.", zh: "重放与日志一致。")
        : Words("\(count) transactions differ.", zh: "\(count) 笔交易存在差异。")
    )
  }

  private func write(_ standing: BundleReplay.Standing, to console: Console) {
    let state = standing.recorded ?? standing.replayed
    console.line(
      verbatim: "  \(standing.transaction) \(standing.product) \(state?.rawValue ?? "-")"
    )
    for difference in standing.differences {
      console.line(
        Words(
          "    \(difference.what): \(difference.replayed) by the replay,"
            + " \(difference.recorded) in the journal",
          zh: "    \(difference.what)：重放为 \(difference.replayed)，日志为 \(difference.recorded)"
        )
      )
    }
  }

  private func text(_ line: BundleReplay.Line) -> String {
    let event = line.event
    var parts = [time(event.date), "#\(event.launch)", event.name.rawValue]
    if let transaction = event.transaction { parts.append(transaction.rawValue) }
    if let order = event.order { parts.append("order \(order.description.suffix(4))") }
    if let product = event.product { parts.append(product.rawValue) }
    parts += event.details.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    if let state = line.state { parts.append("-> \(state.rawValue)") }
    return parts.joined(separator: "  ")
  }

  private func time(_ date: Date) -> String { ISO8601DateFormatter().string(from: date) }
}
