import AppStoreSimulator
import Foundation
import IAPModel
import Testing

struct BillingCalendarTests {
  let calendar = BillingCalendar()

  @Test(arguments: [
    ("2026-01-01T12:00:00Z", "P1M", 1, "2026-02-01T12:00:00Z"),
    ("2026-01-01T12:00:00Z", "P1W", 1, "2026-01-08T12:00:00Z"),
    ("2026-01-01T12:00:00Z", "P3D", 2, "2026-01-07T12:00:00Z"),
    ("2026-01-01T12:00:00Z", "P1Y", 1, "2027-01-01T12:00:00Z"),
    // A day that the month does not have becomes its last day, and comes back afterwards.
    ("2026-01-31T20:00:00Z", "P1M", 1, "2026-02-28T20:00:00Z"),
    ("2026-01-31T20:00:00Z", "P1M", 2, "2026-03-31T19:00:00Z"),
    ("2028-01-31T20:00:00Z", "P1M", 1, "2028-02-29T20:00:00Z"),
    ("2028-02-29T20:00:00Z", "P1Y", 1, "2029-02-28T20:00:00Z"),
    // Summer time of the Pacific coast keeps the hour there, not in UTC.
    ("2026-02-20T12:00:00Z", "P1M", 1, "2026-03-20T11:00:00Z"),
    ("2022-11-01T12:00:00Z", "P6D", 1, "2022-11-07T13:00:00Z"),
    // What is the next day in UTC is still the last of the month there.
    ("2026-02-01T05:00:00Z", "P1M", 1, "2026-03-01T05:00:00Z"),
  ])
  func periodsEndWhereTheCalendarOfTheWestCoastSays(
    _ start: String,
    _ period: String,
    _ count: Int,
    _ end: String
  ) throws {
    let length = try #require(SubscriptionPeriod(iso8601: period))
    #expect(calendar.end(from: try date(start), of: length, count: count) == (try date(end)))
  }
}
