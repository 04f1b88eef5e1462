/// The method of an HTTP request: any token; the well-known ones have names.
///
/// - **Source:** RFC 9110, section 9.
public struct HTTPMethod: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  /// The token, in the case it came in; methods are case-sensitive.
  public let rawValue: String
  /// Makes a method from its token.
  public init(rawValue: String) { self.rawValue = rawValue }
  /// Makes a method from its token.
  public init(_ rawValue: String) { self.rawValue = rawValue }
  /// The token.
  public var description: String { rawValue }

  /// Read something.
  public static let get = Self("GET")
  /// Read something, without its body.
  public static let head = Self("HEAD")
  /// Do something.
  public static let post = Self("POST")
  /// Put something in its place.
  public static let put = Self("PUT")
  /// Change a part of something.
  public static let patch = Self("PATCH")
  /// Take something away.
  public static let delete = Self("DELETE")
  /// Ask what can be done.
  public static let options = Self("OPTIONS")
}
