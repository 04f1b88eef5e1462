public import Foundation

/// What a responder's answer is worth.
public enum OCSPVerdict: Hashable, Sendable {
  /// The certificate is in good standing, and that may be relied on until then.
  case good(until: Date)
  /// The certificate was revoked.
  case revoked(Revocation)
  /// The answer says neither: nothing is known, which is no reason to refuse and none to accept.
  case nothing(Problem)

  /// Why an answer says nothing.
  public struct Problem: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The word.
    public let rawValue: String
    /// Makes a problem from its word.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The word.
    public var description: String { rawValue }
    /// The bytes are no answer.
    public static let malformed = Self(rawValue: "malformed")
    /// The responder says that it cannot answer, or not now.
    public static let declined = Self(rawValue: "declined")
    /// The answer is about another certificate.
    public static let otherCertificate = Self(rawValue: "otherCertificate")
    /// Who signed the answer may not.
    public static let notAuthorized = Self(rawValue: "notAuthorized")
    /// The signature does not fit.
    public static let signature = Self(rawValue: "signature")
    /// The answer is older than it says that it may be.
    public static let stale = Self(rawValue: "stale")
    /// The answer is from the future.
    public static let future = Self(rawValue: "future")
    /// The responder does not know the certificate.
    public static let unknown = Self(rawValue: "unknown")
  }
}

/// That a certificate was revoked: when, and why.
///
/// - **Source:** RFC 5280, section 5.3.1.
public struct Revocation: Hashable, Sendable {
  /// When.
  public var date: Date
  /// The number of the reason, nil when none is given.
  public var reason: Int64?

  /// Says that a certificate was revoked.
  ///
  /// - Parameters:
  ///   - date: When.
  ///   - reason: The number of the reason.
  public init(date: Date, reason: Int64?) {
    self.date = date
    self.reason = reason
  }

  /// Whether it may be taken back: a certificate that is on hold.
  public var isHold: Bool { reason == 6 }
}

/// Judges what responders answer.
///
/// An answer counts when the certificate's issuer signed it, or somebody whom that issuer made a
/// responder; when it is about the certificate; and when it is neither old nor from the future.
///
/// - **Concurrency:** a value; safe from any thread.
/// - **Source:** RFC 6960, sections 3.2 and 4.2.2; docs/decisions/0210-asking-about-revocation.md.
public struct OCSPVerifier: Sendable {
  /// How far the clocks of this machine and of a responder may differ, in seconds.
  public static let skewSecondsMax: TimeInterval = 300
  /// How long an answer counts that does not say when the next one will be there, in seconds.
  public static let openAnswerSeconds: TimeInterval = 86_400

  private let crypto: any VerificationPrimitives
  private let keys: ChainReader

  /// Makes a verifier.
  ///
  /// - Parameter crypto: The cryptography.
  public init(crypto: any VerificationPrimitives) {
    self.crypto = crypto
    // Nothing is chained here: the reader only makes keys, within its limits.
    keys = ChainReader(anchors: .apple, crypto: crypto, cache: nil)
  }

  /// Asks about a certificate.
  ///
  /// - Parameters:
  ///   - certificate: The certificate.
  ///   - issuer: The certificate of the authority that issued it.
  /// - Returns: The question.
  /// - Throws: ``CryptoError`` when the issuer's key cannot be read.
  public func question(
    about certificate: Certificate,
    issuer: Certificate
  ) throws(CryptoError) -> OCSPRequest {
    try OCSPRequest(about: certificate, issuer: issuer, crypto: crypto)
  }

  /// Judges an answer.
  ///
  /// - Parameters:
  ///   - response: The bytes.
  ///   - certificate: The certificate that was asked about; its chain is trusted.
  ///   - issuer: The certificate of the authority that issued it.
  ///   - now: The present.
  /// - Returns: The verdict.
  /// - Throws: ``CryptoError`` when it was not possible to look.
  public func verdict(
    _ response: [UInt8],
    about certificate: Certificate,
    issuer: Certificate,
    at now: Date
  ) throws(CryptoError) -> OCSPVerdict {
    let answer: OCSPResponse
    do {
      switch try OCSPResponse.read(response) {
      case .declined: return .nothing(.declined)
      case .response(let read): answer = read
      }
    } catch {
      return .nothing(.malformed)
    }
    guard let signer = try signer(of: answer, issuer: issuer, at: now) else {
      return .nothing(.notAuthorized)
    }
    guard try isSigned(answer, by: signer) else { return .nothing(.signature) }
    var found: OCSPResponse.Answer?
    for candidate in answer.answers {
      guard let id = candidate.id else { continue }
      let wanted = try OCSPCertificateID(
        certificate,
        issuer: issuer,
        digest: id.digest,
        crypto: crypto
      )
      if id == wanted { found = candidate }
    }
    guard let found else { return .nothing(.otherCertificate) }
    return judge(found, at: now)
  }

