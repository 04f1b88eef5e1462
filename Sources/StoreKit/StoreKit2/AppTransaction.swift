public import Foundation

/// What the App Store signed about the customer's download of the app.
public struct AppTransaction: Sendable {
  public package(set) var appID: UInt64?
  public package(set) var appTransactionID: String
  public package(set) var appVersion: String
  public package(set) var appVersionID: UInt64?
  public package(set) var bundleID: String
  public package(set) var environment: AppStore.Environment
  public package(set) var originalAppVersion: String
  public package(set) var originalPurchaseDate: Date
  public package(set) var originalPlatform: AppStore.Platform
  public package(set) var preorderDate: Date?
  public package(set) var deviceVerification: Data
  public package(set) var deviceVerificationNonce: UUID
  public package(set) var signedDate: Date

  /// The signed text that the values came from.
  package let jwsRepresentation: String

  package init(
    jwsRepresentation: String,
    appTransactionID: String,
    appVersion: String,
    bundleID: String,
    environment: AppStore.Environment,
    originalAppVersion: String,
    originalPurchaseDate: Date,
    originalPlatform: AppStore.Platform,
    deviceVerification: Data,
    deviceVerificationNonce: UUID,
    signedDate: Date
  ) {
    self.jwsRepresentation = jwsRepresentation
    self.appTransactionID = appTransactionID
    self.appVersion = appVersion
    self.bundleID = bundleID
    self.environment = environment
    self.originalAppVersion = originalAppVersion
    self.originalPurchaseDate = originalPurchaseDate
    self.originalPlatform = originalPlatform
    self.deviceVerification = deviceVerification
    self.deviceVerificationNonce = deviceVerificationNonce
    self.signedDate = signedDate
  }

  public var jsonRepresentation: Data { CompactJWS(text: jwsRepresentation).payload }
  public var originalPlatformStringRepresentation: String { originalPlatform.rawValue }

  public static var shared: VerificationResult<AppTransaction> {
    get async throws { try await ask(refreshing: false) }
  }

  public static func refresh() async throws -> VerificationResult<AppTransaction> {
    try await ask(refreshing: true)
  }

  private static func ask(refreshing: Bool) async throws -> VerificationResult<AppTransaction> {
    let host = StoreHostBinding.required()
    return try await host.answering { try await host.appTransaction(refreshing: refreshing) }
  }
}

extension AppTransaction: Equatable, Hashable, CustomDebugStringConvertible {
  public static func == (lhs: AppTransaction, rhs: AppTransaction) -> Bool {
    lhs.jsonRepresentation == rhs.jsonRepresentation
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(jsonRepresentation) }

  public var debugDescription: String { String(decoding: jsonRepresentation, as: UTF8.self) }
}
