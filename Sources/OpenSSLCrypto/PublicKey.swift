internal import COpenSSL
import IAPSignatures

/// A public key, decoded once.
final class PublicKey: VerificationKey {
  let kind: KeyKind
  private let key: Handle
  private let digests: Digests

  init(subjectPublicKeyInfo: [UInt8], digests: Digests) throws(CryptoError) {
    let pointer = unsafe subjectPublicKeyInfo.withUnsafeBufferPointer { input in
      var position = input.baseAddress
      let end = unsafe position.map { unsafe $0 + input.count }
      let key = unsafe d2i_PUBKEY(nil, &position, input.count)
      // Bytes behind the key are no part of it.
      guard unsafe position == end else {
        unsafe EVP_PKEY_free(key)
        return unsafe OpaquePointer?.none
      }
      return unsafe key
    }
    guard let handle = unsafe Handle(pointer, release: { unsafe EVP_PKEY_free($0) }) else {
      throw LibraryError.latest("malformedKey", "reading a public key")
    }
    key = handle
    kind = KeyKind(of: handle)
    self.digests = digests
  }

  func isValid(
    signature: [UInt8],
    over message: [UInt8],
    digest: DigestAlgorithm,
    form: SignatureForm
  ) -> Bool {
    guard let encoded = libraryForm(signature, form) else { return false }
    return unsafe key.with { key in
      unsafe digests.handle(digest).with { digest in
        unsafe Self.verify(key, digest, encoded, message)
      }
    }
  }

  private func libraryForm(_ signature: [UInt8], _ form: SignatureForm) -> [UInt8]? {
    let half: Int
    switch (kind, form) {
    case (.rsa, _), (_, .der): return signature
    case (.p256, .raw): half = 32
    case (.p384, .raw): half = 48
    case (.other, .raw): return nil
    }
    guard signature.count == 2 * half else { return nil }
    return ECDSASignature.der(fromRaw: signature)
  }

  private static func verify(
    _ key: OpaquePointer,
    _ digest: OpaquePointer,
    _ signature: [UInt8],
    _ message: [UInt8]
  ) -> Bool {
    guard let context = unsafe EVP_MD_CTX_new() else { return false }
    defer { unsafe EVP_MD_CTX_free(context) }
    guard unsafe EVP_DigestVerifyInit(context, nil, digest, nil, key) == 1 else {
      ERR_clear_error()
      return false
    }
    let outcome = unsafe signature.withUnsafeBufferPointer { signature in
      unsafe message.withUnsafeBufferPointer { message in
        unsafe EVP_DigestVerify(
          context,
          signature.baseAddress,
          signature.count,
          message.baseAddress,
          message.count
        )
      }
    }
    if outcome != 1 { ERR_clear_error() }
    return outcome == 1
  }
}

extension KeyKind {
  init(of key: Handle) {
    self = unsafe key.with { pointer in
      if unsafe EVP_PKEY_is_a(pointer, "RSA") == 1 {
        return unsafe .rsa(bits: Int(EVP_PKEY_get_bits(pointer)))
      }
      guard unsafe EVP_PKEY_is_a(pointer, "EC") == 1 else { return .other("unknown") }
      var name = [CChar](repeating: 0, count: 64)
      let isNamed = unsafe name.withUnsafeMutableBufferPointer { buffer in
        unsafe EVP_PKEY_get_group_name(pointer, buffer.baseAddress, buffer.count, nil)
      }
      guard isNamed == 1 else {
        ERR_clear_error()
        return .other("unnamed curve")
      }
      let bytes = name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
      switch String(decoding: bytes, as: UTF8.self) {
      case "prime256v1": return .p256
      case "secp384r1": return .p384
      case let other: return .other(other)
      }
    }
  }
}
