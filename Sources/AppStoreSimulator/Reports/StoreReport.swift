public import Foundation
public import IAPModel

/// A report that developers download about their sales.
public enum StoreReport: String, Hashable, Sendable, CaseIterable {
  /// Summary Sales: what was sold and paid back, by day, product and price.
  case summarySales
  /// Subscriber: a line for each payment for a subscription.
  case subscriber
  /// A financial report over the whole span.
  case financial
}

extension SimulatedAppStore {
  /// Writes a report about what was sold, as App Store Connect hands it out: a text with tabs.
  ///
  /// A day is one in California. A purchase stands at its date, a refund at the date on which it
  /// was paid back; refunds that were taken back, family members' copies and restored copies do not
  /// stand in it.
  ///
  /// - Parameters:
  ///   - report: Which report.
  ///   - start: An instant of the first day.
  ///   - end: An instant of the last day.
  ///   - app: The app; nil for the first one.
  /// - Returns: The text, with the names of the columns in its first line.
  public func report(
    _ report: StoreReport,
    from start: Date,
    to end: Date,
    app: BundleID? = nil
  ) -> String {
    let bundleID = app ?? configuration.bundleID
    let writer = StoreReportWriter(
      records: read { $0.state.transactions.filter { $0.bundleID == bundleID } },
      start: start,
      end: end
    )
    return writer.text(report)
  }
}

/// Writes the records of an app down as a report.
private struct StoreReportWriter {
  private let records: [StoreTransactionRecord]
  private let first: String
  private let last: String
  private let numbers: [ProductID: Int]

  init(records: [StoreTransactionRecord], start: Date, end: Date) {
    self.records = records.filter { $0.ownership == .purchased && !$0.isRestoredCopy }
    first = Self.day(start)
    last = Self.day(end)
    let products = Set(records.map(\.productID)).sorted()
    numbers = Dictionary(
      uniqueKeysWithValues: products.enumerated().map { ($1, 6_000_000_001 + $0) }
    )
  }

  /// One movement of money: a sale, or a refund.
  private struct Movement {
    let record: StoreTransactionRecord
    let day: String
    /// Pieces, below nothing for a refund.
    let units: Int
    /// The price of a piece in thousandths.
    let price: Int64

    var currency: String { record.storefront.currency }
  }

  private var movements: [Movement] {
    let all = records.flatMap { record -> [Movement] in
      let price = record.priceMilliunits / Int64(max(1, record.quantity))
      var found = [
        Movement(
          record: record,
          day: Self.day(record.purchaseDate),
          units: record.quantity,
          price: price
        )
      ]
      if let date = record.revocationDate {
        let share = Int64(record.revocationPercentage ?? 100_000)
        found.append(
          Movement(
            record: record,
            day: Self.day(date),
            units: -record.quantity,
            price: price * share / 100_000
          )
        )
      }
      return found
    }
    return all.filter { (first...last).contains($0.day) }
  }

  func text(_ report: StoreReport) -> String {
    let lines =
      switch report {
      case .summarySales: sales()
      case .subscriber: subscribers()
      case .financial: financial()
      }
    return lines.map { $0.joined(separator: "\t") + "\n" }.joined()
  }

  // MARK: The reports

  private struct Group: Hashable {
    let day: String
    let product: ProductID
    let currency: String
    let price: Int64
    let isRefund: Bool
  }

  /// Movements of one price together, in order.
  private func grouped(byDay: Bool) -> [(group: Group, units: Int, record: StoreTransactionRecord)]
  {
    var order: [Group] = []
    var sums: [Group: (units: Int, record: StoreTransactionRecord)] = [:]
    for movement in movements {
      let group = Group(
        day: byDay ? movement.day : "",
        product: movement.record.productID,
        currency: movement.currency,
        price: movement.price,
        isRefund: movement.units < 0
      )
      if sums[group] == nil { order.append(group) }
      sums[group, default: (0, movement.record)].units += movement.units
    }
    return order.compactMap { group in sums[group].map { (group, $0.units, $0.record) } }
  }

  private func sales() -> [[String]] {
    let names = [
      "Provider", "Provider Country", "SKU", "Developer", "Title", "Version",
      "Product Type Identifier", "Units", "Developer Proceeds", "Begin Date", "End Date",
      "Customer Currency", "Country Code", "Currency of Proceeds", "Apple Identifier",
      "Customer Price", "Promo Code", "Parent Identifier", "Subscription", "Period", "Category",
      "CMB", "Device", "Supported Platforms", "Proceeds Reason", "Preserved Pricing", "Client",
      "Order Type",
    ]
    let rows = grouped(byDay: true).map { group, units, record -> [String] in
      let day = Self.slashed(group.day)
      let price = (group.isRefund ? "-" : "") + Self.amount(group.price)
      return [
        "APPLE", "US", group.product.rawValue, "Example", group.product.rawValue, " ",
        Self.type(record.type), "\(units)", Self.amount(group.price * 7 / 10), day, day,
        group.currency, String(record.storefront.countryCode.prefix(2)), group.currency,
        "\(numbers[group.product] ?? 0)", price, " ", "EXAMPLE", " ", " ", "Games", " ", "iPhone",
        "iOS", " ", " ", " ", " ",
      ]
    }
    return [names] + rows
  }

