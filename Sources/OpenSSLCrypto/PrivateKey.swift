internal import COpenSSL
import IAPSignatures

/// A private key that the library signs with: read from a file, or an RSA key made here.
final class PrivateKey: SigningKey {
  let kind: KeyKind
  let subjectPublicKeyInfo: [UInt8]
  private let key: Handle
  private let digests: Digests

  /// Reads PKCS#8 or PKCS#1.
  init(der: [UInt8], digests: Digests) throws(CryptoError) {
    let pointer = unsafe der.withUnsafeBufferPointer { input in
      var position = input.baseAddress
      return unsafe d2i_AutoPrivateKey(nil, &position, input.count)
    }
    guard let handle = unsafe Handle(pointer, release: { unsafe EVP_PKEY_free($0) }) else {
      throw LibraryError.latest("malformedKey", "reading a private key")
    }
    key = handle
    kind = KeyKind(of: handle)
    subjectPublicKeyInfo = try Self.publicHalf(handle)
    self.digests = digests
  }

  private static func publicHalf(_ key: Handle) throws(CryptoError) -> [UInt8] {
    let bytes: [UInt8]? = unsafe key.with { key in
      var output: UnsafeMutablePointer<UInt8>?
      let count = unsafe i2d_PUBKEY(key, &output)
      guard count > 0, let start = unsafe output else { return nil }
      defer { unsafe CRYPTO_free(start, #file, #line) }
      return unsafe Array(UnsafeBufferPointer(start: start, count: Int(count)))
    }
    guard let bytes else { throw LibraryError.latest("malformedKey", "writing a public key") }
    return bytes
  }

  func sign(
    _ message: [UInt8],
    digest: DigestAlgorithm,
    form: SignatureForm
  ) throws(CryptoError) -> [UInt8] {
    let signature: [UInt8]? = unsafe key.with { key in
      unsafe digests.handle(digest).with { unsafe Self.sign(key, $0, message) }
    }
    guard let signature else { throw LibraryError.latest("signingFailed", "signing") }
    switch (kind, form) {
    case (.p256, .raw): return try Self.raw(signature, half: 32)
    case (.p384, .raw): return try Self.raw(signature, half: 48)
    default: return signature
    }
  }

  private static func sign(
    _ key: OpaquePointer,
    _ digest: OpaquePointer,
    _ message: [UInt8]
  ) -> [UInt8]? {
    guard let context = unsafe EVP_MD_CTX_new() else { return nil }
    defer { unsafe EVP_MD_CTX_free(context) }
    guard unsafe EVP_DigestSignInit(context, nil, digest, nil, key) == 1 else { return nil }
    var signature = [UInt8](repeating: 0, count: unsafe Int(EVP_PKEY_get_size(key)))
    var count = signature.count
    let isSigned = unsafe signature.withUnsafeMutableBufferPointer { output in
      unsafe message.withUnsafeBufferPointer { input in
        unsafe EVP_DigestSign(context, output.baseAddress, &count, input.baseAddress, input.count)
      }
    }
    return isSigned == 1 ? Array(signature.prefix(count)) : nil
  }

  private static func raw(_ der: [UInt8], half: Int) throws(CryptoError) -> [UInt8] {
    guard let raw = ECDSASignature.raw(fromDER: der, half: half) else {
      throw CryptoError(code: "signingFailed", reason: "the library wrote no ECDSA signature")
    }
    return raw
  }
}
