import Foundation
import Testing

@testable import IAPSignatures

/// Reading ASN.1 that nobody vouches for.
@Suite struct DERReaderTests {
  private func accepts(
    _ bytes: [UInt8],
    _ rules: DERRules,
    limits: DERLimits = .certificate
  ) -> Bool {
    guard var reader = try? DERReader(bytes, rules: rules, limits: limits),
      (try? reader.read()) != nil
    else { return false }
    return reader.isAtEnd
  }

  @Test func lengthsAreShortestInDERAndAnyInBER() {
    let good: [[UInt8]] = [[0x04, 0], [0x04, 1, 7], [0x30, 0]]
    for bytes in good {
      #expect(accepts(bytes, .distinguished))
      #expect(accepts(bytes, .basic))
    }
    let lazy: [[UInt8]] = [[0x04, 0x81, 1, 7], [0x04, 0x82, 0, 1, 7]]
    for bytes in lazy {
      #expect(!accepts(bytes, .distinguished))
      #expect(accepts(bytes, .basic))
    }
  }

  @Test(
    arguments: [
      [], [0x04], [0x04, 1], [0x04, 0x81], [0x04, 0x82, 1], [0x1F, 0x81, 0], [0x04, 0xFF],
      [0x04, 0x84, 0xFF, 0xFF, 0xFF, 0xFF, 0], [0x04, 0x80, 0, 0],
      [0x04, 0x88, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0],
      [0x04, 0x88, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0],
      [0x04, 0x89, 0, 0, 0, 0, 0, 0, 0, 0, 0], [0x30, 0x80], [0x30, 0x80, 0], [0x30, 0x80, 4, 1],
    ] as [[UInt8]]
  )
  func lengthsThatCannotBeAreRefused(bytes: [UInt8]) {
    #expect(!accepts(bytes, .distinguished))
    #expect(!accepts(bytes, .basic))
  }

  @Test func indefiniteLengthsAreForBERAlone() {
    let bytes: [UInt8] = [0x30, 0x80, 0x04, 1, 7, 0, 0]
    #expect(accepts(bytes, .basic))
    #expect(!accepts(bytes, .distinguished))
  }

  @Test func theDepthLimitItselfIsTakenAndOneMoreIsNot() throws {
    let limits = DERLimits(sizeBytesMax: 1024, depthMax: 4)
    func nested(_ depth: Int) -> [UInt8] {
      [UInt8](repeating: 0, count: depth).reduce([]) { content, _ in
        DERWriter.element(0x30, content)
      }
    }
    func reaches(_ bytes: [UInt8]) -> Bool {
      guard var reader = try? DERReader(bytes, limits: limits) else { return false }
      while let node = try? reader.read() {
        if node.content.isEmpty { return true }
        guard let inner = try? reader.inside(node) else { return false }
        reader = inner
      }
      return false
    }
    #expect(reaches(nested(4)))
    #expect(!reaches(nested(5)))
    func open(_ depth: Int) -> [UInt8] {
      Array(repeating: [0x30, 0x80], count: depth).flatMap { $0 }
        + [UInt8](repeating: 0, count: 2 * depth)
    }
    #expect(accepts(open(4), .basic, limits: limits))
    #expect(!accepts(open(5), .basic, limits: limits))
  }

  @Test func theSizeLimitItselfIsTakenAndOneMoreIsNot() {
    let bytes = DERWriter.octetString([UInt8](repeating: 1, count: 98))
    let fits = DERLimits(sizeBytesMax: 100, depthMax: 4)
    #expect(accepts(bytes, .distinguished, limits: fits))
    #expect(
      !accepts(bytes, .distinguished, limits: DERLimits(sizeBytesMax: 99, depthMax: 4))
    )
  }

  @Test func numbersAndIdentifiersComeBack() throws {
    for value: Int64 in [0, 1, -1, 127, 128, -128, -129, 255, 256, .max, .min] {
      var reader = try DERReader(DERWriter.integer(value))
      let node = try reader.read()
      #expect(reader.integer(node) == value)
    }
    for text in ["1.2.840.113635.100.6.11.1", "2.16.840.1.101.3.4.2.1", "2.999.3", "0.9.2342"] {
      #expect(OID(stringLiteral: text).description == text)
    }
  }

  @Test func datesComeBackAcrossCenturies() throws {
    // 1970, 2000-02-29, 2049-12-31, 2050-01-01, 2100-03-01 and the moment before 1970.
    for seconds in [0, 951_782_400, 2_524_607_999, 2_524_608_000, 4_107_542_400, -1] {
      let date = Date(timeIntervalSince1970: Double(seconds))
      var reader = try DERReader(DERWriter.time(date))
      let node = try reader.read()
      #expect(node.tag == (seconds < 2_524_608_000 ? 0x17 : 0x18))
      #expect(try ASN1Time.date(node, in: reader) == date)
      #expect(RFC3339.date(CivilTime(date).text) == date)
    }
  }

  @Test func datesOfReceiptsMayHaveAnOffset() {
    let date = Date(timeIntervalSince1970: 1_595_439_195)
    #expect(RFC3339.date("2020-07-22T17:33:15Z") == date)
    #expect(RFC3339.date("2020-07-22T18:33:15+0100") == date)
    #expect(RFC3339.date("2020-07-22T18:33:15+01:00") == date)
    #expect(RFC3339.date("2020-07-22T12:03:15-0530") == date)
    for wrong in [
      "", "2020-07-22", "2020-07-22 17:33:15Z", "2020-02-30T00:00:00Z", "2020-07-22T24:00:00Z",
      "2020-07-22T17:33:15", "2020-07-22T17:33:15+1", "2020-07-22T17:33:15Zx",
    ] {
      #expect(RFC3339.date(wrong) == nil, "\(wrong)")
    }
  }

  @Test func namedBitsAreWrittenWithoutTrailingZeros() {
    #expect(DERWriter.namedBits([0]) == [0x03, 2, 7, 0x80])
    #expect(DERWriter.namedBits([5, 6]) == [0x03, 2, 1, 0x06])
    #expect(DERWriter.namedBits([]) == [0x03, 1, 0])
  }
}
