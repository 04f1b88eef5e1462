import IAPModel

/// Something that Apple reports and the ledger does not hold, or the other way round.
struct MoneyDifference: Hashable, Sendable {
  /// What differs.
  enum Kind: String, Hashable, Sendable, CaseIterable {
    /// How many pieces were sold.
    case units
    /// How many pieces were paid back.
    case refunds
    /// As many pieces, and another amount or one that is not known.
    case amount
  }

  /// What may be behind it.
  enum Reason: String, Hashable, Sendable, CaseIterable {
    /// The ledger never heard of it: a notification is missing; `iap reconcile` looks for it.
    case missingNotification
    /// The purchases were made in the sandbox, which Apple does not report.
    case sandbox
    /// A family member's copy is not sold, and the two disagree about what is one.
    case familySharing
    /// Purchases with an offer code are reported by themselves.
    case offerCode
    /// The report has no price, or the signed data has none.
    case pricingUnknown
    /// Both have a price, and not the same.
    case priceDiffers
    /// The same pieces stand under another currency.
    case currencyDiffers
    /// The day before or after is off the other way: charged on one side of midnight in California,
    /// begun on the other.
    case dayBoundary
    /// Neither ledger nor catalog knows the product: another app's, or nothing of it ever arrived.
    case unknownProduct
    /// A refund was taken back.
    case refundReversed
    /// A change to a higher level pays back a part of the lower one.
    case upgradeCredit
    /// What cost nothing stands in no financial report.
    case freeOfCharge
    /// Financial reports hold what was collected; it may follow in the next month.
    case notSettled
    /// The report is not complete, or of other days or another account.
    case reportIncomplete
  }

  let kind: Kind
  let place: MoneyComparison.Place
  let currency: String
  let reported: MoneySum
  let held: MoneySum
  let reasons: [Reason]

  /// What is stored and shown; an amount that is not known is left out.
  var object: JSONObject {
    var answer = AnswerMembers()
    answer.add("kind", kind.rawValue)
    answer.add("report", place.span.kind.rawValue)
    answer.add("start", place.span.start.description)
    answer.add("end", place.span.end.description)
    answer.add("productId", place.product)
    answer.add("currency", currency.isEmpty ? nil : currency)
    let isRefund = kind == .refunds
    answer.add("reportUnits", .integer(isRefund ? reported.refunded : reported.sold))
    answer.add("ledgerUnits", .integer(isRefund ? held.refunded : held.sold))
    answer.add("reportAmount", amount(reported))
    answer.add("ledgerAmount", amount(held))
    answer.add("reasons", .array(reasons.map { .string($0.rawValue) }))
    if !held.examples.isEmpty {
      answer.add(
        "transactions",
        .array(held.examples.prefix(MoneySum.examplesMax).map { .string($0) })
      )
    }
    return answer.object
  }

  /// What was paid, less what was paid back where the amounts are what differs.
  private func amount(_ sum: MoneySum) -> String? {
    guard !currency.isEmpty else { return nil }
    switch kind {
    case .units: return sum.soldUnpriced > 0 ? nil : ReportAmount.text(sum.soldAmount)
    case .refunds: return sum.refundedUnpriced > 0 ? nil : ReportAmount.text(sum.refundedAmount)
    case .amount:
      guard sum.soldUnpriced + sum.refundedUnpriced == 0 else { return nil }
      return ReportAmount.text(sum.soldAmount.addingClamped(-sum.refundedAmount))
    }
  }
}
