/// Which of Apple's two purchase APIs is in use.
public enum StoreGeneration: String, Hashable, Sendable, Codable, CaseIterable {
  /// The original API: queue, observer, receipt.
  case storekit1
  /// The newer API: signed transactions.
  case storekit2
}
