import Foundation
import IAPSignatures
import Testing

/// One meaning has one spelling.
@Suite struct Base64Tests {
  @Test func bytesComeBackFromBothAlphabets() {
    for count in 0..<70 {
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 37 + count) }
      for alphabet in [Base64.Alphabet.standard, .url] {
        let text = Base64.encodedBytes(bytes, alphabet)
        #expect(Base64.decode(text, alphabet) == bytes)
      }
      #expect(Base64.encode(bytes, .standard) == Data(bytes).base64EncodedString())
    }
  }

  @Test(arguments: [
    "A", "AAAAA", "AB", "AAB", "AA==", "AAA=", "AA A", "AA\nA", "AAA\n", "A+AA", "A/AA", "AAé",
  ])
  func onlyTheOneRightSpellingIsTaken(text: String) {
    #expect(Base64.decode(Array(text.utf8), .url) == nil)
  }

  @Test(arguments: [
    "A", "AA", "AAA", "AB==", "AAB=", "A===", "====", "AA=A", "A-AA", "A_AA", "AAAA ", "AAAA=",
  ])
  func paddingIsWholeAndUnusedBitsAreZero(text: String) {
    #expect(Base64.decode(Array(text.utf8), .standard) == nil)
  }

  @Test func everyByteOutsideTheAlphabetIsRefusedAtEveryPlace() {
    let good = Array("AbC-_9z0".utf8)
    let digits = Set(Base64.encodedBytes(Array(0..<255), .url) + Array("_".utf8))
    for place in good.indices {
      for byte in UInt8.min...UInt8.max {
        var text = good
        text[place] = byte
        let isRight = (Base64.decode(text, .url) != nil) == digits.contains(byte)
        if !isRight { Issue.record("byte \(byte) at \(place)") }
      }
    }
  }
}
