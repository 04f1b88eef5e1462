/// Which chain of work a request belongs to, in the words of W3C Trace Context.
///
/// A client begins a chain; every part that works on it writes the same trace id down, so that one
/// search finds what a tap caused in the app, the server and the app's own backend.
///
/// - **Source:** W3C Trace Context, level 1: `traceparent`.
public struct TraceContext: Hashable, Sendable {
  /// The name of the header field.
  public static let headerName = "traceparent"
  /// How many bytes name a trace.
  static let traceBytes = 16
  /// How many bytes name a part of it.
  static let spanBytes = 8

  /// The whole chain: 32 hexadecimal digits in lower case, not all zero.
  public let trace: String
  /// The part that sends: 16 hexadecimal digits in lower case, not all zero.
  public let span: String
  /// Whether whoever began it records it.
  public let isSampled: Bool

  /// Reads a header's value; nil when it is none, as the specification wants it.
  ///
  /// - Parameter header: The value of `traceparent`.
  public init?(header: String) {
    let parts = header.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count >= 4, parts[0].utf8.count == 2, Self.isHexadecimal(parts[0]),
      parts[0] != "ff", parts[0] != "00" || parts.count == 4,
      Self.isName(parts[1], Self.traceBytes), Self.isName(parts[2], Self.spanBytes),
      parts[3].utf8.count == 2, Self.isHexadecimal(parts[3]),
      let flags = UInt8(parts[3], radix: 16)
    else { return nil }
    trace = String(parts[1])
    span = String(parts[2])
    isSampled = flags & 1 == 1
  }

  /// Names a chain by bytes that nobody else has; nil when there are too few, or only zeros.
  ///
  /// - Parameter bytes: At least 24; the first 16 name the chain, the next 8 the part.
  public init?(bytes: [UInt8]) {
    guard bytes.count >= Self.traceBytes + Self.spanBytes else { return nil }
    let span = bytes[Self.traceBytes...].prefix(Self.spanBytes)
    self.init(
      trace: Self.digits(bytes.prefix(Self.traceBytes)),
      span: Self.digits(span),
      isSampled: true
    )
  }

  private init?(trace: String, span: String, isSampled: Bool) {
    guard trace.utf8.contains(where: { $0 != UInt8(ascii: "0") }),
      span.utf8.contains(where: { $0 != UInt8(ascii: "0") })
    else { return nil }
    self.trace = trace
    self.span = span
    self.isSampled = isSampled
  }

  /// The next part of the same chain; nil when the bytes name none.
  ///
  /// - Parameter bytes: At least 8 bytes that nobody else has.
  /// - Returns: The part.
  public func next(_ bytes: [UInt8]) -> TraceContext? {
    guard bytes.count >= Self.spanBytes else { return nil }
    return TraceContext(
      trace: trace,
      span: Self.digits(bytes.prefix(Self.spanBytes)),
      isSampled: isSampled
    )
  }

  /// The value of `traceparent`.
  public var header: String { "00-\(trace)-\(span)-\(isSampled ? "01" : "00")" }

  private static func isName(_ text: Substring, _ bytes: Int) -> Bool {
    text.utf8.count == bytes * 2 && isHexadecimal(text)
      && text.utf8.contains { $0 != UInt8(ascii: "0") }
  }

  private static func isHexadecimal(_ text: Substring) -> Bool {
    text.utf8.allSatisfy {
      (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
        || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
    }
  }

  private static func digits(_ bytes: some Sequence<UInt8>) -> String {
    var text: [UInt8] = []
    text.reserveCapacity(2 * traceBytes)
    for byte in bytes {
      text.append(digit(byte >> 4))
      text.append(digit(byte & 15))
    }
    return String(decoding: text, as: UTF8.self)
  }

  private static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
  }
}
