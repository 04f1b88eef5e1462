public import Foundation

/// What an App Store Server Notification of version 2 says, decoded but not verified.
///
/// The signed texts inside ``Data-swift.struct`` are still texts: each is verified by itself.
///
/// - **Source:** App Store Server Notifications, `responseBodyV2DecodedPayload`.
public struct NotificationPayload: Hashable, Sendable {
  /// What happened.
  public var type: NotificationType
  /// What exactly happened, for some types.
  public var subtype: NotificationSubtype?
  /// The notification's name: the same at every attempt to send it.
  public var uuid: NotificationUUID
  /// The version of the shape, `2.0`.
  public var version: String?
  /// When the App Store signed the bytes.
  public var signedDate: Date?
  /// The app and the transaction it is about; absent for the types that carry another object.
  public var data: Data?
  /// The outcome of a mass extension.
  public var summary: JSONObject?
  /// The token of an external purchase.
  public var externalPurchaseToken: JSONObject?
  /// The app whose use a parent withdrew consent for.
  public var appData: JSONObject?
  /// Members that are not known here, in their order.
  public var otherMembers: [JSONMember]

  /// The app and the transaction that a notification is about.
  public struct Data: Hashable, Sendable {
    /// The app's number; optional in the sandbox.
    public var appAppleID: AppAppleID?
    /// The app.
    public var bundleID: BundleID?
    /// The version of the app that the customer had.
    public var bundleVersion: String?
    /// Where it happened.
    public var environment: StoreEnvironment?
    /// The signed transaction, a compact JWS.
    public var signedTransactionInfo: String?
    /// The signed renewal info, a compact JWS.
    public var signedRenewalInfo: String?
    /// The subscription's state when the notification was signed.
    public var status: SubscriptionStatus?
    /// Why the customer asked for a refund.
    public var consumptionRequestReason: String?
    /// Members that are not known here, in their order.
    public var otherMembers: [JSONMember]

    /// Makes an object in which everything is absent.
    public init() { otherMembers = [] }
  }

  /// Makes a payload with what every notification has; the rest is absent.
  public init(type: NotificationType, uuid: NotificationUUID) {
    self.type = type
    self.uuid = uuid
    self.otherMembers = []
  }

  /// The app that the notification is about, wherever its type puts it.
  public var bundleID: BundleID? {
    if let data { return data.bundleID }
    let other = summary ?? externalPurchaseToken ?? appData
    return other?["bundleId"]?.stringValue.map { BundleID($0) }
  }

  /// The number of that app, wherever its type puts it.
  public var appAppleID: AppAppleID? {
    if let data { return data.appAppleID }
    let other = summary ?? externalPurchaseToken ?? appData
    return other?["appAppleId"]?.integerValue.map { AppAppleID($0) }
  }

  /// Where it happened, wherever its type puts it.
  ///
  /// A token of an external purchase has no environment: its identifier starts with `SANDBOX` in
  /// the sandbox.
  public var environment: StoreEnvironment? {
    if let data { return data.environment }
    if let token = externalPurchaseToken {
      guard let id = token["externalPurchaseId"]?.stringValue else { return nil }
      return id.hasPrefix("SANDBOX") ? .sandbox : .production
    }
    return (summary ?? appData)?["environment"]?.stringValue.map {
      StoreEnvironment(rawValue: $0)
    }
  }
}
