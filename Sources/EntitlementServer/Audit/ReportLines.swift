/// Cuts the pieces of a text into lines, without keeping more than one line.
struct ReportLines: Sendable {
  /// The longest line, in bytes; further bytes of one are passed over.
  static let lineBytesMax = 64 * 1024

  private var line: [UInt8] = []
  private var isTooLong = false

  /// Takes a piece and hands out the lines that are complete; nil for one that is too long.
  mutating func add(_ piece: ArraySlice<UInt8>, _ take: ([UInt8]?) -> Void) {
    var rest = piece
    while let end = rest.firstIndex(of: 0x0A) {
      keep(rest[..<end])
      give(take)
      rest = rest[(end + 1)...]
    }
    keep(rest)
  }

  /// Hands out what stands behind the last line end.
  mutating func finish(_ take: ([UInt8]?) -> Void) {
    if !line.isEmpty || isTooLong { give(take) }
  }

  private mutating func keep(_ bytes: ArraySlice<UInt8>) {
    guard !isTooLong else { return }
    guard line.count + bytes.count <= Self.lineBytesMax else {
      isTooLong = true
      return
    }
    line += bytes
  }

  private mutating func give(_ take: ([UInt8]?) -> Void) {
    if line.last == 0x0D { line.removeLast() }
    take(isTooLong ? nil : line)
    line.removeAll(keepingCapacity: true)
    isTooLong = false
  }
}
