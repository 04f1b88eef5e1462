package import Foundation

/// The three parts of a compact JWS, for the accessors of `VerificationResult`.
///
/// Nothing is verified here; the host did that before it made the value.
package struct CompactJWS {
  package let text: String

  package init(text: String) {
    self.text = text
  }

  private func part(_ index: Int) -> Data {
    let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard index < parts.count else { return Data() }
    var base64 = parts[index].map { byte in
      switch byte {
      case UInt8(ascii: "-"): UInt8(ascii: "+")
      case UInt8(ascii: "_"): UInt8(ascii: "/")
      default: byte
      }
    }
    base64 += [UInt8](repeating: UInt8(ascii: "="), count: (4 - base64.count % 4) % 4)
    return Data(base64Encoded: Data(base64)) ?? Data()
  }

  package var header: Data { part(0) }
  package var payload: Data { part(1) }
  package var signature: Data { part(2) }

  /// The bytes under the signature: the first two parts with the dot between them.
  package var signed: Data {
    guard let end = text.lastIndex(of: ".") else { return Data() }
    return Data(text[..<end].utf8)
  }
}
