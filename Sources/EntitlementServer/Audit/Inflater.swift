/// Unpacks one stream of packed data (DEFLATE).
///
/// - **Source:** RFC 1951.
struct Inflater {
  /// How far back a repetition may reach.
  private static let windowSize = 32 * 1024

  /// How many bytes came out.
  private(set) var count = 0
  private var bits: BitReader
  private var output: [UInt8] = []
  private var sum = CheckSum()
  private let bytesMax: Int

  init(_ input: [UInt8], from start: Int, bytesMax: Int) {
    bits = BitReader(input: input, position: start)
    self.bytesMax = bytesMax
    output.reserveCapacity(4 * Self.windowSize)
  }

  /// The place behind what was read.
  var position: Int { bits.position }
  /// The check sum of what came out.
  var checkSum: UInt32 { sum.result }

  /// Unpacks all of it.
  mutating func run(_ take: (ArraySlice<UInt8>) -> Void) -> Gzip.Fault? {
    // Bound: each block takes bits of the input, which ends.
    var isLast = false
    repeat {
      guard let last = bits.take(1), let kind = bits.take(2) else { return .truncated }
      isLast = last == 1
      let fault: Gzip.Fault?
      switch kind {
      case 0: fault = stored(take)
      case 1: fault = coded(.fixed, .fixedDistances, take)
      case 2:
        switch codes() {
        case .success(let pair): fault = coded(pair.0, pair.1, take)
        case .failure(let found): fault = found
        }
      default: fault = .damaged
      }
      if let fault { return fault }
    } while !isLast
    give(take, keeping: 0)
    bits.alignToByte()
    return nil
  }

  private enum Codes {
    case success((HuffmanCode, HuffmanCode))
    case failure(Gzip.Fault)
  }

  /// Hands out what is no longer needed to look back at.
  private mutating func give(_ take: (ArraySlice<UInt8>) -> Void, keeping kept: Int) {
    let end = max(0, output.count - kept)
    guard end > 0 else { return }
    sum.add(output[..<end])
    take(output[..<end])
    output.removeFirst(end)
  }

  private mutating func add(_ byte: UInt8, _ take: (ArraySlice<UInt8>) -> Void) -> Bool {
    guard count < bytesMax else { return false }
    count += 1
    output.append(byte)
    if output.count >= 4 * Self.windowSize { give(take, keeping: Self.windowSize) }
    return true
  }

  private mutating func stored(_ take: (ArraySlice<UInt8>) -> Void) -> Gzip.Fault? {
    bits.alignToByte()
    guard let length = bits.take(16), let inverse = bits.take(16) else { return .truncated }
    guard length == ~inverse & 0xFFFF else { return .damaged }
    for _ in 0..<length {
      guard let byte = bits.take(8) else { return .truncated }
      guard add(UInt8(byte), take) else { return .tooLong }
    }
    return nil
  }

  private mutating func coded(
    _ literals: HuffmanCode,
    _ distances: HuffmanCode,
    _ take: (ArraySlice<UInt8>) -> Void
  ) -> Gzip.Fault? {
    // Bound: each symbol takes bits of the input, which ends.
    while let symbol = literals.next(&bits) {
      switch symbol {
      case 0..<256:
        guard add(UInt8(symbol), take) else { return .tooLong }
      case 256: return nil
      case 257...285:
        if let fault = repeated(symbol - 257, distances, take) { return fault }
      default: return .damaged
      }
    }
    return bits.isAtEnd ? .truncated : .damaged
  }

  private mutating func repeated(
    _ index: Int,
    _ distances: HuffmanCode,
    _ take: (ArraySlice<UInt8>) -> Void
  ) -> Gzip.Fault? {
    guard let more = bits.take(Self.lengthBits[index]), let symbol = distances.next(&bits) else {
      return bits.isAtEnd ? .truncated : .damaged
    }
    guard symbol < Self.distanceStarts.count else { return .damaged }
    guard let further = bits.take(Self.distanceBits[symbol]) else { return .truncated }
    let distance = Self.distanceStarts[symbol] + further
    guard distance <= output.count else { return .damaged }
    for _ in 0..<(Self.lengthStarts[index] + more) {
      guard add(output[output.count - distance], take) else { return .tooLong }
    }
    return nil
  }

