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
}

extension SimulatorError {
  /// A refusal of the App Store Server API on its way to the response.
  static func refusal(_ answer: ServerAPIAnswer) -> SimulatorError {
    SimulatorError(Code(rawValue: "\(ServerAPIAnswer.prefix)\(answer.code)"), answer.message)
  }
}
