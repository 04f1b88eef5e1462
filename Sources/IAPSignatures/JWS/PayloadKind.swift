import Foundation
public import IAPModel

/// The kinds of payloads that the App Store signs as JWS.
public enum PayloadKind: Hashable, Sendable, CaseIterable {
  /// A transaction.
  case transaction
  /// Renewal info.
  case renewalInfo
  /// An app transaction.
  case appTransaction
  /// A notification of version 2.
  case notification

  /// The kind whose marks an object bears, nil when it bears none.
  ///
  /// - Parameter object: The members of a payload.
  /// - Returns: The kind.
  public static func of(_ object: JSONObject) -> PayloadKind? {
    if object["notificationUUID"] != nil || object["notificationType"] != nil {
      return .notification
    }
    if object["transactionId"] != nil { return .transaction }
    if object["autoRenewProductId"] != nil || object["autoRenewStatus"] != nil {
      return .renewalInfo
    }
    return object["receiptType"] == nil ? nil : .appTransaction
  }

  /// The signed thing of this kind.
  public var part: SignedPart {
    switch self {
    case .transaction: .transaction
    case .renewalInfo: .renewalInfo
    case .appTransaction: .appTransaction
    case .notification: .notification
    }
  }

  var words: String {
    switch self {
    case .transaction: "a transaction"
    case .renewalInfo: "renewal info"
    case .appTransaction: "an app transaction"
    case .notification: "a notification"
    }
  }

  /// The kind that a compact JWS seems to carry, without any check.
  ///
  /// - Parameter text: The compact text.
  /// - Returns: The kind, nil when the payload cannot be read or bears no marks.
  public static func guess(_ text: [UInt8]) -> PayloadKind? {
    JWSEvidence(text, limits: .standard, isPayloadAlone: true).payload.value.flatMap { of($0) }
  }
}

/// A payload that is read from the members of a JWS.
protocol SignedPayload: Sendable {
  static var kind: PayloadKind { get }
  init(_ object: JSONObject) throws(PayloadError)
  var claims: Claims { get }
}

/// How a payload is read, and where it says what the rules ask.
struct PayloadForm<Payload: Sendable>: Sendable {
  let kind: PayloadKind
  let read: @Sendable (JSONObject) throws(PayloadError) -> Payload
  let claims: @Sendable (Payload) -> Claims
}

extension PayloadForm where Payload: SignedPayload {
  init() {
    self.init(
      kind: Payload.kind,
      read: { object throws(PayloadError) in try Payload(object) },
      claims: { $0.claims }
    )
  }
}

extension PayloadForm where Payload == JSONObject {
  init(kind: PayloadKind) {
    self.init(
      kind: kind,
      read: { object in object },
      claims: { Claims(members: $0, of: kind) }
    )
  }
}

extension Claims {
  init(members: JSONObject, of kind: PayloadKind) {
    let names = kind == .notification ? members["data"]?.objectValue ?? members : members
    let isAppTransaction = kind == .appTransaction
    let date = members[isAppTransaction ? "receiptCreationDate" : "signedDate"]?.doubleValue
    let environment = names[isAppTransaction ? "receiptType" : "environment"]?.stringValue
    self.init(
      bundleID: names["bundleId"]?.stringValue.map { BundleID($0) },
      appAppleID: names["appAppleId"]?.integerValue.map { AppAppleID($0) },
      environment: environment.map { StoreEnvironment(rawValue: $0) },
      signedDate: date.map { Date(timeIntervalSince1970: $0 / 1000) },
      namesApp: kind != .renewalInfo,
      namesAppAppleID: isAppTransaction || kind == .notification
    )
  }
}

extension TransactionPayload: SignedPayload {
  static var kind: PayloadKind { .transaction }
  var claims: Claims {
    Claims(bundleID: bundleID, environment: environment, signedDate: signedDate)
  }
}

extension RenewalInfoPayload: SignedPayload {
  static var kind: PayloadKind { .renewalInfo }
  var claims: Claims {
    Claims(environment: environment, signedDate: signedDate, namesApp: false)
  }
}

extension AppTransactionPayload: SignedPayload {
  static var kind: PayloadKind { .appTransaction }
  var claims: Claims {
    Claims(
      bundleID: bundleID,
      appAppleID: appAppleID,
      environment: environment,
      signedDate: receiptCreationDate,
      namesAppAppleID: true
    )
  }
}

extension NotificationPayload: SignedPayload {
  static var kind: PayloadKind { .notification }
  var claims: Claims {
    Claims(
      bundleID: bundleID,
      appAppleID: appAppleID,
      environment: environment,
      signedDate: signedDate,
      namesAppAppleID: true
    )
  }
}