  private func judge(_ answer: OCSPResponse.Answer, at now: Date) -> OCSPVerdict {
    let end = answer.nextUpdate ?? answer.thisUpdate.addingTimeInterval(Self.openAnswerSeconds)
    if answer.thisUpdate > now.addingTimeInterval(Self.skewSecondsMax) { return .nothing(.future) }
    if end < now.addingTimeInterval(-Self.skewSecondsMax) { return .nothing(.stale) }
    switch answer.standing {
    case .good: return .good(until: end)
    case .revoked(let date, let reason): return .revoked(Revocation(date: date, reason: reason))
    case .unknown: return .nothing(.unknown)
    }
  }

  /// Who signed: the issuer itself, or whom it made a responder; nil when that is nobody.
  private func signer(
    of response: OCSPResponse,
    issuer: Certificate,
    at now: Date
  ) throws(CryptoError) -> Certificate? {
    if try matches(issuer, response.responder) { return issuer }
    for der in response.certificates {
      // What came along is anybody's: what cannot be read is nobody.
      guard let candidate = try? Certificate(der: der),
        (try? matches(candidate, response.responder)) == true,
        try isResponder(candidate, of: issuer, at: now)
      else { continue }
      return candidate
    }
    return nil
  }

  private func matches(
    _ certificate: Certificate,
    _ responder: OCSPResponse.Responder
  ) throws(CryptoError) -> Bool {
    switch responder {
    case .name(let name): name == certificate.subject
    case .keyHash(let hash): hash == crypto.digest(.sha1, try certificate.publicKeyBits())
    }
  }

  /// Whether the issuer itself made somebody a responder, and that holds now.
  private func isResponder(
    _ candidate: Certificate,
    of issuer: Certificate,
    at now: Date
  ) throws(CryptoError) -> Bool {
    guard candidate.issuer == issuer.subject, candidate.isMadeResponder,
      now >= candidate.notBefore.addingTimeInterval(-Self.skewSecondsMax),
      now <= candidate.notAfter.addingTimeInterval(Self.skewSecondsMax),
      let key = try keys.key(of: issuer), let algorithm = candidate.algorithm,
      algorithm.isStrong, algorithm.fits(key.kind)
    else { return false }
    return key.isValid(
      signature: candidate.signature,
      over: candidate.toBeSigned,
      digest: algorithm.digest,
      form: .der
    )
  }

  private func isSigned(
    _ response: OCSPResponse,
    by signer: Certificate
  ) throws(CryptoError) -> Bool {
    guard let key = try keys.key(of: signer), let algorithm = response.algorithm,
      algorithm.isStrong, algorithm.fits(key.kind)
    else { return false }
    return key.isValid(
      signature: response.signature,
      over: response.toBeSigned,
      digest: algorithm.digest,
      form: .der
    )
  }
}

extension SignatureAlgorithm {
  /// Whether nobody can make another text of the same digest.
  fileprivate var isStrong: Bool { digest != .md5 && digest != .sha1 }

  fileprivate func fits(_ key: KeyKind) -> Bool {
    switch (key, family) {
    case (.p256, .ecdsa), (.p384, .ecdsa), (.rsa, .rsa): true
    default: false
    }
  }
}

extension Certificate {
  /// Whether the certificate says that its subject may answer for its issuer, and demands nothing
  /// that is not known here.
  fileprivate var isMadeResponder: Bool {
    let known: Set<OID> = [.basicConstraints, .keyUsage, .extendedKeyUsage]
    guard isAuthority != true, usage?.contains(.digitalSignature) ?? true,
      extensions.allSatisfy({ !$0.isCritical || known.contains($0.id) }),
      let purposes = `extension`(.extendedKeyUsage), var text = try? DERReader(purposes.value),
      let list = try? text.read(0x30), var items = try? text.inside(list)
    else { return false }
    while let item = try? items.read(0x06) {
      if OID(bytes: items.content(item)) == .ocspSigning { return true }
    }
    return false
  }
}
