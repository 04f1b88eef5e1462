public import Foundation
public import HTTPValues
public import IAPSignatures
import Synchronization

/// Asks the authorities whether their certificates were revoked, and remembers what they said.
///
/// Nothing is asked before signatures and chain were found right, and only hosts that are named
/// here: what a certificate says is otherwise anybody's word. However many requests wait for the
/// same answer, one question is sent.
///
/// - **Concurrency:** safe from any task; a remembered answer costs a look-up.
/// - **Source:** docs/decisions/0210-asking-about-revocation.md.
public final class RevocationDesk: Sendable {
  /// Where Apple's certificates are asked about.
  public static let appleHosts: Set<String> = ["ocsp.apple.com"]
  /// The longest for which an answer is remembered, in seconds, however long the responder allows.
  public static let answerSecondsMax: TimeInterval = 7 * 86_400
  /// How long nobody is asked again after a question that came to nothing, in seconds.
  public static let pauseSeconds: TimeInterval = 10
  /// How long one question may take.
  public static let timeout = Duration.seconds(10)
  /// The most certificates that are remembered; Apple signs with a handful.
  public static let certificatesMax = 64

  private enum Standing: Sendable {
    case good
    case revoked(Revocation)
  }

  private struct Known: Sendable {
    var standing: Standing
    let issuer: Certificate
    let until: Date
    /// When it is time to ask again, long before the answer ends.
    var renewal: Date
  }

  private struct Pause: Sendable {
    let error: ServerError
    let dates: Range<Date>
  }

  private struct State {
    var known: [Certificate: Known] = [:]
    var pauses: [Certificate: Pause] = [:]
    var questions: [Certificate: Task<Result<Known, ServerError>, Never>] = [:]
  }

  private let verifier: OCSPVerifier
  private let hosts: Set<String>
  private let send: @Sendable (HTTPOutgoingRequest) async throws -> HTTPResponse
  private let state = Mutex(State())

  /// Makes a desk that knows nothing yet.
  ///
  /// - Parameters:
  ///   - verifier: Judges the answers.
  ///   - hosts: The hosts that may be asked, with the port where it is not 80.
  ///   - send: Sends one request; it must not follow redirects.
  public init(
    verifier: OCSPVerifier,
    hosts: Set<String> = RevocationDesk.appleHosts,
    send: @escaping @Sendable (HTTPOutgoingRequest) async throws -> HTTPResponse
  ) {
    self.verifier = verifier
    self.hosts = hosts
    self.send = send
  }

  /// Looks whether a certificate of some chains was revoked.
  ///
  /// - Parameters:
  ///   - chains: Chains that a verifier found right.
  ///   - part: What they signed.
  ///   - signedDate: When that says that it was signed.
  ///   - now: The present.
  /// - Returns: What there is to hold against them.
  /// - Throws: ``ServerError`` with 503 when it was not possible to ask.
  func failures(
    _ chains: [VerifiedChain],
    part: SignedPart,
    signedDate: Date,
    at now: Date
  ) async throws(ServerError) -> [RuleFailure] {
    var failures: [RuleFailure] = []
    for chain in chains {
      for (place, link) in zip(["signing", "intermediate"], chain.links) {
        // Responders may forget what has ended; the rule about validity has judged that.
        guard now <= link.certificate.notAfter,
          case .revoked(let revocation) = try await standing(link.certificate, link.issuer, now)
        else { continue }
        let policy = RevocationPolicy()
        guard let reason = policy.reason(revocation, of: place, signedDate: signedDate) else {
          continue
        }
        let failure = RuleFailure(part: part, rule: policy.rule, reason: reason)
        if !failures.contains(failure) { failures.append(failure) }
        // Nothing that stands above can mend that.
        break
      }
    }
    return failures
  }

  /// Asks again about certificates whose answers will end, so that requests need not wait.
  ///
  /// - Parameter now: The present.
  /// - Returns: How many were asked about.
  func renew(at now: Date) async -> Int {
    let due = state.withLock { state in
      state.known.filter { $0.value.renewal <= now }.map { ($0.key, $0.value.issuer) }
    }
    for (certificate, issuer) in due { _ = await question(certificate, issuer, now).value }
    return due.count
  }

