import Foundation

/// A fact's bytes in a smaller form that gives them back exactly.
///
/// A notification of 19.5 kB is mostly the same certificate chain three times over, in base64 of
/// base64. Here the header of each signed text, which holds the chain, is kept once by the backend
/// and named by a number, and payloads and signatures are kept decoded. Only base64 that encoding
/// would give is decoded, so that encoding gives the same text again; what does not fit is kept as
/// it is.
///
/// - **Shape:** a byte 0 and the bytes; or a byte 1, the count of headers and the number of each,
///   and a signed text. A signed text is: the place of its header among them, its payload's pieces
///   with their count, its signature with its length. A piece is a byte 0, a length and bytes; or a
///   byte 1 and a signed text. Numbers are in groups of seven bits, lowest first.
public struct PackedFact: Hashable, Sendable {
  /// Headers shorter than this are not worth a row of their own.
  static let headerBytesMin = 512
  /// A header that is longer than this is no chain of three certificates.
  static let headerBytesMax = 16 * 1024
  /// How deep signed texts are looked for in signed texts.
  static let depthMax = 3

  /// The headers that the form needs, each once.
  public private(set) var headers: [[UInt8]] = []
  /// The signed text, or the bytes as they are when there is no header.
  private var body: [UInt8] = []

  /// Packs bytes.
  ///
  /// - Parameter bytes: The bytes of a fact.
  public init(_ bytes: [UInt8]) {
    body.reserveCapacity(bytes.count / 4)
    guard let text = bytes.withUnsafeBufferPointer({ packed($0, depth: 1) }) else {
      headers = []
      body = bytes
      return
    }
    body = text
  }

  /// The form that is stored.
  ///
  /// - Parameter numbers: The number under which each of ``headers`` is kept, in their order.
  /// - Returns: The form.
  public func stored(numbers: [Int64]) -> [UInt8] {
    precondition(numbers.count == headers.count, "a number for each header")
    guard !headers.isEmpty else { return [0] + body }
    var output: [UInt8] = [1]
    output.reserveCapacity(body.count + 16)
    Self.append(UInt64(numbers.count), to: &output)
    for number in numbers { Self.append(UInt64(number), to: &output) }
    output += body
    return output
  }

  /// Gives back the bytes.
  ///
  /// - Parameters:
  ///   - stored: The form that was stored.
  ///   - header: Gives the header with a number.
  /// - Returns: The bytes.
  /// - Throws: ``StorageError`` with `corrupt` when the form cannot be read, or from `header`.
  public static func unpack(
    _ stored: [UInt8],
    header: (Int64) throws(StorageError) -> [UInt8]
  ) throws(StorageError) -> [UInt8] {
    var reader = PackedReader(stored)
    switch try reader.byte() {
    case 0: return Array(stored.dropFirst())
    case 1:
      var headers: [[UInt8]] = []
      for _ in 0..<(try reader.count()) { headers.append(try header(Int64(try reader.number()))) }
      var output: [UInt8] = []
      output.reserveCapacity(stored.count * 8)
      try reader.text(depth: 1, headers: headers, into: &output)
      guard reader.isAtEnd else { throw StorageError(.corrupt, "a packed fact is too long") }
      return output
    default: throw StorageError(.corrupt, "a packed fact has an unknown form")
    }
  }

  /// Packs a signed text; nil when it does not look like one.
  private mutating func packed(_ text: UnsafeBufferPointer<UInt8>, depth: Int) -> [UInt8]? {
    let dot = UInt8(ascii: ".")
    guard let first = Self.place(of: dot, in: text, from: 0),
      let second = Self.place(of: dot, in: text, from: first + 1),
      (Self.headerBytesMin...Self.headerBytesMax).contains(first),
      let payload = Base64URL.decode(.init(rebasing: text[(first + 1)..<second])),
      let signature = Base64URL.decode(.init(rebasing: text[(second + 1)...]))
    else { return nil }
    var output: [UInt8] = []
    Self.append(UInt64(place(of: .init(rebasing: text[..<first]))), to: &output)
    var pieces: [UInt8] = []
    pieces.reserveCapacity(2_048)
    var count: UInt64 = 0
    payload.withUnsafeBufferPointer { payload in
      var done = 0
      for candidate in depth < Self.depthMax ? Self.longTexts(in: payload) : [] {
        let nested = packed(.init(rebasing: payload[candidate]), depth: depth + 1)
        guard let nested else { continue }
        count += Self.appendLiteral(payload[done..<candidate.lowerBound], to: &pieces)
        pieces.append(1)
        pieces += nested
        count += 1
        done = candidate.upperBound
      }
      count += Self.appendLiteral(payload[done...], to: &pieces)
    }
    Self.append(count, to: &output)
    output += pieces
    Self.append(UInt64(signature.count), to: &output)
    output += signature
    return output
  }

