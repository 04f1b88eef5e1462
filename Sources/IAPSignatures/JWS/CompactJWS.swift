/// A compact JWS, split and nothing more.
///
/// - **Shape:** `header.payload.signature`, each part base64url without padding and not empty.
/// - **Source:** RFC 7515, section 7.1.
struct CompactJWS: Sendable {
  /// The encoded header.
  let header: ArraySlice<UInt8>
  /// The encoded payload.
  let payload: ArraySlice<UInt8>
  /// The encoded signature.
  let signature: ArraySlice<UInt8>
  /// What is signed: header, full stop, payload.
  let signingInput: ArraySlice<UInt8>

  /// Splits a text.
  ///
  /// Nil unless there are exactly three parts; they may be empty.
  ///
  /// - Parameter text: The bytes; white space counts like any other byte that does not belong.
  init?(_ text: [UInt8]) {
    let dot = UInt8(ascii: ".")
    guard let first = text.firstIndex(of: dot),
      let second = text[(first + 1)...].firstIndex(of: dot),
      !text[(second + 1)...].contains(dot)
    else { return nil }
    header = text[..<first]
    payload = text[(first + 1)..<second]
    signature = text[(second + 1)...]
    signingInput = text[..<second]
  }
}
