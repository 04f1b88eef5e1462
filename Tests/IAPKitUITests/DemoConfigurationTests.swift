import Foundation
import IAPKit
import IAPModel
import Testing

@Suite("Demo configuration")
struct DemoConfigurationTests {
  @Test func theInfoPlistOfTheDemoAppIsRead() throws {
    let file = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Demo/IAPDemo/Info.plist")
    let values = try PropertyListSerialization.propertyList(
      from: try Data(contentsOf: file),
      format: nil
    )
    let configuration = try IAPConfiguration(
      infoDictionary: try #require(values as? [String: Any])
    )
    #expect(configuration.productIds.count == 5)
    #expect(configuration.productTypes["com.example.demo.coins"] == .consumable)
    #expect(
      configuration.accessPeriods == ["com.example.demo.season": SubscriptionPeriod(90, .day)]
    )
    #expect(configuration.logLevel == .debug)
  }
}
