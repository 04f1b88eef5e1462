import IAPModel

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
    let dots = text.withUnsafeBytes { bytes -> (Int, Int)? in
      guard let first = bytes.offset(of: dot, from: 0),
        let second = bytes.offset(of: dot, from: first + 1),
        bytes.offset(of: dot, from: second + 1) == nil
      else { return nil }
      return (first, second)
    }
    guard let (first, second) = dots else { return nil }
    header = text[..<first]
    payload = text[(first + 1)..<second]
    signature = text[(second + 1)...]
    signingInput = text[..<second]
  }
}
