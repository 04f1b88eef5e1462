internal import COpenSSL
public import IAPSignatures

/// How much work and memory a guess of a password costs.
///
/// - **Units:** `128 * cost * blockSize` bytes of memory for each guess.
/// - **Source:** RFC 7914, section 2.
public struct ScryptCost: Hashable, Sendable {
  /// A power of two above 1.
  public let cost: UInt64
  /// How large the blocks are.
  public let blockSize: UInt64
  /// How often it is done over.
  public let parallelization: UInt64

  /// Makes a cost.
  public init(cost: UInt64, blockSize: UInt64, parallelization: UInt64) {
    self.cost = cost
    self.blockSize = blockSize
    self.parallelization = parallelization
  }

  /// The most memory that a guess may need, in bytes.
  public static let memoryBytesMax: UInt64 = 256 * 1024 * 1024
}

extension OpenSSLPrimitives {
  /// Derives a key from a password, slowly on purpose; blocks while it does so.
  ///
  /// - Parameters:
  ///   - password: The password's bytes.
  ///   - salt: Bytes of chance, different for each password.
  ///   - cost: How much work it is.
  ///   - count: How many bytes are wanted.
  /// - Returns: The key.
  /// - Throws: ``CryptoError`` with code `scryptRefused` when the cost is none or needs too much
  ///   memory.
  public func scrypt(
    _ password: [UInt8],
    salt: [UInt8],
    cost: ScryptCost,
    count: Int
  ) throws(CryptoError) -> [UInt8] {
    var key = [UInt8](repeating: 0, count: count)
    let isDone = unsafe password.withUnsafeBufferPointer { password in
      unsafe salt.withUnsafeBufferPointer { salt in
        unsafe key.withUnsafeMutableBufferPointer { key in
          unsafe password.withMemoryRebound(to: CChar.self) { text in
            unsafe EVP_PBE_scrypt(
              text.baseAddress,
              text.count,
              salt.baseAddress,
              salt.count,
              cost.cost,
              cost.blockSize,
              cost.parallelization,
              ScryptCost.memoryBytesMax,
              key.baseAddress,
              key.count
            )
          }
        }
      }
    }
    guard isDone == 1 else { throw LibraryError.latest("scryptRefused", "deriving a key") }
    return key
  }
}
