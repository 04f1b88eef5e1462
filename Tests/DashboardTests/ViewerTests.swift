import Foundation
import HTTPValues
import IAPModel
import Testing

@testable import Dashboard

/// Language, region and time zone follow the browser, and a choice wins.
struct ViewerTests {
  private func viewer(
    _ languages: String,
    cookies: String = "",
    target: String = "/"
  ) -> Viewer {
    let request = HTTPRequest(
      method: .get,
      target: target,
      headers: ["Accept-Language": languages, "Cookie": cookies]
    )
    return Viewer(request, Cookies(request))
  }

  @Test(arguments: [
    ("zh-CN,zh;q=0.9,en;q=0.8", Language.simplifiedChinese, "CN"),
    ("zh-SG", .simplifiedChinese, "SG"), ("de-DE,de;q=0.9", .english, "DE"),
    ("en-GB,zh;q=0.9", .english, "GB"), ("en;q=0.2,zh-TW;q=0.8", .simplifiedChinese, "TW"),
    ("", .english, "US"), (";;q=,,", .english, "US"), ("*", .english, "US"),
  ])
  func theBrowserDecides(_ header: String, _ language: Language, _ region: String) {
    let viewer = viewer(header)
    #expect(viewer.language == language)
    #expect(viewer.region == region)
  }

  @Test func aChoiceWinsOverTheBrowser() {
    #expect(viewer("zh-CN", cookies: "iap_language=en").language == .english)
    #expect(viewer("en", target: "/?language=zh-Hans").language == .simplifiedChinese)
    #expect(viewer("en", cookies: "iap_language=klingon").language == .english)
    #expect(viewer("en", cookies: "iap_zone=Asia/Shanghai").zoneName == "Asia/Shanghai")
    #expect(viewer("en", cookies: "iap_zone=Nowhere/Land").zoneName == "UTC")
    #expect(viewer("en", cookies: "iap_zone=<script>").zoneName == "UTC")
  }

  @Test func moneyIsWrittenInItsOwnCurrencyAndTheReadersWay() {
    let money = Money(milliunits: 1_234_500, currency: "EUR")
    #expect(viewer("en-US").money(money) == "€1,234.50")
    #expect(viewer("de-DE").money(money).contains("1.234,50"))
    #expect(viewer("zh-CN").money(Money(milliunits: 6000, currency: "CNY")).contains("6.00"))
    #expect(viewer("en-US").money(Money(milliunits: 300_000, currency: "JPY")) == "¥300")
  }

  @Test func instantsAreInTheChosenZone() {
    let date = Date(milliseconds: 1_767_268_800_000)
    let shanghai = viewer("en-GB", cookies: "iap_zone=Asia/Shanghai").instant(date)
    #expect(shanghai.contains("20:00"), "\(shanghai)")
    #expect(viewer("en-GB").instant(date).contains("12:00"))
  }

  @Test(
    arguments: [
      (0, 4), (4, 4), (5, 5), (10, 10), (11, 20), (99, 100), (101, 200), (9_990, 10_000),
      (400_001, 500_000),
    ] as [(Int64, Int64)]
  )
  func axesEndAtRoundNumbers(_ largest: Int64, _ end: Int64) {
    #expect(DayChart.roundMax(largest) == end)
  }
}
