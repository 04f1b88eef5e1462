public import Foundation

/// What a signed app transaction says, decoded but not verified.
///
/// - **Source:** App Store Server API, `JWSAppTransactionDecodedPayload`.
public struct AppTransactionPayload: Hashable, Sendable {
  /// Where the app was obtained; Apple's member is `receiptType`.
  public var environment: StoreEnvironment
  /// The app's number; absent in Xcode and documented as absent in the sandbox.
  public var appAppleID: AppAppleID?
  /// The app.
  public var bundleID: BundleID
  /// The version of the app that asked.
  public var applicationVersion: String?
  /// When the App Store signed these bytes; it takes the place of `signedDate`.
  public var receiptCreationDate: Date?
  /// When the customer first obtained the app.
  public var originalPurchaseDate: Date?
  /// The version that the customer first obtained.
  public var originalApplicationVersion: String?
  /// When the customer ordered the app before its release.
  public var preorderDate: Date?
  /// The proof that ties the payload to a device, base64.
  public var deviceVerification: String?
  /// The UUID that went into the proof.
  public var deviceVerificationNonce: String?
  /// The customer's download of the app.
  public var appTransactionID: AppTransactionID?
  /// The platform on which the app was first obtained.
  public var originalPlatform: String?
  /// Members that are not known here, in their order.
  public var otherMembers: [JSONMember]

  /// Makes a payload with what every app transaction has; the rest is absent.
  public init(environment: StoreEnvironment, bundleID: BundleID) {
    self.environment = environment
    self.bundleID = bundleID
    self.otherMembers = []
  }
}
