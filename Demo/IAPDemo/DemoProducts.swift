import Foundation

/// The products, named once; Demo.storekit has the same.
enum DemoProducts {
  static let coins = "com.example.demo.coins"
  static let lifetime = "com.example.demo.lifetime"
  static let season = "com.example.demo.season"
  static let monthly = "com.example.demo.plus.monthly"
  static let yearly = "com.example.demo.plus.yearly"

  /// What is bought once or again and again.
  static let goods = [coins, lifetime, season]
  /// The plans of the group.
  static let plans = [yearly, monthly]
  static let all = goods + plans

  /// The subscription group.
  static let group = "DE300020"
  /// What the plans and the lifetime product open.
  static let plus = "plus"
}

/// Where the app's policies are; yours are on your own site.
enum DemoPolicies {
  static let termsOfUse = address("terms")
  static let privacyPolicy = address("privacy")

  private static func address(_ page: String) -> URL {
    var parts = URLComponents()
    parts.scheme = "https"
    parts.host = "example.com"
    parts.path = "/" + page
    return parts.url ?? URL(fileURLWithPath: "/")
  }
}
