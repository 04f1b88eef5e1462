import IAPModel

/// What happened in one step of the tour.
struct DemoStep: Sendable {
  /// What the step shows.
  let name: Words
  /// The purchase API that was used: `storekit1` or `storekit2`.
  let path: String
  /// Whether everything that the step promises was seen.
  let ok: Bool
  /// What was seen.
  let detail: Words

  /// The step as one line.
  func line(number: Int, of count: Int, console: Console) -> Words {
    let place = "[\(path) \(number)/\(count)]"
    let mark = ok ? console.colored("ok  ", .good) : console.colored("FAIL", .bad)
    return Words(
      "\(mark) \(place) \(name(.english)): \(detail(.english))",
      zh: "\(mark) \(place) \(name(.simplifiedChinese))：\(detail(.simplifiedChinese))"
    )
  }
}

/// What the tour adds up to.
struct DemoReport: Sendable {
  var steps: [DemoStep] = []
  var tally = DemoTally()

  /// Whether every step went well and nothing was lost or doubled.
  var isClean: Bool {
    !steps.isEmpty && steps.allSatisfy(\.ok) && tally.lost == 0 && tally.doubled == 0
  }

  /// The report as the JSON that `--json` writes.
  var json: JSONObject {
    let rows: [JSONValue] = steps.map { step in
      [
        "name": .string(step.name(.english)),
        "path": .string(step.path),
        "ok": .bool(step.ok),
        "detail": .string(step.detail(.english)),
      ]
    }
    return [
      "steps": .array(rows),
      "orders": .integer(Int64(tally.orders)),
      "delivered": .integer(Int64(tally.delivered)),
      "lost": .integer(Int64(tally.lost)),
      "doubled": .integer(Int64(tally.doubled)),
    ]
  }

  /// The closing line.
  var summary: Words {
    let good = steps.count { $0.ok }
    let numbers =
      "orders \(tally.orders) delivered \(tally.delivered) "
      + "lost \(tally.lost) doubled \(tally.doubled)"
    return Words(
      "\(good) of \(steps.count) steps ok; \(numbers)",
      zh: "\(steps.count) 步中 \(good) 步成功；\(numbers)"
    )
  }
}

/// What became of everything that was paid for.
struct DemoTally: Sendable, Equatable {
  /// Orders that the apps of the tour opened.
  var orders = 0
  /// Units whose goods stand on the shelf of an app, each counted once.
  var delivered = 0
  /// Paid units that stand on no shelf and were not set aside for a later delivery.
  var lost = 0
  /// Units whose goods stand on a shelf twice, or that the server granted twice.
  var doubled = 0

  static func + (left: Self, right: Self) -> Self {
    DemoTally(
      orders: left.orders + right.orders,
      delivered: left.delivered + right.delivered,
      lost: left.lost + right.lost,
      doubled: left.doubled + right.doubled
    )
  }
}
