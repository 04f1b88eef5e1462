import Foundation

extension UnsafeRawBufferPointer {
  /// The place of the first such byte from a place on; the C library looks at many at a time.
  ///
  /// - Parameters:
  ///   - byte: The byte.
  ///   - start: Where to begin.
  /// - Returns: The place; nil when there is none.
  package func offset(of byte: UInt8, from start: Int) -> Int? {
    guard let base = baseAddress, start < count,
      let found = memchr(base + start, Int32(byte), count - start)
    else { return nil }
    return base.distance(to: UnsafeRawPointer(found))
  }
}
