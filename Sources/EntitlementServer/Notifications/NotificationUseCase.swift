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
              .required("notificationUUID", .text(max: 256)),
              .required("outcome", .word(["recorded", "known"])),
            ])
          )
        ],
        errors: [501],
        repetition: .natural,
        run: { call async throws(ServerError) in .ok(try await answer(call.body, at: call.now)) }
      )
    ]
  }

  private func answer(_ body: JSONObject, at now: Date) async throws(ServerError) -> JSONObject {
    let text = try signedPayload(body)
    let verdict = try looked { () throws(CryptoError) in
      // It arrives live, so its chain has to be valid now.
      try verifiers.notifications.verify(text, instant: .at(now))
    }
    guard let verified = verdict.accepted else { throw refusal(verdict.failures) }
    let content = verified.payload
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
    let record = FactRecord(
      key: .notification(content.notification.uuid),
      scope: LedgerScope(app: bundleID, environment: verified.environment),
      bytes: text,
      signedDate: verified.signedDate,
      receivedDate: now,
      facts: Self.facts(content)
    )
    let outcome = try await parts.commit(LedgerWrite(date: now, facts: [record]))
    let isNew = outcome.facts.first == .inserted
    note(content.notification, isNew: isNew, entries: outcome.newEntries)
    return [
      "notificationUUID": .string(content.notification.uuid.rawValue),
      "outcome": .string(isNew ? "recorded" : "known"),
    ]
  }

  private func signedPayload(_ body: JSONObject) throws(ServerError) -> [UInt8] {
    if let value = body["signedPayload"] {
      guard let text = value.stringValue, !text.isEmpty else {
        throw RequestMembers.invalid("signedPayload", "the text of a signed notification")
      }
      return Array(text.utf8)
    }
    if body["notification_type"] != nil {
      throw ServerError(
        501,
        .unsupported,
        .notificationV1Unsupported,
        "This is a notification of version 1, which this server does not read yet: choose "
          + "version 2 in App Store Connect.",
        parameter: "notification_type"
      )
    }
    throw ServerError(
      400,
      .invalidRequest,
      .parameterMissing,
      "signedPayload is missing.",
      parameter: "signedPayload"
    )
  }

  private func refusal(_ failures: [RuleFailure]) -> ServerError {
    for failure in failures {
      metrics.count(.failures, ["part": failure.part.rawValue, "rule": failure.rule.rawValue])
    }
    var error = ServerError(
      400,
      .refused,
      .notificationRefused,
      "The notification is refused: " + failures.map(\.description).joined(separator: "; ") + ".",
      parameter: "signedPayload"
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

  /// What a notification says, whatever its type: an unknown one is recorded as it is.
  private static func facts(_ content: NotificationContent) -> [StoreFact] {
    var facts: [StoreFact] = []
    if let transaction = content.transaction { facts.append(.transaction(transaction)) }
    if let renewal = content.renewalInfo { facts.append(.renewal(renewal)) }
    facts.append(
      .notification(
        NotificationContext(
          content.notification,
          transaction: content.transaction,
          renewal: content.renewalInfo
        )
      )
    )
    return facts
  }
}
