import IAPModel

/// One row of a report.
struct ReportRow {
  enum Reading {
    /// Money for an in-app purchase.
    case money(MoneyKey, MoneySum)
    /// Something else: a download, an update, another app's.
    case other
    case bad(String)
  }

  /// The longest name of a product; Apple's have at most 100 letters.
  static let nameBytesMax = 255

  let cells: [String]
  let columns: [ReportColumn: Int]
  let appAppleID: AppAppleID?
  /// Apple's number of a product, and the product.
  private(set) var product: (String, String)?
  /// Apple's number of an app, and the app's SKU.
  private(set) var app: (String, String)?
  /// What the developer gets for it.
  private(set) var proceeds: (String, Int64)?

  init(cells: [String], columns: [ReportColumn: Int], appAppleID: AppAppleID?) {
    self.cells = cells
    self.columns = columns
    self.appAppleID = appAppleID
  }

  private func text(_ column: ReportColumn) -> String { columns[column].map { cells[$0] } ?? "" }

  mutating func read(_ kind: ReportKind) -> Reading {
    switch kind {
    case .sales: sales()
    case .financial: financial()
    case .subscriber: subscriber()
    case .subscriptionEvent, .subscription: .other
    }
  }

  private mutating func sales() -> Reading {
    guard isInApp(text(.productType)) else {
      let (number, sku) = (text(.appleIdentifier), text(.sku))
      if !number.isEmpty, !sku.isEmpty { app = (number, sku) }
      return .other
    }
    guard let units = ReportAmount.units(text(.units)) else { return wrong(.units, "whole number") }
    let span: ReportSpan
    switch days(.sales, .beginDate, .endDate) {
    case .span(let found): span = found
    case .none(let reading): return reading
    }
    let name = text(.sku)
    guard isName(name) else { return wrong(.sku, "product") }
    let number = text(.appleIdentifier)
    if !number.isEmpty { product = (number, name) }
    let isRefund = units < 0
    let reading = money(span, name, units, isRefund: isRefund, parent: text(.parentIdentifier))
    if case .money = reading {
      note(proceeds: .developerProceeds, .currencyOfProceeds, times: units)
    }
    return reading
  }

  private mutating func financial() -> Reading {
    let type = text(.productType)
    guard type.isEmpty || isInApp(type) else { return .other }
    guard let units = ReportAmount.units(text(.quantity)) else {
      return wrong(.quantity, "whole number")
    }
    let span: ReportSpan
    switch days(.financial, .startDate, .endDate) {
    case .span(let found): span = found
    case .none(let reading): return reading
    }
    let name = text(.vendorIdentifier)
    guard isName(name) else { return wrong(.vendorIdentifier, "product") }
    let word = text(.saleOrReturn) + text(.salesOrReturn)
    let reading = money(span, name, units, isRefund: units < 0 || word == "R", parent: "")
    if case .money = reading {
      note(proceeds: .extendedPartnerShare, .partnerShareCurrency, times: 1)
    }
    return reading
  }

  private mutating func subscriber() -> Reading {
    if let appAppleID, !text(.appAppleID).isEmpty, text(.appAppleID) != "\(appAppleID)" {
      return .other
    }
    guard let day = ReportDay(text(.eventDate)) else { return wrong(.eventDate, "day") }
    let given = text(.units)
    guard let units = given.isEmpty ? 1 : ReportAmount.units(given) else {
      return wrong(.units, "whole number")
    }
    let number = text(.subscriptionAppleID)
    guard isName(number) else { return wrong(.subscriptionAppleID, "number of a product") }
    let isRefund =
      units < 0 || text(.refund).lowercased() == "yes" || text(.customerPrice).hasPrefix("-")
    let span = ReportSpan(kind: .subscriber, start: day, end: day)
    let reading = money(span, "#" + number, units, isRefund: isRefund, parent: "")
    if case .money = reading {
      note(proceeds: .developerProceeds, .proceedsCurrency, times: isRefund ? -abs(units) : units)
    }
    return reading
  }

  // MARK: Parts

  /// In-app purchases of every kind and platform have such types.
  private func isInApp(_ type: String) -> Bool { type.hasPrefix("IA") || type.hasPrefix("FI") }

  private func isName(_ text: String) -> Bool {
    (1...Self.nameBytesMax).contains(text.utf8.count)
  }

  private enum Days {
    case span(ReportSpan)
    case none(Reading)
  }

  private func days(
    _ kind: ReportKind,
    _ first: ReportColumn,
    _ last: ReportColumn
  ) -> Days {
    guard let start = ReportDay(text(first)) else { return .none(wrong(first, "day")) }
    guard let end = ReportDay(text(last)), start <= end else {
      return .none(wrong(last, "day that is not before the first"))
    }
    return .span(ReportSpan(kind: kind, start: start, end: end))
  }

  private func money(
    _ span: ReportSpan,
    _ product: String,
    _ units: Int64,
    isRefund: Bool,
    parent: String
  ) -> Reading {
    let currency = text(.customerCurrency)
    guard currency.isEmpty || (currency.utf8.count == 3 && currency.utf8.allSatisfy(isLetter))
    else { return wrong(.customerCurrency, "currency of three letters") }
    var price: Int64?
    if !text(.customerPrice).isEmpty {
      guard let found = ReportAmount.milliunits(text(.customerPrice)) else {
        return wrong(.customerPrice, "amount")
      }
      price = currency.isEmpty && found != 0 ? nil : abs(found)
    }
    let pieces = abs(units)
    var sum = MoneySum()
    let amount = price.map { $0.multipliedReportingOverflow(by: pieces) }
    if amount?.overflow == true { return wrong(.customerPrice, "amount") }
    if isRefund {
      sum.refunded = pieces
      sum.refundedAmount = amount?.partialValue ?? 0
      sum.refundedUnpriced = price == nil ? pieces : 0
    } else {
      sum.sold = pieces
      sum.soldAmount = amount?.partialValue ?? 0
      sum.soldUnpriced = price == nil ? pieces : 0
      sum.free = price == 0 ? pieces : 0
    }
    return .money(
      MoneyKey(span: span, product: product, currency: currency, parent: parent),
      sum
    )
  }

  private mutating func note(
    proceeds column: ReportColumn,
    _ currency: ReportColumn,
    times units: Int64
  ) {
    // Proceeds have more decimals than prices; they are only shown.
    let text = text(column)
    guard let amount = ReportAmount.milliunits(ReportAmount.rounded(text)),
      !self.text(currency).isEmpty
    else { return }
    proceeds = (self.text(currency), amount.multipliedReportingOverflow(by: units).partialValue)
  }

  private func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
  }

  private func wrong(_ column: ReportColumn, _ wanted: String) -> Reading {
    .bad("\(column.rawValue) is no \(wanted)")
  }
}
