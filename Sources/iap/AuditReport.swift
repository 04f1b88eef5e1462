import IAPModel

/// An audit in lines for people.
struct AuditReport {
  let report: JSONObject

  /// Whether nothing differs and everything could be read.
  var isClean: Bool {
    report["state"] == "done" && report["differenceCount"] == 0 && list("badRows").isEmpty
      && list("files").allSatisfy { $0["problem"] == nil }
  }

  private func list(_ name: String) -> [JSONObject] {
    (report[name]?.arrayValue ?? []).compactMap(\.objectValue)
  }

  func write(to console: Console) {
    for file in list("files") { console.line(words(for: file)) }
    for row in list("badRows") {
      let place = "\(text(row, "file")):\(number(row, "line"))"
      console.line(verbatim: "  \(place): \(text(row, "reason"))")
    }
    for total in list("totals") { console.line(verbatim: "  " + line(for: total, console)) }
    for (name, values) in report["otherColumns"]?.objectValue?.members.map({
      ($0.name, $0.value.objectValue?.members ?? [])
    }) ?? [] {
      let shown = values.map { "\($0.name) (\($0.value.integerValue ?? 0))" }
      console.line(
        Words(
          "  unknown column \(name): \(shown.joined(separator: ", "))",
          zh: "  未知列 \(name)：\(shown.joined(separator: "、"))"
        )
      )
    }
    let count = number(report, "differenceCount")
    console.line(
      count == 0
        ? Words("Nothing differs.", zh: "没有差异。")
        : Words("\(count) differences:", zh: "\(count) 处差异：")
    )
    for difference in list("differences") { write(difference, to: console) }
  }

  private func words(for file: JSONObject) -> Words {
    let name = text(file, "name")
    if let problem = file["problem"]?.stringValue {
      return Words("\(name): cannot be read (\(problem))", zh: "\(name)：无法读取（\(problem)）")
    }
    let (kind, rows) = (text(file, "report"), number(file, "rows"))
    guard file["compared"] == true else {
      return Words(
        "\(name): \(kind), recognised and not compared",
        zh: "\(name)：\(kind)，已识别，不核对"
      )
    }
    let (others, bad) = (number(file, "otherRows"), number(file, "badRows"))
    return Words(
      "\(name): \(kind), \(rows) rows, \(others) of other things, \(bad) bad",
      zh: "\(name)：\(kind)，\(rows) 行，其他 \(others) 行，无法读取 \(bad) 行"
    )
  }

  private func line(for total: JSONObject, _ console: Console) -> String {
    let currency = total["currency"]?.stringValue ?? "?"
    let unknown = Words("unknown", zh: "未知")(console.language)
    let sides = ["report", "ledger"].map { side in
      let amount = total[side + "Amount"]?.stringValue ?? unknown
      return "\(side) \(number(total, side + "Units")) - \(number(total, side + "Refunds"))"
        + " = \(amount)"
    }
    return "\(text(total, "report")) \(currency): " + sides.joined(separator: ", ")
  }

  private func write(_ difference: JSONObject, to console: Console) {
    let (start, end) = (text(difference, "start"), text(difference, "end"))
    let days = start == end ? start : "\(start)..\(end)"
    let unknown = Words("unknown", zh: "未知")(console.language)
    let sides = ["report", "ledger"].map { side in
      let amount = difference[side + "Amount"]?.stringValue ?? unknown
      return "\(side) \(number(difference, side + "Units")) (\(amount))"
    }
    let reasons = (difference["reasons"]?.arrayValue ?? []).compactMap(\.stringValue)
    let parts = [
      text(difference, "report"), days, text(difference, "productId"),
      difference["currency"]?.stringValue ?? "?", text(difference, "kind") + ":",
      sides.joined(separator: ", "),
    ]
    console.line(verbatim: "  " + parts.joined(separator: " "))
    for reason in reasons {
      console.line(verbatim: "    \(reason): " + Self.words(reason)(console.language))
    }
    let named = (difference["transactions"]?.arrayValue ?? []).compactMap(\.stringValue)
    if !named.isEmpty { console.line(verbatim: "    " + named.joined(separator: " ")) }
  }

  private func text(_ object: JSONObject, _ name: String) -> String {
    object[name]?.stringValue ?? ""
  }

  private func number(_ object: JSONObject, _ name: String) -> Int64 {
    object[name]?.integerValue ?? 0
  }

  /// What a reason means, and what helps.
  private static func words(_ reason: String) -> Words {
    reasons[reason] ?? Words("a reason of a newer server", zh: "较新服务器给出的原因")
  }

  private static let reasons: [String: Words] = [
    "missingNotification": Words(
      "the ledger never heard of it; 'iap reconcile' and 'iap notifications replay' look for it",
      zh: "账本从未收到；可用 iap reconcile 和 iap notifications replay 查找"
    ),
    "sandbox": Words("made in the sandbox, which Apple does not report", zh: "沙盒购买，Apple 不报告"),
    "familySharing": Words("a family member's copy is not sold", zh: "家庭共享的副本不算售出"),
    "offerCode": Words(
      "bought with an offer code, which may be reported by itself",
      zh: "使用优惠代码购买，可能单独报告"
    ),
    "pricingUnknown": Words("a price is not known on one side", zh: "某一侧的价格未知"),
    "priceDiffers": Words("both sides have a price, and not the same", zh: "两侧价格不同"),
    "currencyDiffers": Words("the pieces stand under another currency", zh: "记在另一种货币下"),
    "dayBoundary": Words(
      "the day beside it is off the other way: midnight in California lies between",
      zh: "相邻一天的差异方向相反：跨越了加州午夜"
    ),
    "unknownProduct": Words(
      "neither the ledger nor the catalog knows the product: another app's, perhaps (--sku)",
      zh: "账本和目录都没有此商品：可能属于其他 App（--sku）"
    ),
    "refundReversed": Words("a refund was taken back", zh: "退款已撤销"),
    "upgradeCredit": Words("a part was paid back for a change of level", zh: "升级时退还了部分金额"),
    "freeOfCharge": Words("what cost nothing is in no financial report", zh: "免费的不在财务报告中"),
    "notSettled": Words(
      "financial reports hold what was collected; it may follow next month",
      zh: "财务报告只含已收款项，可能在下月出现"
    ),
    "reportIncomplete": Words(
      "the report is not complete, or of other days or another account",
      zh: "报告不完整，或属于其他日期或账户"
    ),
  ]
}
