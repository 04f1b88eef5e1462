public import Foundation

/// Whether the user may use a feature.
///
/// "Unknown" is not "no": nobody has answered yet. Show what was there before, or a placeholder.
public enum Access: Hashable, Sendable {
  /// Nobody could be asked yet.
  case unknown
  /// The one who decides says no.
  case no
  /// The one who decides says yes, until the date, or without end when it is nil.
  ///
  /// Provisional means that the answer comes from a cache, or from the device while the server has
  /// not said its own yet.
  case yes(until: Date?, source: AccessSource, provisional: Bool)

  /// Whether the answer is yes, provisional or not.
  public var isGranted: Bool {
    if case .yes = self { true } else { false }
  }
}

/// Who said that there is access.
public enum AccessSource: String, Hashable, Sendable, Codable, CaseIterable {
  /// The server, which has the last word where there is one.
  case server
  /// This device, from the App Store's signed data.
  case device
}

/// How access is judged while the server is silent.
public struct AccessPolicy: Hashable, Sendable {
  /// For how many seconds an answer of the server counts while it cannot be asked again.
  public var offlineSeconds: TimeInterval
  /// By how many seconds the clock may seem to have gone back before a kept answer counts no more.
  public var rollbackSeconds: TimeInterval

  /// Makes a policy; by default an answer counts for a week, and an hour of clock trouble is borne.
  public init(offlineSeconds: TimeInterval = 7 * 86_400, rollbackSeconds: TimeInterval = 3600) {
    self.offlineSeconds = offlineSeconds
    self.rollbackSeconds = rollbackSeconds
  }
}
