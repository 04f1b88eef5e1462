import Foundation
import IAPModel
import Testing

@testable import EntitlementServer

@Suite struct ReportReaderTests {
  private static let names = [
    "SKU", "Product Type Identifier", "Units", "Begin Date", "End Date", "Customer Currency",
    "Customer Price",
  ]
  private static let header = names.joined(separator: "\t") + "\n"
  private static let row = "coins\tIA1\t2\t01/31/2026\t01/31/2026\tUSD\t0.99\n"

  private func read(_ text: String, name: String = "a.txt") -> ReportContent {
    ReportReader.read(Array(text.utf8), name: name)
  }

  private func sum(_ content: ReportContent) -> MoneySum? { content.sums.sums.values.first }

  @Test func aRowIsAddedUp() throws {
    let content = read(Self.header + Self.row + Self.row)
    #expect(content.kind == .sales)
    #expect(content.rows == 2)
    var wanted = MoneySum()
    (wanted.sold, wanted.soldAmount) = (4, 3960)
    #expect(sum(content) == wanted)
  }

  @Test func aRefundIsBelowNothingInEverySpelling() throws {
    let text = "coins\tIA1\t-3\t01/31/2026\t01/31/2026\tUSD\t-0.99\n"
    var wanted = MoneySum()
    (wanted.refunded, wanted.refundedAmount) = (3, 2970)
    #expect(sum(read(Self.header + text)) == wanted)
  }

  @Test(arguments: [
    ("coins\tIA1\ttwo\t01/31/2026\t01/31/2026\tUSD\t0.99", "units is no whole number"),
    ("coins\tIA1\t1.5\t01/31/2026\t01/31/2026\tUSD\t0.99", "units is no whole number"),
    ("coins\tIA1\t1000000001\t01/31/2026\t01/31/2026\tUSD\t0.99", "units is no whole number"),
    ("coins\tIA1\t1\t02/30/2026\t02/30/2026\tUSD\t0.99", "begin date is no day"),
    (
      "coins\tIA1\t1\t01/31/2026\t01/30/2026\tUSD\t0.99",
      "end date is no day that is not before the first"
    ),
    ("coins\tIA1\t1\t01/31/2026\t01/31/2026\tdollars\t0.99", "customer currency is no currency of"),
    ("coins\tIA1\t1\t01/31/2026\t01/31/2026\tUSD\t0,99", "customer price is no amount"),
    ("coins\tIA1\t1\t01/31/2026\t01/31/2026\tUSD\t0.9999", "customer price is no amount"),
    ("coins\tIA1\t1000000000\t01/31/2026\t01/31/2026\tUSD\t999999999999999", "customer price is"),
    ("\tIA1\t1\t01/31/2026\t01/31/2026\tUSD\t0.99", "sku is no product"),
    ("coins\tIA1\t1\t01/31/2026\t01/31/2026\tUSD", "it has 6 columns, the report 7"),
    ("coins\tIA1\t1\t01/31/2026\t01/31/2026\tUSD\t0.99\t", "it has 8 columns, the report 7"),
  ])
  func aBadRowIsNamedByItsLineAndCountedNowhere(line: String, reason: String) {
    let content = read(Self.header + Self.row + line + "\n" + Self.row)
    #expect(content.rows == 2)
    #expect(content.badRowCount == 1)
    #expect(content.badRows.first?.line == 3)
    #expect(content.badRows.first?.reason.hasPrefix(reason) == true)
  }

  @Test func aLineIsReadUpToItsLimit() {
    let spare = ReportLines.lineBytesMax - Self.row.utf8.count + 1
    let long = String(repeating: " ", count: spare)
    let fits = read(Self.header + Self.row.dropLast() + long + "\n" + Self.row)
    #expect(fits.rows == 2)
    #expect(fits.badRowCount == 0)
    let over = read(Self.header + Self.row.dropLast() + long + " \n" + Self.row)
    #expect(over.rows == 1)
    #expect(over.badRows.map(\.line) == [2])
  }

  @Test func badRowsAreNamedUpToTheLimitAndCounted() {
    let text = Self.header + String(repeating: "x\n", count: ReportReader.badRowsMax + 1)
    let content = read(text)
    #expect(content.badRows.count == ReportReader.badRowsMax)
    #expect(content.badRowCount == ReportReader.badRowsMax + 1)
  }

  @Test func invalidTextIsABadRow() {
    let bytes = Array((Self.header).utf8) + [0xFF, 0xFE, 0x0A] + Array(Self.row.utf8)
    let content = ReportReader.read(bytes, name: "a")
    #expect(content.badRows.map(\.reason) == ["it is no UTF-8"])
    #expect(content.rows == 1)
  }

