import Foundation
import HTTPValues
import IAPModel

/// Reads the JSON object that a request carries.
enum RequestBody {
  static func object(
    _ request: HTTPRequest,
    bytesMax: Int,
    depthMax: Int
  ) throws(ServerError) -> JSONObject {
    guard request.body.count <= bytesMax else {
      throw ServerError(
        413,
        .invalidRequest,
        .bodyTooLarge,
        "The body is longer than \(bytesMax) bytes."
      )
    }
    // Nearly everybody writes it like this, and taking it apart takes long.
    let isUsual = request.headers["Content-Type"] == "application/json"
    if !isUsual, let type = request.mediaType, type != "application/json",
      !type.hasSuffix("+json")
    {
      throw ServerError(
        415,
        .invalidRequest,
        .mediaTypeUnsupported,
        "The body has to be application/json."
      )
    }
    guard !request.body.isEmpty else {
      throw ServerError(400, .invalidRequest, .bodyEmpty, "The request has no body.")
    }
    do throws(PayloadError) {
      return try JSONParser.parseObject(
        request.body,
        limits: JSONLimits(sizeBytesMax: bytesMax, depthMax: depthMax)
      )
    } catch {
      throw ServerError(
        400,
        .invalidRequest,
        .bodyNotJSON,
        "The body is no JSON object in UTF-8 (\(error.code)): \(error.reason)."
      )
    }
  }
}

/// Takes members out of a request's object, and names the one that is wrong.
struct RequestMembers {
  let object: JSONObject

  /// A text of at most so many UTF-8 bytes; nil when it is absent, null or empty.
  func text(_ name: String, bytesMax: Int) throws(ServerError) -> String? {
    guard let value = object[name], value != .null else { return nil }
    guard let text = value.stringValue else { throw Self.invalid(name, "a text") }
    guard text.utf8.count <= bytesMax else {
      throw Self.invalid(name, "a text of at most \(bytesMax) bytes")
    }
    return text.isEmpty ? nil : text
  }

  /// A customer's name; nil when it is absent, null or empty.
  func customer(_ name: String, _ limits: ServerLimits) throws(ServerError) -> CustomerID? {
    try text(name, bytesMax: limits.accountBytesMax).map { text throws(ServerError) in
      try Self.customer(text, name, limits)
    }
  }

  /// A customer's name as it is kept.
  ///
  /// Two spellings of one text (an accent as a letter of its own, or not) are one customer; texts
  /// that only look alike are different ones.
  static func customer(
    _ text: String,
    _ name: String,
    _ limits: ServerLimits
  ) throws(ServerError) -> CustomerID {
    // ASCII is composed already, and hardly a name is anything else.
    let isASCII = text.utf8.allSatisfy { $0 < 0x80 }
    let composed = isASCII ? text : text.precomposedStringWithCanonicalMapping
    guard (1...limits.accountBytesMax).contains(composed.utf8.count) else {
      throw invalid(name, "a text of 1 to \(limits.accountBytesMax) bytes")
    }
    guard composed.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) else {
      throw invalid(name, "a text without control characters")
    }
    guard composed != reservedName else {
      throw invalid(name, "something else than \(reservedName), which stands for the caller")
    }
    return CustomerID(composed)
  }

  /// The name under which a customer reads its own data.
  private static let reservedName = "me"

  /// A truth value; nil when it is absent or null.
  func bool(_ name: String) throws(ServerError) -> Bool? {
    guard let value = object[name], value != .null else { return nil }
    guard let bool = value.boolValue else { throw Self.invalid(name, "true or false") }
    return bool
  }

  static func missing(_ name: String, _ message: String) -> ServerError {
    ServerError(400, .invalidRequest, .parameterMissing, message, parameter: name)
  }

  /// A text that cannot be a receipt; the reason repeats nothing of it.
  static func invalidReceipt(_ name: String, _ reason: String) -> ServerError {
    invalid(name, "a receipt in base64: \(reason)")
  }

  static func invalid(_ name: String, _ wanted: String) -> ServerError {
    ServerError(
      400,
      .invalidRequest,
      .parameterInvalid,
      "\(name) has to be \(wanted).",
      parameter: name
    )
  }
}
