/// The two ways to write an elliptic-curve signature.
public enum ECDSASignature {
  /// Turns the ASN.1 form into r and s, one behind the other.
  ///
  /// - Parameters:
  ///   - der: A SEQUENCE of two INTEGERs.
  ///   - half: The length of r and of s, in bytes.
  /// - Returns: Twice `half` bytes, or nil when it is no such signature.
  public static func raw(fromDER der: [UInt8], half: Int) -> [UInt8]? {
    guard var text = try? DERReader(der), let outer = try? text.read(0x30), text.isAtEnd,
      var members = try? text.inside(outer),
      let first = try? members.read(0x02), let second = try? members.read(0x02), members.isAtEnd
    else { return nil }
    var output: [UInt8] = []
    for node in [first, second] {
      let digits = members.content(node).drop { $0 == 0 }
      guard digits.count <= half else { return nil }
      output += [UInt8](repeating: 0, count: half - digits.count) + digits
    }
    return output
  }

  /// Turns r and s, one behind the other, into the ASN.1 form.
  ///
  /// - Parameter raw: An even number of bytes.
  /// - Returns: A SEQUENCE of two INTEGERs.
  public static func der(fromRaw raw: [UInt8]) -> [UInt8] {
    let half = raw.count / 2
    return DERWriter.sequence([
      DERWriter.unsignedInteger(raw[..<half]), DERWriter.unsignedInteger(raw[half...]),
    ])
  }
}
