import HTTPValues
import IAPModel

/// A refusal of the App Store Server API: the number says the HTTP status too.
///
/// - **Source:** the server-interface facts, section 3. The texts are ours.
struct ServerAPIAnswer: Hashable, Sendable {
  let code: Int64
  let message: String

  var response: HTTPResponse {
    let body: JSONValue = ["errorCode": .integer(code), "errorMessage": .string(message)]
    return .json(Int(code / 10_000), body.serialized)
  }

  init(code: Int64, message: String) {
    self.code = code
    self.message = message
  }

  /// The refusal that was thrown; what is no refusal is the store's own trouble.
  init(_ error: SimulatorError) {
    let name = error.code.rawValue
    guard name.hasPrefix(Self.prefix), let code = Int64(name.dropFirst(Self.prefix.count)) else {
      self = .generalInternal
      return
    }
    self.init(code: code, message: error.reason)
  }

  fileprivate static let prefix = "serverAPI."

  static let invalidRevision = Self(code: 4_000_005, message: "revision is not one of ours")
  static let invalidTransactionID = Self(
    code: 4_000_006,
    message: "a transaction id has decimal digits only"
  )
  static let invalidStartDate = Self(code: 4_000_015, message: "startDate is not in milliseconds")
  static let invalidEndDate = Self(code: 4_000_016, message: "endDate is not in milliseconds")
  static let invalidTestNotificationToken = Self(code: 4_000_020, message: "no such kind of token")
  static let invalidSort = Self(code: 4_000_021, message: "sort is ASCENDING or DESCENDING")
  static let invalidProductType = Self(
    code: 4_000_022,
    message: "productType is AUTO_RENEWABLE, NON_RENEWABLE, CONSUMABLE or NON_CONSUMABLE"
  )
  static let invalidOwnershipType = Self(
    code: 4_000_026,
    message: "inAppOwnershipType is PURCHASED or FAMILY_SHARED"
  )
  static let invalidRevoked = Self(code: 4_000_030, message: "revoked is true or false")
  static let invalidStatus = Self(code: 4_000_031, message: "status is a number from 1 to 5")
  static let appTransactionIDNotSupported = Self(
    code: 4_000_048,
    message: "an app transaction id cannot be used here"
  )
  static let serverNotificationURLNotFound = Self(
    code: 4_040_007,
    message: "the app has no address for notifications"
  )
  static let testNotificationNotFound = Self(
    code: 4_040_008,
    message: "the test notification was not sent yet, or is not known"
  )
  static let transactionIDNotFound = Self(code: 4_040_010, message: "no such transaction")
  static let generalInternal = Self(code: 5_000_000, message: "the store could not sign")
}

extension SimulatorError {
  /// A refusal of the App Store Server API on its way to the response.
  static func refusal(_ answer: ServerAPIAnswer) -> SimulatorError {
    SimulatorError(Code(rawValue: "\(ServerAPIAnswer.prefix)\(answer.code)"), answer.message)
  }
}
