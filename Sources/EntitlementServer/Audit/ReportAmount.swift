/// Reads the numbers of Apple's reports, exactly.
enum ReportAmount {
  /// The most digits before the point.
  static let digitsMax = 15
  /// The most pieces of one row.
  static let unitsMax: UInt64 = 1_000_000_000

  /// An amount such as `9.99`, `.7` or `-0.99` in thousandths; nil when it is none, or has a part
  /// below a thousandth.
  static func milliunits(_ text: some StringProtocol) -> Int64? {
    var rest = Substring(text)
    let isNegative = rest.first == "-"
    if isNegative { rest = rest.dropFirst() }
    let parts = rest.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard !rest.isEmpty, rest != ".", parts.allSatisfy({ isDigits($0) }),
      parts[0].utf8.count <= digitsMax
    else { return nil }
    let whole = parts[0].isEmpty ? 0 : Int64(parts[0])
    var fraction = parts.count > 1 ? parts[1] : ""
    while fraction.count > 3, fraction.last == "0" { fraction = fraction.dropLast() }
    guard let whole, fraction.utf8.count <= 3 else { return nil }
    let padded = fraction + String(repeating: "0", count: 3 - fraction.utf8.count)
    guard let thousandths = Int64(padded) else { return nil }
    let value = whole * 1000 + thousandths
    return isNegative ? -value : value
  }

  /// A number of pieces such as `3`, `-1` or `2.00`; nil when it is no whole number.
  static func units(_ text: some StringProtocol) -> Int64? {
    guard let thousandths = milliunits(text), thousandths % 1000 == 0 else { return nil }
    let units = thousandths / 1000
    return units.magnitude <= unitsMax ? units : nil
  }

  /// An amount in thousandths as people write it: `9.99`, `300.00`.
  static func text(_ milliunits: Int64) -> String {
    let size = milliunits.magnitude
    let fraction = String(size % 1000)
    var padded = String(repeating: "0", count: 3 - fraction.count) + fraction
    if padded.hasSuffix("0") { padded.removeLast() }
    return (milliunits < 0 ? "-" : "") + "\(size / 1000).\(padded)"
  }

  /// An amount without what it has below a thousandth.
  static func rounded(_ text: String) -> String {
    guard let point = text.firstIndex(of: ".") else { return text }
    return String(text[...point]) + text[text.index(after: point)...].prefix(3)
  }

  private static func isDigits(_ text: Substring) -> Bool {
    text.utf8.allSatisfy { (0x30...0x39).contains($0) }
  }
}
