public import Foundation

public enum AppStore: Sendable {
  public static var canMakePayments: Bool { StoreHostBinding.required().canMakePayments }

  public static var deviceVerificationID: UUID? {
    StoreHostBinding.required().deviceVerificationID
  }

  public static func sync() async throws {
    let host = StoreHostBinding.required()
    try await host.answering { try await host.sync() }
  }

  /// The age rating of the app as it is installed; nil when the device does not know it.
  public static var ageRatingCode: Int? {
    get async {
      let host = StoreHostBinding.required()
      await host.passWhileAlive()
      return host.ageRatingCode
    }
  }

  public struct Environment: RawRepresentable, Equatable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let production = AppStore.Environment(rawValue: "Production")
    public static let sandbox = AppStore.Environment(rawValue: "Sandbox")
    public static let xcode = AppStore.Environment(rawValue: "Xcode")
  }

  public struct Platform: RawRepresentable, Equatable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let iOS = AppStore.Platform(rawValue: "iOS")
    public static let macOS = AppStore.Platform(rawValue: "macOS")
    public static let tvOS = AppStore.Platform(rawValue: "tvOS")
    public static let visionOS = AppStore.Platform(rawValue: "visionOS")
  }
}
