import IAPModel
import ServerStorage

extension MoneyAudit {
  /// Adds what a file holds; a file that is there already is not counted again.
  ///
  /// - Parameters:
  ///   - content: What was read.
  ///   - digest: The hash of the file.
  /// - Returns: False when the audit would be too large.
  mutating func add(_ content: ReportContent, digest: String) -> Bool {
    guard !files.contains(where: { $0["digest"]?.stringValue == digest }) else { return true }
    guard files.count < Self.filesMax else { return false }
    var sums = reported
    sums.add(content.sums)
    guard sums.sums.count <= Self.sumsMax, sums.spans.count <= Self.spansMax else { return false }
    if let span = content.covered { covered.insert(span) }
    reported = sums
    products.merge(content.products) { $1 }
    appSKUs.merge(content.appSKUs) { $1 }
    for (currency, amount) in content.proceeds {
      proceeds[currency] = (proceeds[currency] ?? 0).addingClamped(amount)
    }
    for (name, values) in content.otherColumns {
      for (value, count) in values
      where otherColumns[name]?.count ?? 0 < ReportReader.otherValuesMax {
        otherColumns[name, default: [:]][value, default: 0] += count
      }
      if otherColumns[name] == nil { otherColumns[name] = [:] }
    }
    for row in content.badRows where badRows.count < Self.badRowsMax {
      badRows.append([
        "file": .string(content.name), "line": .integer(Int64(row.line)),
        "reason": .string(row.reason),
      ])
    }
    files.append(Self.file(content, digest: digest))
    return true
  }

  private static func file(_ content: ReportContent, digest: String) -> JSONObject {
    var answer = AnswerMembers()
    answer.add("name", content.name)
    answer.add("digest", digest)
    answer.add("report", content.kind?.rawValue)
    answer.add("compared", .bool(content.kind?.isCompared ?? false))
    answer.add("rows", .integer(Int64(content.rows)))
    answer.add("otherRows", .integer(Int64(content.otherRows)))
    answer.add("badRows", .integer(Int64(content.badRowCount)))
    switch content.problem {
    case nil: break
    case .noReport: answer.add("problem", "noReport")
    case .unreadable(let fault): answer.add("problem", fault.rawValue)
    }
    return answer.object
  }

  /// The report's sums with the products' own names, without what belongs to other apps.
  ///
  /// - Parameter appAppleID: Apple's number of the app, with which a report names it.
  /// - Returns: The sums.
  func comparable(appAppleID: AppAppleID?) -> MoneySums {
    let own = sku ?? appAppleID.flatMap { appSKUs["\($0)"] }
    var result = MoneySums()
    for (key, sum) in reported.sums {
      if let own, !key.parent.isEmpty, key.parent != own { continue }
      var key = key
      if key.product.hasPrefix("#"), let product = products[String(key.product.dropFirst())] {
        key.product = product
      }
      result.add(
        sum,
        under: MoneyKey(span: key.span, product: key.product, currency: key.currency, parent: "")
      )
    }
    return result
  }

  /// Compares, when the ledger is added up.
  mutating func conclude(appAppleID: AppAppleID?, catalog: Set<String>) {
    let told = comparable(appAppleID: appAppleID)
    let comparison = MoneyComparison(
      reported: told,
      held: held,
      knownProducts: knownProducts.union(catalog),
      isSandbox: scope.environment != .production
    )
    let found = comparison.differences()
    differenceCount = Int64(found.count)
    differences = found.prefix(Self.differencesMax).map(\.object)
    totals = Self.totals(told, held)
    state = .done
  }

  /// All of it, by report and currency; an amount of which a part is not known is left out.
  private static func totals(_ told: MoneySums, _ held: MoneySums) -> [JSONObject] {
    struct Group: Hashable {
      let kind: ReportKind
      let currency: String
    }
    var sums: [Group: (MoneySum, MoneySum)] = [:]
    for (key, sum) in told.sums {
      let group = Group(kind: key.span.kind, currency: key.currency)
      sums[group, default: (MoneySum(), MoneySum())].0 += sum
    }
    for (key, sum) in held.sums {
      let group = Group(kind: key.span.kind, currency: key.currency)
      sums[group, default: (MoneySum(), MoneySum())].1 += sum
    }
    let order = sums.keys.sorted {
      ($0.kind.rawValue, $0.currency) < ($1.kind.rawValue, $1.currency)
    }
    return order.map { group in
      let (told, held) = sums[group] ?? (MoneySum(), MoneySum())
      var answer = AnswerMembers()
      answer.add("report", group.kind.rawValue)
      answer.add("currency", group.currency.isEmpty ? nil : group.currency)
      for (name, sum) in [("report", told), ("ledger", held)] {
        answer.add(name + "Units", .integer(sum.sold))
        answer.add(name + "Refunds", .integer(sum.refunded))
        let isKnown = sum.soldUnpriced + sum.refundedUnpriced == 0 && !group.currency.isEmpty
        let amount = sum.soldAmount.addingClamped(-sum.refundedAmount)
        answer.add(name + "Amount", isKnown ? ReportAmount.text(amount) : nil)
      }
      answer.add("ledgerFamilyShared", .integer(held.familyShared))
      answer.add("ledgerUnpriced", .integer(held.soldUnpriced + held.refundedUnpriced))
      return answer.object
    }
  }
}
