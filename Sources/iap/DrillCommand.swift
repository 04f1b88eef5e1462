import Foundation
import IAPModel

/// `iap drill lost-order`: shows that a purchase that nobody told of is found.
enum DrillCommand: Command {
  static let name = "drill"
  static let summary = Words(
    "Rehearses a bad day: a customer paid, and neither the app nor the App Store told the server.",
    zh: "演练糟糕的一天：顾客已付款，但 App 和 App Store 都没有通知服务器。"
  )
  static let details = Words(
    """
    The first word is lost-order. A simulated store and a server run in this process. Three times a
    customer pays while the app is silent and every notification is lost; the purchase is found by
    the order id on the customer's invoice, by comparing the customer's history, and by reading
    what the App Store sent. Each has to hand over the goods once, and asking again nothing more.

    Exit status: 0 found each time, 1 not, 2 the call cannot be used.
    """,
    zh: """
      第一个词是 lost-order。模拟商店和服务器在本进程内运行。顾客三次付款，App 均未上报，
      通知全部丢失；之后分别通过收据上的订单号、顾客的交易历史和 App Store 的通知历史找回。
      每次只发放一次商品，重复查询不会再发放。

      退出状态：0 每次都找回，1 未找回，2 调用有误。
      """
  )
  static let operands: [CommandOperand] = [
    CommandOperand(
      "lost-order",
      Words("What to rehearse.", zh: "演练内容。"),
      choices: ["lost-order"]
    )
  ]
  static let options: [CommandOption] = [.jsonFlag]

  static func run(
    _ arguments: CommandArguments,
    console: Console
  ) async throws(CommandError) -> ExitStatus {
    guard arguments.operands == ["lost-order"] else {
      throw .usage(
        Words("'iap drill' needs 'lost-order'.", zh: "“iap drill”需要“lost-order”。")
      )
    }
    var isGood = true
    var rows: [JSONValue] = []
    for way in LostOrderDrill.Way.allCases {
      let result: LostOrderDrill.Result
      do {
        result = try await LostOrderDrill(now: console.now).find(way)
      } catch {
        throw CommandError(
          .failed,
          Words("the drill cannot be set up.", zh: "无法进行演练。")
        )
      }
      isGood = isGood && result.isGood
      if arguments.flag("json") {
        rows.append(.object(result.json(way)))
        continue
      }
      console.line(
        Words(
          "\(way.rawValue): granted before \(result.before), found \(result.found), "
            + "asked again \(result.again): \(result.isGood ? "good" : "BAD")",
          zh: "\(way.rawValue)：之前发放 \(result.before)，找回后 \(result.found)，"
            + "再次查询 \(result.again)：\(result.isGood ? "正常" : "异常")"
        )
      )
      for finding in result.findings { console.line(verbatim: "  " + finding) }
    }
    if arguments.flag("json") { console.json(["good": .bool(isGood), "ways": .array(rows)]) }
    return isGood ? .success : .failure
  }
}

extension LostOrderDrill.Result {
  /// The result as a program reads it.
  fileprivate func json(_ way: LostOrderDrill.Way) -> JSONObject {
    [
      "way": .string(way.rawValue), "good": .bool(isGood), "grantedBefore": .integer(Int64(before)),
      "found": .integer(Int64(found)), "askedAgain": .integer(Int64(again)),
      "findings": .array(findings.map { .string($0) }),
    ]
  }
}
