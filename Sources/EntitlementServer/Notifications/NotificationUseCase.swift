import Foundation
import HTTPValues
import IAPEntitlements
import IAPModel
import IAPSignatures
import ServerStorage

/// Takes notifications from the App Store: verified with everything that is signed in them,
/// recorded once under their name, and acknowledged only after that is durable.
struct NotificationUseCase: Sendable {
  let parts: ServerParts

  private var verifiers: ServerVerifiers { parts.verifiers }
  private var metrics: ServerMetrics { parts.metrics }

  var routes: [Route] {
    [
      Route(
        .post,
        "/v1/notifications/apple",
        "Takes a notification from the App Store.",
        access: .apple,
        body: .notification(
          .object([
            .optional("signedPayload", .text(max: parts.configuration.limits.notificationBytesMax))
          ])
        ),
        answers: [
          Route.Answer(
            200,
            .object([
              .optional("notificationUUID", .text(max: 256)),
              .optional("notificationType", .text(max: LegacyNotifications.memberBytesMax)),
              .required("outcome", .word(LegacyNotifications.Outcome.allCases.map(\.rawValue))),
            ])
          )
        ],
        repetition: .natural,
        run: { call async throws(ServerError) in .ok(try await answer(call.body, at: call.now)) }
      )
    ]
  }

  private func answer(_ body: JSONObject, at now: Date) async throws(ServerError) -> JSONObject {
    if body["signedPayload"] == nil, LegacyNotifications.isOne(body) {
      return try await LegacyNotifications(parts: parts).answer(body, at: now)
    }
    // It arrives live, so its chain has to be valid now.
    let taken = try await take(try signedPayload(body), instant: .at(now), now: now)
    return [
      "notificationUUID": .string(taken.uuid.rawValue),
      "outcome": .string(taken.isNew ? "recorded" : "known"),
    ]
  }

  /// A notification that is in the ledger.
  struct Taken: Hashable, Sendable {
    let uuid: NotificationUUID
    /// Whether the ledger did not know it.
    let isNew: Bool
  }

  /// Verifies and records a notification, whatever way it came.
  ///
  /// - Parameters:
  ///   - text: The signed payload.
  ///   - instant: When its chain has to be valid.
  ///   - now: When it is worked on.
  /// - Returns: What was recorded.
  /// - Throws: ``ServerError``, with 400 when it is refused.
  func take(
    _ text: [UInt8],
    instant: JudgingInstant,
    now: Date
  ) async throws(ServerError) -> Taken {
    let judged = try await judge(text, at: instant, now)
    var write = LedgerWrite(date: now, facts: [judged.record])
    // The App Store waits for an answer: its question is filed with the fact.
    if let question = ConsumptionAnswers(parts: parts).question(judged, at: now) {
      write.documents = [question]
    }
    let outcome = try await parts.commit(write)
    let isNew = outcome.facts.first == .inserted
    note(judged.notification, isNew: isNew, entries: outcome.newEntries)
    if isNew, let signed = judged.record.signedDate {
      let age = now.timeIntervalSince(signed)
      metrics.observe(.notificationAge, seconds: max(0, age))
    }
    return Taken(uuid: judged.notification.uuid, isNew: isNew)
  }

  /// A notification that follows every rule.
  struct Judged: Hashable, Sendable {
    let notification: NotificationPayload
    let record: FactRecord
  }

  /// Verifies a notification.
  ///
  /// - Parameters:
  ///   - text: The signed payload.
  ///   - instant: When its chain has to be valid.
  ///   - now: When it is worked on.
  /// - Returns: What it says, for the ledger.
  /// - Throws: ``ServerError``, with 400 when it is refused.
  func judge(
    _ text: [UInt8],
    at instant: JudgingInstant,
    _ now: Date
  ) async throws(ServerError) -> Judged {
    let verdict = try await verifiers.notification(text, instant: instant, now: now)
    guard let verified = verdict.accepted else { throw refusal(verdict.failures) }
    #if PLANTED_BUGS
    let content = mistaken(verified.payload, now)
    #else
    let content = verified.payload
    #endif
    guard let bundleID = content.notification.bundleID else {
      throw refusal([
        RuleFailure(part: .notification, rule: .bundle, reason: "it does not name an app")
      ])
    }
    if let failure = parts.configuration.environmentFailure(
      bundleID,
      verified.environment,
      part: .notification
    ) {
      throw refusal([failure])
    }
    return Judged(
      notification: content.notification,
      record: FactRecord(
        key: .notification(content.notification.uuid),
        scope: LedgerScope(app: bundleID, environment: verified.environment),
        bytes: text,
        signedDate: verified.signedDate,
        receivedDate: now,
        facts: Self.facts(content.notification, content.transaction, content.renewalInfo)
      )
    )
  }

  private func signedPayload(_ body: JSONObject) throws(ServerError) -> [UInt8] {
    if let value = body["signedPayload"] {
      guard let text = value.stringValue, !text.isEmpty else {
        throw RequestMembers.invalid("signedPayload", "the text of a signed notification")
      }
      return Array(text.utf8)
    }
    throw ServerError(
      400,
      .invalidRequest,
      .parameterMissing,
      "signedPayload is missing.",
      parameter: "signedPayload"
    )
  }

  func refusal(
    _ failures: [RuleFailure],
    parameter: String = "signedPayload"
  ) -> ServerError {
    for failure in failures {
      metrics.count(.failures, ["part": failure.part.rawValue, "rule": failure.rule.rawValue])
    }
    var error = ServerError(
      400,
      .refused,
      .notificationRefused,
      "The notification is refused: " + failures.map(\.description).joined(separator: "; ") + ".",
      parameter: parameter
    )
    // Reasons may repeat what was sent; the rules' names are words of our own.
    error.rules = failures.map { "\($0.part).\($0.rule)" }.joined(separator: ",")
    return error
  }

  private func note(
    _ notification: NotificationPayload,
    isNew: Bool,
    entries: [GrantRecord]
  ) {
    metrics.count(
      .notifications,
      [
        "type": notification.type.rawValue, "subtype": notification.subtype?.rawValue ?? "",
        "outcome": isNew ? "recorded" : "known",
      ]
    )
    for entry in entries { metrics.count(.entries, ["kind": entry.entry.kind.rawValue]) }
  }

  #if PLANTED_BUGS
  private func mistaken(_ content: NotificationContent, _ now: Date) -> NotificationContent {
    var content = content
    if parts.world.planted == .believesLastArrival {
      content.transaction?.signedDate = now
      content.renewalInfo?.signedDate = now
    }
    if parts.world.planted == .forgetsGrace { content.renewalInfo?.gracePeriodExpiresDate = nil }
    return content
  }
  #endif

  /// What a notification says, whatever its type: an unknown one is recorded as it is.
  static func facts(
    _ notification: NotificationPayload,
    _ transaction: TransactionPayload?,
    _ renewal: RenewalInfoPayload?
  ) -> [StoreFact] {
    var facts: [StoreFact] = []
    if let transaction { facts.append(.transaction(transaction)) }
    if let renewal { facts.append(.renewal(renewal)) }
    facts.append(
      .notification(
        NotificationContext(notification, transaction: transaction, renewal: renewal)
      )
    )
    return facts
  }
}
