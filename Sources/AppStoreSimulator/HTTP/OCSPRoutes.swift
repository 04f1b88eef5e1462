import Foundation
import HTTPValues
import IAPSignatures

/// Says whether the store's own certificates were revoked, as Apple's `ocsp.apple.com` does.
///
/// - **Source:** RFC 6960, appendix A.
struct OCSPRoutes: Sendable {
  let store: SimulatedAppStore

  /// How long an answer may be relied on, in seconds.
  static let answerSeconds: TimeInterval = 12 * 3600
  /// The longest question, in bytes.
  static let requestBytesMax = 4096

  var routes: [Route] {
    [Route(.post, "/ocsp") { request, _ in answer(request.body) }]
  }

  private func answer(_ question: [UInt8]) -> HTTPResponse {
    HTTPResponse(
      status: 200,
      headers: ["Content-Type": "application/ocsp-response"],
      body: store.standing(question)
    )
  }
}

extension SimulatedAppStore {
  /// Answers a question about one of the store's certificates: they are in good standing until
  /// ``StoreFaults/revokesCertificate`` says otherwise.
  ///
  /// - Parameter question: The DER of the question.
  /// - Returns: The DER of the answer.
  func standing(_ question: [UInt8]) -> [UInt8] {
    guard question.count <= OCSPRoutes.requestBytesMax else {
      return OCSPResponseWriter.malformedRequest
    }
    let now = now
    // The key was compromised.
    let revoked = OCSPResponseWriter.Standing.revoked(
      IAPSignatures.Revocation(date: now, reason: 1)
    )
    do {
      for responder in try signer.responders() {
        let answer = try responder.answer(
          question,
          faults.revokesCertificate ? revoked : .good,
          from: now,
          until: now.addingTimeInterval(OCSPRoutes.answerSeconds)
        )
        if let answer { return answer }
      }
    } catch {
      return OCSPResponseWriter.tryLater
    }
    return OCSPResponseWriter.unauthorized
  }
}