  private static func place(
    of byte: UInt8,
    in text: UnsafeBufferPointer<UInt8>,
    from start: Int
  ) -> Int? {
    guard let base = text.baseAddress, start < text.count,
      let found = memchr(base + start, Int32(byte), text.count - start)
    else { return nil }
    return UnsafeRawPointer(base).distance(to: UnsafeRawPointer(found))
  }

  /// The place of a header among ``headers``; it is added when it is new.
  private mutating func place(of header: UnsafeBufferPointer<UInt8>) -> Int {
    let known = headers.firstIndex { known in
      known.withUnsafeBufferPointer { known in
        guard known.count == header.count, let mine = known.baseAddress,
          let theirs = header.baseAddress
        else { return false }
        return memcmp(mine, theirs, known.count) == 0
      }
    }
    if let known { return known }
    headers.append(Array(header))
    return headers.count - 1
  }

  /// What stands between two quotation marks and is long enough to be a signed text with a chain.
  private static func longTexts(in payload: UnsafeBufferPointer<UInt8>) -> [Range<Int>] {
    var found: [Range<Int>] = []
    var start = 0
    while let index = place(of: UInt8(ascii: "\""), in: payload, from: start) {
      if index - start > headerBytesMin { found.append(start..<index) }
      start = index + 1
    }
    return found
  }

  private static func appendLiteral(
    _ bytes: Slice<UnsafeBufferPointer<UInt8>>,
    to output: inout [UInt8]
  ) -> UInt64 {
    guard !bytes.isEmpty else { return 0 }
    output.append(0)
    append(UInt64(bytes.count), to: &output)
    output += bytes
    return 1
  }

  private static func append(_ number: UInt64, to output: inout [UInt8]) {
    var rest = number
    while rest >= 0x80 {
      output.append(UInt8(rest & 0x7F) | 0x80)
      rest >>= 7
    }
    output.append(UInt8(rest))
  }
}

/// Reads a packed form from its beginning to its end.
private struct PackedReader {
  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool { position == bytes.count }

  mutating func byte() throws(StorageError) -> UInt8 {
    guard position < bytes.count else { throw StorageError(.corrupt, "a packed fact is too short") }
    defer { position += 1 }
    return bytes[position]
  }

  mutating func number() throws(StorageError) -> Int {
    var result: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 63, by: 7) {
      let next = try byte()
      result |= UInt64(next & 0x7F) << shift
      if next < 0x80 { return Int(result) }
    }
    throw StorageError(.corrupt, "a packed fact has a number that is too long")
  }

  /// A number of things that each take at least a byte.
  mutating func count() throws(StorageError) -> Int {
    let count = try number()
    guard count <= bytes.count - position else {
      throw StorageError(.corrupt, "a packed fact is too short")
    }
    return count
  }

  mutating func slice() throws(StorageError) -> ArraySlice<UInt8> {
    let count = try count()
    defer { position += count }
    return bytes[position..<(position + count)]
  }

  mutating func text(
    depth: Int,
    headers: [[UInt8]],
    into output: inout [UInt8]
  ) throws(StorageError) {
    guard depth <= PackedFact.depthMax else {
      throw StorageError(.corrupt, "a packed fact is nested too deep")
    }
    let place = try number()
    guard headers.indices.contains(place) else {
      throw StorageError(.corrupt, "a packed fact names no header")
    }
    output += headers[place]
    output.append(UInt8(ascii: "."))
    var payload: [UInt8] = []
    for _ in 0..<(try count()) {
      if try byte() == 0 {
        payload += try slice()
      } else {
        try text(depth: depth + 1, headers: headers, into: &payload)
      }
    }
    output += Base64URL.encode(payload)
    output.append(UInt8(ascii: "."))
    output += Base64URL.encode(try slice())
  }
}
