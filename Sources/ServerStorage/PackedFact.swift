/// A fact's bytes in a smaller form that gives them back exactly.
///
/// A notification of 19.5 kB is mostly the same certificate chain three times over, in base64 of
/// base64. Here the header of each signed text, which holds the chain, is kept once by the backend and
/// named by a number, and payloads and signatures are kept decoded. What does not fit the pattern is
/// kept as it is; a form that would not give back the same bytes is never used.
///
/// - **Shape:** a byte 0 and the bytes; or a byte 1 and a signed text: the header's number, the
///   payload's pieces with their count, the signature with its length. A piece is a byte 0, a length
///   and bytes; or a byte 1 and a signed text. Numbers are in groups of seven bits, lowest first.
public enum PackedFact {
  /// Headers shorter than this are not worth a row of their own.
  static let headerBytesMin = 512
  /// A header that is longer than this is no chain of three certificates.
  static let headerBytesMax = 16 * 1024
  /// How deep signed texts are looked for in signed texts.
  static let depthMax = 3

  /// Packs bytes.
  ///
  /// - Parameters:
  ///   - bytes: The bytes of a fact.
  ///   - number: Gives the number of a header, storing it when it is new.
  /// - Returns: The packed form.
  /// - Throws: ``StorageError`` from `number`.
  public static func pack(
    _ bytes: [UInt8],
    number: ([UInt8]) throws(StorageError) -> Int64
  ) throws(StorageError) -> [UInt8] {
    var headers: [Int64: [UInt8]] = [:]
    var output: [UInt8] = [1]
    output.reserveCapacity(bytes.count / 4)
    let isPacked = try packText(bytes[...], depth: 1, into: &output) {
      header throws(StorageError) in
      let id = try number(header)
      headers[id] = header
      return id
    }
    if isPacked, let again = try? unpack(output, header: { headers[$0] ?? [] }), again == bytes {
      return output
    }
    return [0] + bytes
  }

  /// Gives back the bytes.
  ///
  /// - Parameters:
  ///   - packed: The packed form.
  ///   - header: Gives the header with a number.
  /// - Returns: The bytes.
  /// - Throws: ``StorageError`` with `corrupt` when the form cannot be read, or from `header`.
  public static func unpack(
    _ packed: [UInt8],
    header: (Int64) throws(StorageError) -> [UInt8]
  ) throws(StorageError) -> [UInt8] {
    var reader = PackedReader(packed)
    switch try reader.byte() {
    case 0: return Array(packed.dropFirst())
    case 1:
      var output: [UInt8] = []
      output.reserveCapacity(packed.count * 8)
      try reader.text(depth: 1, into: &output, header: header)
      guard reader.isAtEnd else { throw StorageError(.corrupt, "a packed fact is too long") }
      return output
    default: throw StorageError(.corrupt, "a packed fact has an unknown form")
    }
  }

  /// Packs a signed text; false, with `output` in any state, when it does not look like one.
  private static func packText(
    _ text: ArraySlice<UInt8>,
    depth: Int,
    into output: inout [UInt8],
    number: ([UInt8]) throws(StorageError) -> Int64
  ) throws(StorageError) -> Bool {
    let dot = UInt8(ascii: ".")
    guard let first = text.firstIndex(of: dot),
      let second = text[(first + 1)...].firstIndex(of: dot),
      (headerBytesMin...headerBytesMax).contains(first - text.startIndex),
      text[..<first].allSatisfy(Base64URL.isDigit),
      let payload = Base64URL.decode(text[(first + 1)..<second]),
      let signature = Base64URL.decode(text[(second + 1)...])
    else { return false }
    append(UInt64(try number(Array(text[..<first]))), to: &output)
    var pieces: [UInt8] = []
    var count: UInt64 = 0
    var done = payload.startIndex
    if depth < depthMax {
      for candidate in signedTexts(in: payload) {
        var packed: [UInt8] = [1]
        guard try packText(payload[candidate], depth: depth + 1, into: &packed, number: number)
        else { continue }
        count += appendLiteral(payload[done..<candidate.lowerBound], to: &pieces)
        pieces += packed
        count += 1
        done = candidate.upperBound
      }
    }
    count += appendLiteral(payload[done...], to: &pieces)
    append(count, to: &output)
    output += pieces
    append(UInt64(signature.count), to: &output)
    output += signature
    return true
  }

  /// Where JSON texts between quotation marks look like signed texts with a chain.
  private static func signedTexts(in payload: [UInt8]) -> [Range<Int>] {
    let quote = UInt8(ascii: "\"")
    var found: [Range<Int>] = []
    var open: Int?
    var dots = 0
    for (index, byte) in payload.enumerated() {
      if byte == quote {
        if let start = open, dots == 2, index - start > headerBytesMin {
          found.append(start..<index)
        }
        open = index + 1
        dots = 0
      } else if byte == UInt8(ascii: ".") {
        dots += 1
      } else if !Base64URL.isDigit(byte) {
        open = nil
      }
    }
    return found
  }

  private static func appendLiteral(_ bytes: ArraySlice<UInt8>, to output: inout [UInt8]) -> UInt64
  {
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

  mutating func slice() throws(StorageError) -> ArraySlice<UInt8> {
    let count = try number()
    guard count <= bytes.count - position else {
      throw StorageError(.corrupt, "a packed fact is too short")
    }
    defer { position += count }
    return bytes[position..<(position + count)]
  }

  mutating func text(
    depth: Int,
    into output: inout [UInt8],
    header: (Int64) throws(StorageError) -> [UInt8]
  ) throws(StorageError) {
    guard depth <= PackedFact.depthMax else {
      throw StorageError(.corrupt, "a packed fact is nested too deep")
    }
    output += try header(Int64(try number()))
    output.append(UInt8(ascii: "."))
    var payload: [UInt8] = []
    for _ in 0..<(try number()) {
      if try byte() == 0 {
        payload += try slice()
      } else {
        try text(depth: depth + 1, into: &payload, header: header)
      }
    }
    output += Base64URL.encode(payload)
    output.append(UInt8(ascii: "."))
    output += Base64URL.encode(try slice())
  }
}
