import IAPSignatures
import Testing

@testable import OpenSSLCrypto

/// Keys that simulated stores sign with.
@Suite struct SigningKeyTests {
  private let crypto: OpenSSLPrimitives
  private let digests: Digests

  init() throws {
    crypto = try OpenSSLPrimitives()
    digests = try Digests()
  }

  /// RFC 6979, appendices A.2.5 and A.2.6, message "sample".
  @Test func theRFCsOwnExamplesComeOut() throws {
    let p256 = try SeededECKey(
      curve: .p256,
      scalar: bytes("C9AFA9D845BA75166B5C215767B1D6934E50C3DB36E89B127B8A622B120F6721"),
      digests: digests
    )
    let short = try p256.sign(Array("sample".utf8), digest: .sha256, form: .raw)
    #expect(
      hex(short)
        == "EFD48B2AACB6A8FD1140DD9CD45E81D69D2C877B56AAF991C34D0EA84EAF3716"
        + "F7CB1C942D657C41D436C7A1B6E29F65F3E900DBB9AFF4064DC4AB2F843ACDA8"
    )
    let p384 = try SeededECKey(
      curve: .p384,
      scalar: bytes(
        "6B9D3DAD2E1B8C1C05B19875B6659F4DE23C3B667BF297BA9AA47740787137D8"
          + "96D5724E4C70A825F872C9EA60D2EDF5"
      ),
      digests: digests
    )
    let long = try p384.sign(Array("sample".utf8), digest: .sha384, form: .raw)
    #expect(
      hex(long)
        == "94EDBB92A5ECB8AAD4736E56C691916B3F88140666CE9FA73D64C4EA95AD133C"
        + "81A648152E44ACF96E36DD1E80FABE4699EF4AEB15F178CEA1FE40DB2603138F"
        + "130E740A19624526203B6351D0A3A94FA329C145786E679E7B82C71A38628AC8"
    )
  }

  @Test(arguments: [KeyKind.p256, .p384, .rsa(bits: 1024), .rsa(bits: 2048)])
  func aSignatureIsValidForItsMessageOnly(kind: KeyKind) throws {
    let key = try crypto.makeSigningKey(kind, seed: [1, 2, 3])
    let check = try crypto.makeVerificationKey(subjectPublicKeyInfo: key.subjectPublicKeyInfo)
    #expect(key.kind == kind)
    #expect(check.kind == kind)
    for form in [SignatureForm.raw, .der] {
      let signature = try key.sign([1, 2, 3], digest: .sha256, form: form)
      #expect(
        check.isValid(signature: signature, over: [1, 2, 3], digest: .sha256, form: form)
      )
      #expect(
        !check.isValid(signature: signature, over: [1, 2, 4], digest: .sha256, form: form)
      )
      #expect(
        !check.isValid(signature: signature, over: [1, 2, 3], digest: .sha384, form: form)
      )
      #expect(
        !check.isValid(
          signature: Array(signature.dropLast()),
          over: [1, 2, 3],
          digest: .sha256,
          form: form
        )
      )
      #expect(try signature == key.sign([1, 2, 3], digest: .sha256, form: form))
    }
  }

  @Test(arguments: [KeyKind.p256, .p384, .rsa(bits: 1024)])
  func equalSeedsGiveEqualKeysAndOthersOthers(kind: KeyKind) throws {
    let other = try OpenSSLPrimitives()
    let first = try crypto.makeSigningKey(kind, seed: [1])
    let again = try other.makeSigningKey(kind, seed: [1])
    let second = try crypto.makeSigningKey(kind, seed: [2])
    #expect(first.subjectPublicKeyInfo == again.subjectPublicKeyInfo)
    #expect(first.subjectPublicKeyInfo != second.subjectPublicKeyInfo)
  }

  @Test func keysOfOtherSizesAreRefused() {
    for bits in [1008, 4112] {
      #expect(throws: CryptoError(code: "unsupportedKey", reason: "")) {
        try crypto.makeSigningKey(.rsa(bits: bits), seed: [])
      }
    }
    #expect(throws: CryptoError(code: "unsupportedKey", reason: "")) {
      try crypto.makeSigningKey(.other("ed25519"), seed: [])
    }
  }

  @Test func digestsAreTheKnownOnes() {
    let known: [(DigestAlgorithm, String)] = [
      (.md5, "900150983CD24FB0D6963F7D28E17F72"),
      (.sha1, "A9993E364706816ABA3E25717850C26C9CD0D89D"),
      (.sha256, "BA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD"),
    ]
    for (algorithm, expected) in known {
      #expect(hex(crypto.digest(algorithm, Array("abc".utf8))) == expected)
    }
    #expect(crypto.digest(.sha384, []).count == 48)
    #expect(crypto.digest(.sha512, []).count == 64)
  }

  @Test func bytesThatAreNoKeyAreRefused() throws {
    let key = try crypto.makeSigningKey(.p256, seed: [1]).subjectPublicKeyInfo
    for broken in [[], [0x30], Array(key.dropLast()), key + [0]] {
      #expect(throws: CryptoError(code: "malformedKey", reason: "")) {
        try crypto.makeVerificationKey(subjectPublicKeyInfo: broken)
      }
    }
  }

  private func bytes(_ hex: String) -> [UInt8] {
    let digits = hex.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] * 16 + digits[$0 + 1]) }
  }

  private func hex(_ bytes: [UInt8]) -> String {
    bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined().uppercased()
  }
}
