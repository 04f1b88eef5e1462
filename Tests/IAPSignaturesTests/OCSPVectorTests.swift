import Foundation
import IAPSignatures
import OpenSSLCrypto
import Testing

/// Answers of responders whose right meaning is known.
@Suite(.enabled(if: Vectors.arePresent, "no test vectors: set IAP_VECTORS"))
struct OCSPVectorTests {
  private let vectors: Vectors
  private let crypto: OpenSSLPrimitives
  private let leaf: Certificate
  private let intermediate: Certificate
  private let root: Certificate
  /// The day on which the vectors were made.
  private let now = Date(timeIntervalSince1970: 1_796_000_000)
  private static let end = Date(timeIntervalSince1970: 2_492_985_600)  // 2048-12-31

  init() throws {
    vectors = try #require(Vectors.find())
    crypto = try OpenSSLPrimitives()
    leaf = try Certificate(der: vectors.bytes("derived-jws/pki/leaf.der"))
    intermediate = try Certificate(der: vectors.bytes("derived-jws/pki/intermediate.der"))
    root = try Certificate(der: vectors.bytes("derived-jws/pki/root.der"))
  }

  private func verdict(_ file: String, at date: Date? = nil) throws -> OCSPVerdict {
    let isAboutLeaf = !file.hasPrefix("intermediate")
    return try OCSPVerifier(crypto: crypto).verdict(
      vectors.bytes("derived-jws/ocsp/" + file),
      about: isAboutLeaf ? leaf : intermediate,
      issuer: isAboutLeaf ? intermediate : root,
      at: date ?? now
    )
  }

  private static let revoked = OCSPVerdict.revoked(
    Revocation(date: Date(timeIntervalSince1970: 1_748_736_000), reason: 1)  // 2025-06-01
  )

  private static let expected: [String: OCSPVerdict] = [
    "leaf-good.ocsp.der": .good(until: end),
    "leaf-good-delegated.ocsp.der": .good(until: end),
    "intermediate-good.ocsp.der": .good(until: end),
    "leaf-revoked.ocsp.der": revoked,
    "intermediate-revoked.ocsp.der": revoked,
    "leaf-delegated-without-eku.ocsp.der": .nothing(.notAuthorized),
    "leaf-signed-by-attacker.ocsp.der": .nothing(.notAuthorized),
    "leaf-answer-for-other-serial.ocsp.der": .nothing(.otherCertificate),
    "leaf-stale.ocsp.der": .nothing(.stale),
    "leaf-future.ocsp.der": .nothing(.future),
    "leaf-unknown.ocsp.der": .nothing(.unknown),
    "try-later.ocsp.der": .nothing(.declined),
    "garbage.ocsp.der": .nothing(.malformed),
  ]

  /// How a verdict is called in the manifest: what says nothing is never good and never revoked.
  private func words(_ verdict: OCSPVerdict) -> Set<String> {
    switch verdict {
    case .good: ["GOOD"]
    case .revoked: ["REVOKED"]
    case .nothing: ["INVALID", "RETRY", "NOT_GOOD"]
    }
  }

  @Test func everyAnswerMeetsItsVerdict() throws {
    struct Manifest: Decodable { var ocsp: [Vectors.Entry] }
    let data = Data(try vectors.bytes("derived-jws/manifest.json"))
    let entries = try JSONDecoder().decode(Manifest.self, from: data).ocsp
    #expect(entries.count == Self.expected.count)
    for entry in entries {
      let file = String(entry.file.dropFirst("ocsp/".count))
      let verdict = try verdict(file)
      #expect(verdict == Self.expected[file], "\(file)")
      #expect(words(verdict).contains(entry.verdict), "\(file): \(entry.reason)")
    }
  }

  @Test func anAnswerCountsWithinItsTimeAndAFewMinutesAround() throws {
    let start = Date(timeIntervalSince1970: 1_767_225_600)  // 2026-01-01
    let skew = OCSPVerifier.skewSecondsMax
    let file = "leaf-good.ocsp.der"
    #expect(try verdict(file, at: start - skew) == .good(until: Self.end))
    #expect(try verdict(file, at: start - skew - 1) == .nothing(.future))
    #expect(try verdict(file, at: Self.end + skew) == .good(until: Self.end))
    #expect(try verdict(file, at: Self.end + skew + 1) == .nothing(.stale))
  }

  @Test func anAnswerCutShortOrChangedAnywhereIsNeverGood() throws {
    let bytes = try vectors.bytes("derived-jws/ocsp/leaf-good-delegated.ocsp.der")
    let verifier = OCSPVerifier(crypto: crypto)
    for index in bytes.indices {
      var changed = bytes
      changed[index] ^= 0x01
      let short = Array(bytes.prefix(index))
      for candidate in [changed, short] {
        let verdict = try verifier.verdict(
          candidate,
          about: leaf,
          issuer: intermediate,
          at: now
        )
        guard case .nothing = verdict else {
          // The unused parameters of an algorithm's name and the like are not signed.
          #expect(verdict == .good(until: Self.end), "byte \(index)")
          continue
        }
      }
    }
  }

  @Test func theResponderStandsInTheCertificate() throws {
    #expect(leaf.ocspResponders == ["http://ocsp.test.invalid/leaf"])
    let folder = "apple-app-store-server-library/real-apple-chain/"
    let apples = try Certificate(der: vectors.bytes(folder + "Apple-receipt-signing-2025.der"))
    let wwdr = try Certificate(der: vectors.bytes(folder + "AppleWWDRCA-G6.der"))
    #expect(apples.ocspResponders == ["http://ocsp.apple.com/ocsp03-wwdrg602"])
    #expect(wwdr.ocspResponders == ["http://ocsp.apple.com/ocsp03-applerootcag3"])
    #expect(root.ocspResponders.isEmpty)
  }

  @Test func theQuestionNamesTheCertificateAsTheAnswersDo() throws {
    let question = try OCSPVerifier(crypto: crypto).question(about: leaf, issuer: intermediate)
    let answer = try vectors.bytes("derived-jws/ocsp/leaf-good.ocsp.der")
    // Both hold the same two hashes and the same number.
    let name = crypto.digest(.sha1, intermediate.subject)
    for bytes in [question.der, answer] {
      #expect(Data(bytes).range(of: Data(name)) != nil)
      #expect(Data(bytes).range(of: Data([0x02, 0x02, 0x03, 0xEB])) != nil)
    }
  }
}
