/// Something that is counted or measured, known by its name.
///
/// Every request looks some of them up, so neither the words that explain one nor the ends of its
/// buckets are compared: no two have the same name.
protocol ServerMetric: Hashable, Sendable {
  /// Its name on the page.
  var name: String { get }
}

extension ServerMetric {
  static func == (left: Self, right: Self) -> Bool { left.name == right.name }

  func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
