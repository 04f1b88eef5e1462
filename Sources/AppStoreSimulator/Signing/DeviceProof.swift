import Foundation
import IAPSignatures

/// The values that tie signed data to a device.
///
/// - **Source:** the signed-data facts, section 4.1.
struct DeviceProof: Hashable, Sendable {
  /// The nonce.
  let nonce: UUID
  /// What StoreKit calls the device.
  let deviceVerificationID: UUID

  /// The nonce as it stands in the payload.
  var nonceText: String { nonce.uuidString.lowercased() }

  /// Base64 of SHA-384 over both texts in lower case, the nonce first.
  func verification(_ primitives: any VerificationPrimitives) -> String {
    let text = nonceText + deviceVerificationID.uuidString.lowercased()
    return Base64.encode(primitives.digest(.sha384, Array(text.utf8)), .standard)
  }
}
