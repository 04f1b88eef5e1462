import Foundation
import IAPModel
import Testing

@Suite("Wire dates")
struct WireDateTests {
  private func date(_ number: String) throws -> Date? {
    let text = #"{"originalTransactionId":"1","productId":"p","renewalDate":\#(number)}"#
    return try RenewalInfoPayload(JSONParser.parseObject(text.utf8)).renewalDate
  }

  @Test(
    "milliseconds since 1970 are read, with and without a fraction",
    arguments: [
      ("0", 0), ("1700000000123", 1_700_000_000.123), ("-1000", -1), ("1.7e12", 1_700_000_000),
      ("1697679936049.7297", 1_697_679_936.049_729_7),
    ] as [(String, Double)]
  )
  func reads(_ number: String, _ seconds: Double) throws {
    let read = try #require(try date(number))
    #expect(abs(read.timeIntervalSince1970 - seconds) < 0.000_001)
  }

  @Test("a fraction of a millisecond is rounded when it is written")
  func rounds() {
    #expect(Date(timeIntervalSince1970: 1_697_679_936.049_729_7).milliseconds == 1_697_679_936_050)
    #expect(Date(timeIntervalSince1970: -0.000_4).milliseconds == 0)
  }

  @Test(
    "milliseconds survive there and back",
    arguments: [0, 1, -1, 1_700_000_000_123, 4_102_444_799_999, -62_135_596_800_000] as [Int64]
  )
  func roundTrip(_ milliseconds: Int64) {
    #expect(Date(milliseconds: milliseconds).milliseconds == milliseconds)
  }

  @Test("the furthest date is read, one further is refused, and neither traps when written")
  func limits() throws {
    #expect(try date("8640000000000000")?.milliseconds == 8_640_000_000_000_000)
    #expect(try date("-8640000000000000")?.milliseconds == -8_640_000_000_000_000)
    for number in ["8640000000000001", "-8640000000000001", "1e300", "1e400"] {
      #expect(throws: PayloadError(.wrongType, "")) { try date(number) }
    }
    #expect(Date(timeIntervalSince1970: 1e300).milliseconds == 8_640_000_000_000_000)
    #expect(Date.distantFuture.milliseconds == 64_092_211_200_000)
  }
}

@Suite("Units of goods")
struct UnitTests {
  private func payload(_ type: ProductType?, line: WebOrderLineItemID? = nil) -> TransactionPayload
  {
    var payload = TransactionPayload(
      transactionID: "12",
      originalTransactionID: "10",
      bundleID: "b",
      productID: "p",
      purchaseDate: Date(milliseconds: 1_700_000_000_123)
    )
    payload.type = type
    payload.webOrderLineItemID = line
    return payload
  }

  @Test func everyTypeIsPaidForByItsOwnUnit() {
    #expect(payload(.consumable).unit == "tx:12")
    #expect(payload(.nonRenewable).unit == "tx:12")
    #expect(payload(.nonConsumable).unit == "orig:10")
    #expect(payload(.autoRenewable, line: "7").unit == "period:10:line:7")
    #expect(payload(.autoRenewable).unit == "period:10:at:1700000000123")
  }

  @Test func anUnknownTypeHasNoUnit() {
    #expect(payload(nil).unit == nil)
    #expect(payload(ProductType(rawValue: "Rental")).unit == nil)
  }

  @Test func aRestoredCopyOfANonConsumableIsTheSameUnit() {
    var copy = payload(.nonConsumable)
    copy.transactionID = "99"
    #expect(copy.unit == payload(.nonConsumable).unit)
  }
}

@Suite("Payloads")
struct PayloadValueTests {
  private let payload = TransactionPayload(
    transactionID: "12",
    originalTransactionID: "10",
    bundleID: "b",
    productID: "p",
    purchaseDate: Date(milliseconds: 1_700_000_000_123)
  )

  @Test func aChangedCopyLeavesTheOriginalAlone() {
    var copy = payload
    copy.quantity = 3
    copy.change {
      $0.currency = "EUR"
      $0.priceMilliunits = 990
    }
    #expect(payload.quantity == nil && payload.price == nil)
    #expect(copy.quantity == 3 && copy.price == Money(milliunits: 990, currency: "EUR"))
    #expect(copy != payload)
  }

  @Test func equalPayloadsAreOneInASet() {
    var (same, other) = (payload, payload)
    same.storefront = "USA"
    #expect(Set([payload, same, other]) == [payload, same])
    other.storefront = "USA"
    #expect(same == other && same.hashValue == other.hashValue)
    #expect(Set([same, other]).count == 1)
  }

  @Test func membersAreFoundInAnyOrder() throws {
    let members = payload.object.members
    for turn in members.indices {
      let turned = JSONObject(Array(members[turn...] + members[..<turn]))
      #expect(try TransactionPayload(turned) == payload)
      #expect(try TransactionPayload(JSONObject(turned.members.reversed())) == payload)
    }
  }
}

@Suite("Identifiers")
struct IdentifierTests {
  @Test func spellingIsKept() {
    #expect(ProductID("Com.Example.ÄÖ").rawValue == "Com.Example.ÄÖ")
    #expect("\(TransactionID("0012"))" == "0012")
    #expect(TransactionID("0012") != TransactionID("12"))
    #expect(ProductID("a") < ProductID("b"))
  }

  @Test func codingWritesTheBareText() throws {
    let ids: [ProductID] = ["a", "b"]
    let data = try JSONEncoder().encode(ids)
    #expect(String(decoding: data, as: UTF8.self) == #"["a","b"]"#)
    #expect(try JSONDecoder().decode([ProductID].self, from: data) == ids)
  }

  @Test func theRedactedFormShowsFourCharacters() {
    #expect(CustomerID("customer-123456").redacted == "…3456")
  }

  @Test(
    "an account token is read in either case and written in lower case",
    arguments: ["7E3FB20B-4CDB-47CC-936D-99D65F608138", "7e3fb20b-4cdb-47cc-936d-99d65f608138"]
  )
  func token(_ text: String) {
    #expect(AppAccountToken(text)?.description == "7e3fb20b-4cdb-47cc-936d-99d65f608138")
    #expect(OrderNumber(text)?.accountToken == AppAccountToken(text))
  }

  @Test("what is no UUID is no token", arguments: ["", "x", "7e3fb20b-4cdb-47cc-936d-99d65f60813"])
  func noToken(_ text: String) {
    #expect(AppAccountToken(text) == nil)
    #expect(OrderNumber(text) == nil)
  }
}

@Suite("Money and periods")
struct MoneyAndPeriodTests {
  @Test(
    "an amount is exact in the currency's main unit",
    arguments: [(9_990, "9.99"), (300_000, "300"), (1, "0.001"), (-990, "-0.99"), (0, "0")]
  )
  func amount(_ milliunits: Int64, _ text: String) {
    #expect(Money(milliunits: milliunits, currency: "USD").amount == Decimal(string: text))
  }

  @Test("Apple's periods are read and written back", arguments: ["P3D", "P1W", "P1M", "P10000Y"])
  func period(_ text: String) {
    #expect(SubscriptionPeriod(iso8601: text)?.iso8601 == text)
  }

  @Test(
    "other texts are no period",
    arguments: ["", "P", "P1", "PD", "P0D", "P-1D", "P1H", "P10001D", "P1M2D", "PT1M", "p1m", "1M"]
  )
  func noPeriod(_ text: String) {
    #expect(SubscriptionPeriod(iso8601: text) == nil)
  }
}
