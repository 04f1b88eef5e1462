extension UnsafeRawBufferPointer {
  private static var ones: UInt64 { 0x0101_0101_0101_0101 }

  /// The place of the first such byte from a place on, eight at a time.
  ///
  /// - Parameters:
  ///   - byte: The byte.
  ///   - start: Where to begin.
  /// - Returns: The place; nil when there is none.
  package func offset(of byte: UInt8, from start: Int) -> Int? {
    let pattern = UInt64(byte) * Self.ones
    var place = start
    while place + 8 <= count {
      let word = loadUnaligned(fromByteOffset: place, as: UInt64.self).littleEndian ^ pattern
      // The lowest bit that is set belongs to the first byte that became zero.
      let zeros = (word &- Self.ones) & ~word & (Self.ones << 7)
      if zeros != 0 { return place + zeros.trailingZeroBitCount / 8 }
      place += 8
    }
    while place < count {
      if self[place] == byte { return place }
      place += 1
    }
    return nil
  }
}
