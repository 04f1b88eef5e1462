public import IAPModel

/// How much signed text is looked at before it is refused.
public struct JWSLimits: Hashable, Sendable {
  /// The longest compact text, in bytes.
  public var textBytesMax: Int
  /// For the decoded header.
  public var header: JSONLimits
  /// For the decoded payload.
  public var payload: JSONLimits

  /// Makes limits.
  ///
  /// - Parameters:
  ///   - textBytesMax: The longest compact text, in bytes.
  ///   - header: For the decoded header.
  ///   - payload: For the decoded payload.
  public init(textBytesMax: Int, header: JSONLimits, payload: JSONLimits) {
    self.textBytesMax = textBytesMax
    self.header = header
    self.payload = payload
  }

  /// 256 KiB of text, 32 KiB of header three levels deep, payloads as `JSONLimits.signedPayload`.
  public static let standard = JWSLimits(
    textBytesMax: 256 * 1024,
    header: JSONLimits(sizeBytesMax: 32 * 1024, depthMax: 3),
    payload: .signedPayload
  )
}