  @Test func unknownColumnsAreKept() {
    let header = Self.header.dropLast() + "\tMood\n"
    let content = read(header + Self.row.dropLast() + "\tgood\n" + Self.row.dropLast() + "\tgood\n")
    #expect(content.otherColumns == ["Mood": ["good": 2]])
    #expect(content.rows == 2)
  }

  @Test func linesMayEndAsTheyDoElsewhereAndBeginWithAMark() {
    let text = "\u{FEFF}" + (Self.header + Self.row).replacingOccurrences(of: "\n", with: "\r\n")
    #expect(read(text).rows == 1)
    #expect(read(String(text.dropLast())).rows == 1)
  }

  @Test(arguments: ["", "\n", "{}", "a\tb\tc\n1\t2\t3\n", "<html>\n", "Units\tSKU\n"])
  func whatIsNoReportIsSaidToBeNone(text: String) {
    let content = read(text)
    #expect(content.problem == .noReport)
    #expect(content.kind == nil)
  }

  @Test func subscriptionReportsAreRecognisedAndNotCompared() {
    let event = read(
      "Event Date\tEvent\tApp Apple ID\tSubscription Apple ID\tQuantity\n"
        + "2026-01-31\tRenew\t1\t2\t3\n"
    )
    #expect(event.kind == .subscriptionEvent)
    #expect(event.kind?.isCompared == false)
    #expect(event.rows == 1)
    #expect(event.sums.sums.isEmpty)
    let state = read("App Apple ID\tSubscription Apple ID\tCustomer Price\tActive\n1\t2\t3\t4\n")
    #expect(state.kind == .subscription)
  }

  @Test func aFinancialReportKnowsHowManyRowsItHas() {
    let header =
      "Start Date\tEnd Date\tVendor Identifier\tQuantity\tPartner Share Currency\t"
      + "Sale or Return\tCustomer Price\tCustomer Currency\n"
    let row = "12/28/2025\t01/31/2026\tcoins\t2\tUSD\tS\t0.99\tUSD\n"
    #expect(read(header + row + "Total_Rows\t1\n").badRowCount == 0)
    let short = read(header + row + "Total_Rows\t2\n")
    #expect(
      short.badRows.map(\.reason) == ["the report says that it has 2 rows, and 1 were read"]
    )
    let returned = row.replacingOccurrences(of: "\tS\t", with: "\tR\t")
    #expect(sum(read(header + returned))?.refunded == 2)
  }

  @Test func aDailyFileIsAboutItsDayEvenWithoutRows() throws {
    let content = read(Self.header, name: "reports/S_D_80012345_20260131.txt.gz")
    let day = try #require(ReportDay("2026-01-31"))
    #expect(content.covered == ReportSpan(kind: .sales, start: day, end: day))
    #expect(read(Self.header, name: "S_W_80012345_20260131.txt").covered == nil)
    #expect(read(Self.header, name: "anything").covered == nil)
  }

  @Test(arguments: [
    ("01/31/2026", 20_260_131), ("1/3/2026", 20_260_103), ("2026-02-28", 20_260_228),
    ("20240229", 20_240_229),
  ])
  func daysAreReadInAllSpellings(text: String, number: Int) {
    #expect(ReportDay(text)?.number == number)
  }

  @Test(arguments: [
    "", "31/01/2026", "2026-13-01", "2025-02-29", "20260132", "2026/01/31", "01-31-2026",
    "1/1/1", "2026-01-31T", "２０２６-01-31", "-2026-01-1",
  ])
  func whatIsNoDayIsNone(text: String) { #expect(ReportDay(text) == nil) }

  @Test func daysFollowEachOther() throws {
    for (day, next) in [
      ("2026-01-31", "2026-02-01"), ("2024-02-28", "2024-02-29"), ("2025-02-28", "2025-03-01"),
      ("2025-12-31", "2026-01-01"),
    ] {
      #expect(try #require(ReportDay(day)).next.description == next)
    }
  }

  @Test(arguments: [
    ("9.99", 9990), (".7", 700), ("-0.99", -990), ("300", 300_000), ("1.2340", 1234), ("0", 0),
  ])
  func amountsAreExact(text: String, milliunits: Int64) {
    #expect(ReportAmount.milliunits(text) == milliunits)
  }

  @Test(arguments: [
    "", "-", ".", "1,5", "1.2345", "1e3", "+1", "1.2.3", "٣", " 1", "1234567890123456",
  ])
  func whatIsNoAmountIsNone(text: String) { #expect(ReportAmount.milliunits(text) == nil) }
}
