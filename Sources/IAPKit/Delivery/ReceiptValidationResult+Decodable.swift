import Foundation
import IAPModel

extension ReceiptValidationResult: Decodable {
  private enum Member: String, CodingKey {
    case verdict, isValid, productId, expiresDate, transactionId, originalTransactionId
    case environment, unit, claimedBy, acknowledged, revocationDate, entitlements, reasons
    case belongsToAnother, customerToken, simulated, accountProven, reversedRevocationDate
    case requestId = "request_id"
  }

  /// Reads a server's answer.
  ///
  /// - Parameter decoder: A decoder in any configuration; dates are read by this method itself.
  /// - Throws: `DecodingError` when neither `isValid` nor a known `verdict` is there, when the two
  ///   contradict each other, or when a member has the wrong type.
  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: Member.self)
    self.init(isValid: try Self.validity(members))
    productId = try members.decodeIfPresent(String.self, forKey: .productId)
    expiresDate = try members.decodeIfPresent(WireInstant.self, forKey: .expiresDate)?.date
    transactionId = try members.decodeIfPresent(String.self, forKey: .transactionId)
    originalTransactionId = try members.decodeIfPresent(
      String.self,
      forKey: .originalTransactionId
    )
    environment = try members.decodeIfPresent(String.self, forKey: .environment)
      .map(StoreEnvironment.init(rawValue:))
    unit = try members.decodeIfPresent(String.self, forKey: .unit)
    claimedBy = try members.decodeIfPresent(String.self, forKey: .claimedBy)
    isAcknowledged = try members.decodeIfPresent(Bool.self, forKey: .acknowledged)
    belongsToAnother = try members.decodeIfPresent(Bool.self, forKey: .belongsToAnother)
    revocationDate = try members.decodeIfPresent(WireInstant.self, forKey: .revocationDate)?.date
    entitlements = try members.decodeIfPresent([ValidatedEntitlement].self, forKey: .entitlements)
    reasons = try members.decodeIfPresent([RejectionReason].self, forKey: .reasons) ?? []
    customerToken = try members.decodeIfPresent(String.self, forKey: .customerToken)
    isSimulated = try members.decodeIfPresent(Bool.self, forKey: .simulated) ?? false
    reversedRevocationDate =
      try members.decodeIfPresent(WireInstant.self, forKey: .reversedRevocationDate)?.date
    isAccountUnproven =
      try members.decodeIfPresent(Bool.self, forKey: .accountProven) == false
    requestId = try members.decodeIfPresent(String.self, forKey: .requestId)
  }

  private static func validity(_ members: KeyedDecodingContainer<Member>) throws -> Bool {
    let plain = try members.decodeIfPresent(Bool.self, forKey: .isValid)
    let spoken: Bool?
    switch try members.decodeIfPresent(String.self, forKey: .verdict) {
    case "accepted"?: spoken = true
    case "rejected"?: spoken = false
    case nil: spoken = nil
    case _?:
      throw DecodingError.dataCorruptedError(
        forKey: .verdict,
        in: members,
        debugDescription: "verdict is neither accepted nor rejected"
      )
    }
    guard let verdict = plain ?? spoken, verdict == spoken ?? verdict else {
      throw DecodingError.dataCorruptedError(
        forKey: .isValid,
        in: members,
        debugDescription: "isValid is missing, or contradicts verdict"
      )
    }
    return verdict
  }
}

extension ValidatedEntitlement {
  private enum Member: String, CodingKey { case id, productId, until, source, reason }

  /// Reads an entitlement; `until` is UNIX milliseconds or ISO 8601.
  ///
  /// - Parameter decoder: A decoder in any configuration.
  /// - Throws: `DecodingError` when `id` is missing or a member has the wrong type.
  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: Member.self)
    self.init(
      id: try members.decode(String.self, forKey: .id),
      productId: try members.decodeIfPresent(String.self, forKey: .productId),
      until: try members.decodeIfPresent(WireInstant.self, forKey: .until)?.date,
      source: try members.decodeIfPresent(String.self, forKey: .source),
      reason: try members.decodeIfPresent(String.self, forKey: .reason)
    )
  }

  /// Writes an entitlement; `until` as UNIX milliseconds.
  ///
  /// - Parameter encoder: An encoder in any configuration.
  /// - Throws: What the encoder throws.
  public func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: Member.self)
    try members.encode(id, forKey: .id)
    try members.encodeIfPresent(productId, forKey: .productId)
    try members.encodeIfPresent(until?.milliseconds, forKey: .until)
    try members.encodeIfPresent(source, forKey: .source)
    try members.encodeIfPresent(reason, forKey: .reason)
  }
}

/// A date as servers write it: UNIX milliseconds, or an ISO 8601 text.
struct WireInstant: Decodable {
  let date: Date

  init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    if let milliseconds = try? value.decode(Double.self) {
      guard milliseconds.isFinite, abs(milliseconds) < 1e15 else {
        throw DecodingError.dataCorruptedError(
          in: value,
          debugDescription: "the date is out of range"
        )
      }
      date = Date(timeIntervalSince1970: milliseconds / 1000)
      return
    }
    let text = try value.decode(String.self)
    let whole = ISO8601DateFormatter()
    let fractional = ISO8601DateFormatter()
    fractional.formatOptions.insert(.withFractionalSeconds)
    guard let parsed = whole.date(from: text) ?? fractional.date(from: text) else {
      throw DecodingError.dataCorruptedError(
        in: value,
        debugDescription: "the date is neither milliseconds nor ISO 8601"
      )
    }
    date = parsed
  }
}
