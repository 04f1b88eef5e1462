/// What an app says above its products: its marketing.
public struct PaywallHeadline: Hashable, Sendable {
  /// The large line.
  public var title: String
  /// The line below it.
  public var subtitle: String?
  /// What the customer gets, a line each.
  public var points: [String]

  /// Makes a headline, in the user's language.
  public init(title: String, subtitle: String? = nil, points: [String] = []) {
    self.title = title
    self.subtitle = subtitle
    self.points = points
  }
}