  private func subscribers() -> [[String]] {
    let names = [
      "Event Date", "App Name", "App Apple ID", "Subscription Name", "Subscription Apple ID",
      "Subscription Group ID", "Standard Subscription Duration", "Subscription Offer Name",
      "Promotional Offer ID", "Subscription Offer Type", "Subscription Offer Duration",
      "Marketing Opt-In Duration", "Customer Price", "Customer Currency", "Developer Proceeds",
      "Proceeds Currency", "Preserved Pricing", "Proceeds Reason", "Client", "Device", "Country",
      "Subscriber ID", "Subscriber ID Reset", "Refund", "Purchase Date", "Units",
    ]
    let rows = movements.filter { $0.record.type == .autoRenewable }.map { movement -> [String] in
      let isRefund = movement.units < 0
      let price = (isRefund ? "-" : "") + Self.amount(movement.price)
      return [
        Self.dashed(movement.day), "Example", "", movement.record.productID.rawValue,
        "\(numbers[movement.record.productID] ?? 0)", movement.record.groupID?.rawValue ?? "",
        "1 Month", "", "", "", "", "", price, movement.currency,
        Self.amount(movement.price * 7 / 10), movement.currency, "", "", "", "iPhone",
        String(movement.record.storefront.countryCode.prefix(2)), "9000001", "",
        isRefund ? "Yes" : "", isRefund ? Self.dashed(Self.day(movement.record.purchaseDate)) : "",
        "\(abs(movement.units))",
      ]
    }
    return [names] + rows
  }

  private func financial() -> [[String]] {
    let names = [
      "Start Date", "End Date", "UPC", "ISRC/ISBN", "Vendor Identifier", "Quantity",
      "Partner Share", "Extended Partner Share", "Partner Share Currency", "Sale or Return",
      "Apple Identifier", "Artist/Show/Developer/Author", "Title",
      "Label/Studio/Network/Developer/Publisher", "Grid", "Product Type Identifier",
      "ISAN/Other Identifier", "Country Of Sale", "Pre-order Flag", "Promo Code", "Customer Price",
      "Customer Currency",
    ]
    let rows = grouped(byDay: false).filter { $0.group.price > 0 }.map {
      group,
      units,
      record -> [String] in
      let share = group.price * 7 / 10
      return [
        Self.slashed(first), Self.slashed(last), "", "", group.product.rawValue, "\(units)",
        Self.amount(share), Self.amount(share * Int64(units)), group.currency,
        group.isRefund ? "R" : "S", "\(numbers[group.product] ?? 0)", "Example",
        group.product.rawValue, "", "", Self.type(record.type), "",
        String(record.storefront.countryCode.prefix(2)), "", "", Self.amount(group.price),
        group.currency,
      ]
    }
    return [names] + rows + [["Total_Rows", "\(rows.count)"]]
  }

  // MARK: Spellings

  private static func type(_ type: ProductType) -> String {
    switch type {
    case .autoRenewable: "IAY"
    case .nonRenewable: "IA9"
    default: "IA1"
    }
  }

  private static func amount(_ milliunits: Int64) -> String {
    let cents = (milliunits.magnitude + 5) / 10
    let rest = String(cents % 100)
    return (milliunits < 0 ? "-" : "") + "\(cents / 100)." + (rest.count < 2 ? "0" + rest : rest)
  }

  /// A day in California as `20260131`.
  private static func day(_ date: Date) -> String {
    var calendar = Calendar(identifier: .gregorian)
    if let zone = TimeZone(identifier: BillingCalendar.timeZoneName) { calendar.timeZone = zone }
    let parts = calendar.dateComponents([.year, .month, .day], from: date)
    return String((parts.year ?? 0) * 10_000 + (parts.month ?? 0) * 100 + (parts.day ?? 0))
  }

  private static func slashed(_ day: String) -> String {
    "\(day.dropFirst(4).prefix(2))/\(day.suffix(2))/\(day.prefix(4))"
  }

  private static func dashed(_ day: String) -> String {
    "\(day.prefix(4))-\(day.dropFirst(4).prefix(2))-\(day.suffix(2))"
  }
}
