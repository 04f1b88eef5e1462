internal import COpenSSL
import IAPSignatures

/// What an RSA test key is made from.
struct RSAKeyRequest: Hashable, Sendable {
  let bits: Int
  let seed: [UInt8]
}

/// An RSA key whose primes are a function of a seed; for test data only.
final class RSASigningKey: SigningKey {
  private let key: PrivateKey

  var kind: KeyKind { key.kind }
  var subjectPublicKeyInfo: [UInt8] { key.subjectPublicKeyInfo }

  private static let publicExponent: UInt = 65_537
  private static let bitsAllowed = 1024...4096

  init(_ request: RSAKeyRequest, digests: Digests) throws(CryptoError) {
    guard Self.bitsAllowed.contains(request.bits), request.bits % 16 == 0 else {
      throw CryptoError(code: "unsupportedKey", reason: "no RSA keys of \(request.bits) bits")
    }
    let arithmetic = Arithmetic()
    let exponent = arithmetic.adding(Self.publicExponent, to: BigNumber())
    let first = Self.prime(request, "p", exponent, digests, arithmetic)
    let second = Self.prime(request, "q", exponent, digests, arithmetic)
    let isOrdered = arithmetic.compare(first, second) > 0
    let p = isOrdered ? first : second
    let q = isOrdered ? second : first
    let pMinus = arithmetic.subtracting(1, from: p)
    let qMinus = arithmetic.subtracting(1, from: q)
    let totient = arithmetic.product(pMinus, qMinus)
    guard let d = arithmetic.inverse(exponent, modulo: totient),
      let coefficient = arithmetic.inverse(q, modulo: p)
    else { throw CryptoError(code: "unsupportedKey", reason: "the seed gives no RSA key") }
    let numbers = [
      arithmetic.product(p, q), exponent, d, p, q,
      arithmetic.remainder(d, modulo: pMinus), arithmetic.remainder(d, modulo: qMinus), coefficient,
    ]
    let der = DERWriter.sequence(
      [DERWriter.integer(0)] + numbers.map { DERWriter.unsignedInteger($0.magnitude) }
    )
    key = try PrivateKey(der: der, digests: digests)
  }

  func sign(
    _ message: [UInt8],
    digest: DigestAlgorithm,
    form: SignatureForm
  ) throws(CryptoError) -> [UInt8] {
    try key.sign(message, digest: digest, form: form)
  }

  /// The first prime at or above the number that the seed says, fit for the exponent.
  private static func prime(
    _ request: RSAKeyRequest,
    _ label: String,
    _ exponent: BigNumber,
    _ digests: Digests,
    _ arithmetic: Arithmetic
  ) -> BigNumber {
    let size = request.bits / 16
    var start: [UInt8] = []
    var block: UInt8 = 0
    while start.count < size {
      let message = Array("rsa \(request.bits) \(label)".utf8) + [block]
      start += digests.hmac(.sha512, key: request.seed, message)
      block += 1
    }
    start = Array(start.prefix(size))
    // Two top bits make the product as long as it should be.
    start[0] |= 0xC0
    start[size - 1] |= 1
    var candidate = BigNumber(start)
    // Primes lie about 700 apart at this size; the bound only keeps the loop finite.
    for _ in 0..<1_000_000 {
      let minusOne = arithmetic.subtracting(1, from: candidate)
      if arithmetic.isPrime(candidate), arithmetic.inverse(exponent, modulo: minusOne) != nil {
        return candidate
      }
      candidate = arithmetic.adding(2, to: candidate)
    }
    preconditionFailure("no prime near the seed's number")
  }
}