  /// The codes that stand in front of a block.
  private mutating func codes() -> Codes {
    guard let literals = bits.take(5), let distances = bits.take(5), let lengths = bits.take(4)
    else { return .failure(.truncated) }
    var widths = [Int](repeating: 0, count: 19)
    for place in Self.lengthOrder.prefix(lengths + 4) {
      guard let width = bits.take(3) else { return .failure(.truncated) }
      widths[place] = width
    }
    guard let code = HuffmanCode(widths) else { return .failure(.damaged) }
    let wanted = literals + 257 + distances + 1
    var found: [Int] = []
    while found.count < wanted {
      guard let symbol = code.next(&bits) else {
        return .failure(bits.isAtEnd ? .truncated : .damaged)
      }
      let (width, bitCount, least) = Self.repetition(symbol, found.last)
      guard let width else { return .failure(.damaged) }
      guard let more = bits.take(bitCount) else { return .failure(.truncated) }
      found += repeatElement(width, count: least + more)
    }
    guard found.count == wanted, found[256] > 0,
      let first = HuffmanCode(Array(found[..<(literals + 257)])),
      let second = HuffmanCode(Array(found[(literals + 257)...]))
    else { return .failure(.damaged) }
    return .success((first, second))
  }

  /// What a symbol of the code of widths stands for: a width, and how often.
  private static func repetition(_ symbol: Int, _ last: Int?) -> (Int?, Int, Int) {
    switch symbol {
    case 16: (last, 2, 3)
    case 17: (0, 3, 3)
    case 18: (0, 7, 11)
    default: (symbol, 0, 1)
    }
  }

  private static let lengthOrder = [
    16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15,
  ]
  private static let lengthStarts = [
    3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131,
    163, 195, 227, 258,
  ]
  private static let lengthBits = [
    0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0,
  ]
  private static let distanceStarts = [
    1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537,
    2049, 3073, 4097, 6145, 8193, 12_289, 16_385, 24_577,
  ]
  private static let distanceBits = [
    0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13,
    13,
  ]
}

/// Takes bits from bytes, the lowest first.
struct BitReader {
  let input: [UInt8]
  private(set) var position: Int
  private var held: UInt32 = 0
  private var heldCount = 0

  init(input: [UInt8], position: Int) {
    self.input = input
    self.position = position
  }

  /// Whether nothing is left.
  var isAtEnd: Bool { position >= input.count && heldCount == 0 }

  mutating func take(_ count: Int) -> Int? {
    while heldCount < count {
      guard position < input.count else { return nil }
      held |= UInt32(input[position]) << UInt32(heldCount)
      position += 1
      heldCount += 8
    }
    let value = held & ((1 << UInt32(count)) - 1)
    held >>= UInt32(count)
    heldCount -= count
    return Int(value)
  }

  /// Leaves what is left of the present byte.
  mutating func alignToByte() {
    let spare = heldCount % 8
    held >>= UInt32(spare)
    heldCount -= spare
    // Whole bytes that were taken ahead go back.
    position -= heldCount / 8
    held = 0
    heldCount = 0
  }
}

/// A code in which frequent symbols are short.
struct HuffmanCode {
  private static let widthMax = 15
  private var counts = [Int](repeating: 0, count: widthMax + 1)
  private var symbols: [Int] = []

  /// Makes a code from the width of each symbol; nil when there can be no such code.
  init?(_ widths: [Int]) {
    for width in widths { counts[width] += 1 }
    counts[0] = 0
    var left = 1
    for width in 1...Self.widthMax {
      left = left * 2 - counts[width]
      guard left >= 0 else { return nil }
    }
    symbols = (1...Self.widthMax).flatMap { width in
      widths.indices.filter { widths[$0] == width }
    }
    // A code of one symbol, or of none, may leave words unused; any other may not.
    guard left == 0 || symbols.count <= 1 else { return nil }
  }

  private init(known widths: [Int]) {
    guard let code = HuffmanCode(widths) else { preconditionFailure("the code is in the standard") }
    self = code
  }

  /// Reads a symbol; nil at the end of the input, or when no symbol has such a code.
  func next(_ bits: inout BitReader) -> Int? {
    var (code, first, index) = (0, 0, 0)
    for width in 1...Self.widthMax {
      guard let bit = bits.take(1) else { return nil }
      code |= bit
      let count = counts[width]
      if code - first < count { return symbols[index + code - first] }
      index += count
      first = (first + count) << 1
      code <<= 1
    }
    return nil
  }

  /// The code of literals and lengths that needs no description.
  static let fixed = HuffmanCode(
    known: [Int](repeating: 8, count: 144) + [Int](repeating: 9, count: 112)
      + [Int](repeating: 7, count: 24) + [Int](repeating: 8, count: 8)
  )
  /// The code of distances that needs no description; two of its words stand for nothing.
  static let fixedDistances = HuffmanCode(known: [Int](repeating: 5, count: 32))
}