  private func standing(
    _ certificate: Certificate,
    _ issuer: Certificate,
    _ now: Date
  ) async throws(ServerError) -> Standing {
    enum Found {
      case known(Standing)
      case pause(ServerError)
      case nothing
    }
    let found: Found = state.withLock { state in
      if let known = state.known[certificate], now < known.until { return .known(known.standing) }
      if let pause = state.pauses[certificate], pause.dates.contains(now) {
        return .pause(pause.error)
      }
      return .nothing
    }
    switch found {
    case .known(let standing): return standing
    case .pause(let error): throw error
    case .nothing: return try await question(certificate, issuer, now).value.get().standing
    }
  }

  /// The question that is on its way, or a new one.
  private func question(
    _ certificate: Certificate,
    _ issuer: Certificate,
    _ now: Date
  ) -> Task<Result<Known, ServerError>, Never> {
    state.withLock { state in
      if let question = state.questions[certificate] { return question }
      let question = Task {
        let result = await self.result(certificate, issuer, now)
        self.note(result, certificate, now)
        return result
      }
      state.questions[certificate] = question
      return question
    }
  }

  private func note(_ result: Result<Known, ServerError>, _ certificate: Certificate, _ now: Date) {
    state.withLock { state in
      state.questions[certificate] = nil
      switch result {
      case .success(let known):
        state.pauses[certificate] = nil
        if state.known[certificate] == nil, state.known.count >= Self.certificatesMax {
          let first = state.known.min { $0.value.until < $1.value.until }
          first.map { state.known[$0.key] = nil }
        }
        state.known[certificate] = known
      case .failure(let error):
        let end = now.addingTimeInterval(Self.pauseSeconds)
        // What is still known stays; only the next question is put off.
        state.known[certificate]?.renewal = end
        if state.pauses.count >= Self.certificatesMax { state.pauses = [:] }
        state.pauses[certificate] = Pause(error: error, dates: now..<end)
      }
    }
  }

  private func result(
    _ certificate: Certificate,
    _ issuer: Certificate,
    _ now: Date
  ) async -> Result<Known, ServerError> {
    guard let address = certificate.ocspResponders.first(where: isAllowed) else {
      return .failure(.revocationUnavailable("no responder that may be asked is named"))
    }
    let verdict: OCSPVerdict
    do {
      let question = try verifier.question(about: certificate, issuer: issuer)
      let response = try await send(
        HTTPOutgoingRequest(
          method: .post,
          url: address,
          headers: ["Content-Type": "application/ocsp-request"],
          body: question.der,
          timeout: Self.timeout
        )
      )
      guard response.status == 200 else {
        return .failure(.revocationUnavailable("the responder answered \(response.status)"))
      }
      verdict = try verifier.verdict(response.body, about: certificate, issuer: issuer, at: now)
    } catch {
      return .failure(.revocationUnavailable("the responder could not be asked: \(error)"))
    }
    switch verdict {
    case .good(let end):
      let until = min(end, now.addingTimeInterval(Self.answerSecondsMax))
      let renewal = now.addingTimeInterval(max(0, until.timeIntervalSince(now)) / 2)
      return .success(Known(standing: .good, issuer: issuer, until: until, renewal: renewal))
    case .revoked(let revocation) where revocation.isHold:
      return .failure(.revocationUnavailable("the certificate is on hold"))
    case .revoked(let revocation):
      // Nobody takes that back.
      return .success(
        Known(
          standing: .revoked(revocation),
          issuer: issuer,
          until: .distantFuture,
          renewal: .distantFuture
        )
      )
    case .nothing(let problem):
      return .failure(.revocationUnavailable("the responder's answer says nothing: \(problem)"))
    }
  }

  /// Whether an address is plain HTTP to a host that may be asked, and nothing else.
  private func isAllowed(_ address: String) -> Bool {
    let scheme = "http://"
    guard address.hasPrefix(scheme), address.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      return false
    }
    return hosts.contains(String(address.dropFirst(scheme.count).prefix { $0 != "/" }))
  }
}

extension ServerError {
  /// It was not possible to find out whether a certificate was revoked: nothing is said about what
  /// it signed.
  static func revocationUnavailable(_ inside: String) -> ServerError {
    ServerError(
      503,
      .unavailable,
      .revocationUnavailable,
      "It was not possible to ask whether the certificates were revoked; try again.",
      retryAfterSeconds: Int(RevocationDesk.pauseSeconds),
      inside: inside
    )
  }
}

extension ServerError.Code {
  /// It was not possible to find out whether a certificate was revoked.
  static let revocationUnavailable = Self(rawValue: "revocationUnavailable")
}
