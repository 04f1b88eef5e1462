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
    var base64: [UInt8] = []
    base64.reserveCapacity(text.utf8.count)
    var number = 0
    for byte in text.utf8 where number <= index {
      switch byte {
      case UInt8(ascii: "."): number += 1
      case _ where number < index: break
      case UInt8(ascii: "-"): base64.append(UInt8(ascii: "+"))
      case UInt8(ascii: "_"): base64.append(UInt8(ascii: "/"))
      default: base64.append(byte)
      }
    }
    guard number >= index else { return Data() }
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
