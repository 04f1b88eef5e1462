internal import COpenSSL
import IAPSignatures

/// The library's digests, fetched once.
final class Digests: Sendable {
  private let md5: Handle
  private let sha1: Handle
  private let sha256: Handle
  private let sha384: Handle
  private let sha512: Handle

  init() throws(CryptoError) {
    md5 = try Self.fetch("MD5")
    sha1 = try Self.fetch("SHA1")
    sha256 = try Self.fetch("SHA2-256")
    sha384 = try Self.fetch("SHA2-384")
    sha512 = try Self.fetch("SHA2-512")
  }

  private static func fetch(_ name: String) throws(CryptoError) -> Handle {
    let handle = unsafe Handle(EVP_MD_fetch(nil, name, nil)) { unsafe EVP_MD_free($0) }
    guard let handle else { throw LibraryError.latest("libraryUnusable", "fetching \(name)") }
    return handle
  }

  func handle(_ algorithm: DigestAlgorithm) -> Handle {
    switch algorithm {
    case .md5: md5
    case .sha1: sha1
    case .sha256: sha256
    case .sha384: sha384
    case .sha512: sha512
    }
  }

  func digest(_ algorithm: DigestAlgorithm, _ bytes: [UInt8]) -> [UInt8] {
    unsafe handle(algorithm).with { pointer in
      let size = unsafe Int(EVP_MD_get_size(pointer))
      return unsafe [UInt8](unsafeUninitializedCapacity: size) { output, count in
        var written: UInt32 = 0
        let isDone = unsafe bytes.withUnsafeBufferPointer { input in
          unsafe EVP_Digest(
            input.baseAddress,
            input.count,
            output.baseAddress,
            &written,
            pointer,
            nil
          )
        }
        precondition(isDone == 1 && Int(written) == size, "a fetched digest always works")
        count = size
      }
    }
  }

  /// HMAC by this library's digests.
  ///
  /// - **Source:** RFC 2104.
  func hmac(_ algorithm: DigestAlgorithm, key: [UInt8], _ message: [UInt8]) -> [UInt8] {
    let blockSize = algorithm == .sha384 || algorithm == .sha512 ? 128 : 64
    var block = key.count > blockSize ? digest(algorithm, key) : key
    block += [UInt8](repeating: 0, count: blockSize - block.count)
    let inner = digest(algorithm, block.map { $0 ^ 0x36 } + message)
    return digest(algorithm, block.map { $0 ^ 0x5C } + inner)
  }
}

/// What the library says about its own failure.
enum LibraryError {
  /// The newest entry of this thread's error queue, which is emptied.
  static func latest(_ code: String, _ operation: String) -> CryptoError {
    let number = ERR_peek_last_error()
    ERR_clear_error()
    var text = [CChar](repeating: 0, count: 256)
    unsafe text.withUnsafeMutableBufferPointer { buffer in
      unsafe ERR_error_string_n(number, buffer.baseAddress, buffer.count)
    }
    let bytes = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    let said = number == 0 ? "no details" : String(decoding: bytes, as: UTF8.self)
    return CryptoError(code: code, reason: "\(operation): \(said)")
  }
}
