/// How much JSON is read before it is refused.
public struct JSONLimits: Hashable, Sendable {
  /// The longest text, in UTF-8 bytes.
  public var sizeBytesMax: Int
  /// How deep objects and arrays may be nested; the outermost counts as one.
  public var depthMax: Int

  /// Makes limits.
  public init(sizeBytesMax: Int, depthMax: Int) {
    self.sizeBytesMax = sizeBytesMax
    self.depthMax = depthMax
  }

  /// For signed payloads and their headers: 256 KiB, eight levels deep.
  public static let signedPayload = JSONLimits(sizeBytesMax: 256 * 1024, depthMax: 8)
  /// For files and request bodies: 16 MiB, 32 levels deep.
  public static let document = JSONLimits(sizeBytesMax: 16 * 1024 * 1024, depthMax: 32)
}
