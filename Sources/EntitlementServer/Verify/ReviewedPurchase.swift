import Foundation
import IAPModel
import IAPSignatures
import ServerStorage

/// Answers for purchases that evidence does not prove but people have decided about.
struct ReviewedPurchase: Sendable {
  let parts: ServerParts

  /// The answer when a case about the transaction was decided.
  ///
  /// - Parameters:
  ///   - request: The request whose evidence was refused.
  ///   - call: The call.
  ///   - failures: Why it was refused.
  /// - Returns: Nil when there is no case, or nobody has decided.
  /// - Throws: ``ServerError`` when it was not possible to look up or to store.
  func answer(
    _ request: VerifyRequest,
    _ call: Call,
    _ failures: [RuleFailure]
  ) async throws(ServerError) -> JSONObject? {
    guard let id = request.transactionID ?? Self.claimedID(request.evidence),
      let review = try await review(id, call)
    else { return nil }
    switch review.state {
    case .open, .resolved: return nil
    case .refused:
      parts.metrics.count(.verdicts, ["verdict": "rejected"])
      return VerifyAnswer.rejected(
        failures + [
          RuleFailure(part: .transaction, rule: .review, reason: "support has refused it")
        ]
      )
    case .delivered:
      return try await deliver(review, id, request, call)
    }
  }

  private func review(
    _ id: TransactionID,
    _ call: Call
  ) async throws(ServerError) -> ReviewRecord? {
    let name = ReviewUseCase.quarantineID(id, parts.verifiers)
    let apps = call.caller.app.map { [$0] } ?? parts.configuration.apps.map(\.bundleID)
    return try await parts.read { reader throws(StorageError) -> ReviewRecord? in
      for app in apps {
        guard let document = try reader.document(ReviewRecord.key(name, app: app)) else { continue }
        return try ReviewRecord(document)
      }
      return nil
    }
  }

  /// Hands the goods to one installation; the unit is the one that the transaction would have.
  private func deliver(
    _ review: ReviewRecord,
    _ id: TransactionID,
    _ request: VerifyRequest,
    _ call: Call
  ) async throws(ServerError) -> JSONObject {
    let unit = UnitID("tx:\(id)")
    let environment =
      parts.configuration.app(review.app)?.orderedEnvironments.first ?? .production
    let scope = LedgerScope(app: review.app, environment: environment)
    var claim: ClaimRecord?
    if let installation = request.installation {
      var write = LedgerWrite(date: call.now)
      write.claims = [
        ClaimRequest(
          scope: scope,
          unit: unit,
          installation: installation,
          date: call.now,
          leaseSeconds: TimeInterval(parts.configuration.limits.claimLeaseSeconds),
          isAcknowledgement: request.isAcknowledgement
        )
      ]
      claim = try await parts.commit(write).claims.first
    } else {
      claim = try await parts.read { reader throws(StorageError) in
        try reader.claim(to: unit, in: scope)
      }
    }
    parts.metrics.count(.verdicts, ["verdict": "accepted"])
    var answer = AnswerMembers()
    answer.add("verdict", .string("accepted"))
    answer.add("isValid", .bool(true))
    answer.add("productId", review.details["productId"]?.stringValue)
    answer.add("transactionId", .string(id.rawValue))
    answer.add("review", .string(review.id.rawValue))
    answer.add("unit", .string(unit.rawValue))
    answer.add("grant", ["unit": .string(unit.rawValue), "count": 1, "quantity": 1])
    answer.add("claimedBy", claim?.installation.rawValue)
    if claim?.acknowledgedDate != nil { answer.add("acknowledged", .bool(true)) }
    answer.add("entitlements", [])
    return answer.object
  }

  /// The transaction that refused evidence names: good for finding a case, and for nothing else.
  private static func claimedID(_ evidence: VerifyRequest.Evidence) -> TransactionID? {
    guard case .signedTransaction(let text) = evidence else { return nil }
    let segments = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard segments.count == 3, let bytes = Base64.decode(segments[1], .url),
      let payload = try? JSONParser.parseObject(bytes, limits: .signedPayload)
    else { return nil }
    return payload["transactionId"]?.stringValue.map { TransactionID($0) }
  }
}

extension Rule {
  /// People have not decided against the purchase.
  static let review = Rule(rawValue: "review")
}
