import IAPSignatures
import OpenSSLCrypto
import Testing

/// scrypt against the vectors of RFC 7914, section 12.
struct ScryptTests {
  private func hex(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  @Test func theVectorsOfTheStandardComeOut() throws {
    let crypto = try OpenSSLPrimitives()
    let empty = try crypto.scrypt(
      [],
      salt: [],
      cost: ScryptCost(cost: 16, blockSize: 1, parallelization: 1),
      count: 64
    )
    #expect(
      hex(empty)
        == "77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442"
        + "fcd0069ded0948f8326a753a0fc81f17e8d3e0fb2e0d3628cf35e20c38d18906"
    )
    let password = try crypto.scrypt(
      Array("password".utf8),
      salt: Array("NaCl".utf8),
      cost: ScryptCost(cost: 1024, blockSize: 8, parallelization: 16),
      count: 64
    )
    #expect(
      hex(password)
        == "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162"
        + "2eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640"
    )
  }

  @Test(arguments: [
    ScryptCost(cost: 15, blockSize: 1, parallelization: 1),
    ScryptCost(cost: 0, blockSize: 1, parallelization: 1),
    ScryptCost(cost: 1 << 24, blockSize: 8, parallelization: 1),
  ])
  func aCostThatIsNoneOrTooMuchIsRefused(_ cost: ScryptCost) throws {
    let crypto = try OpenSSLPrimitives()
    let error = #expect(throws: CryptoError.self) {
      try crypto.scrypt([1], salt: [2], cost: cost, count: 32)
    }
    #expect(error?.code == "scryptRefused")
  }
}
