import AppStoreServerAPI
import Foundation
import IAPEntitlements
import IAPModel
import IAPSignatures
import ServerStorage

/// Takes notifications of version 1, which old apps still get.
///
/// They are not signed. What they say is believed as far as something in them can be verified: the
/// receipt inside, and what Apple's old service says about it where that can be asked. The rest is
/// kept for people and decides nothing.
///
/// - **Source:** the notification facts, section 7; decision 0331.
struct LegacyNotifications: Sendable {
  let parts: ServerParts

  /// The longest member that is kept of one, in bytes.
  static let memberBytesMax = 1024
  /// The most members that are kept of one.
  static let membersMax = 64

  /// What became of a notification.
  enum Outcome: String, Hashable, Sendable, CaseIterable {
    /// What it shows is in the ledger now.
    case recorded
    /// It had been taken before.
    case known
    /// Nothing in it can be verified; it is kept for people.
    case unverified
  }

  /// Whether a body is one.
  static func isOne(_ body: JSONObject) -> Bool { body["notification_type"] != nil }

  func answer(_ body: JSONObject, at now: Date) async throws(ServerError) -> JSONObject {
    guard let type = body["notification_type"]?.stringValue, !type.isEmpty,
      type.utf8.count <= Self.memberBytesMax
    else { throw RequestMembers.invalid("notification_type", "the text of a type") }
    guard let app = (body["bid"]?.stringValue).flatMap({ parts.configuration.app(BundleID($0)) })
    else { throw refusal([failure(.bundle, "it is for no app of this server")]) }
    let access = parts.apple[app.bundleID]
    if let secret = access?.sharedSecret {
      let given = body["password"]?.stringValue ?? ""
      guard secret.matches(given, digest: { parts.verifiers.digest($0) }) else {
        throw refusal([failure(.sharedSecret, "it does not know the app's shared secret")])
      }
    }
    var write = LedgerWrite(date: now)
    let receipt = try receipt(body)
    if let receipt {
      switch try await ReceiptJudge(parts).judge(receipt, app: app.bundleID, at: now) {
      case .refused(let failures): throw refusal(failures)
      case .accepted(let judged):
        guard judged.scope.app == app.bundleID else {
          throw refusal([failure(.bundle, "the receipt is of another app")])
        }
        write.facts.append(judged.record)
        write.documents += try await NewestReceipts(parts: parts).wishes(judged.record, receipt)
      }
    }
    let name = Hexadecimal.text(parts.verifiers.digest(body.serialized))
    write.documents.insert(
      DocumentWrite(
        DocumentKey(.legacyNotification, app: app.bundleID, name: name),
        shelf: String(type.prefix(64)),
        body: ["received": .integer(now.milliseconds), "members": .object(Self.kept(body))],
        condition: .ifAbsent
      ),
      at: 0
    )
    let outcome = try await parts.commit(write)
    try await askAbout(receipt, app.bundleID, now)
    var word = Outcome.unverified
    if receipt != nil { word = .recorded }
    if case .kept(_?)? = outcome.documents.first { word = .known }
    note(type, word, outcome)
    return ["notificationType": .string(type), "outcome": .string(word.rawValue)]
  }

  /// Asks for what the receipt does not say: refunds since, and how subscriptions go on.
  ///
  /// What the receipt shows is durable already; when nobody answers, the notification is not
  /// acknowledged and comes again.
  private func askAbout(
    _ receipt: [UInt8]?,
    _ app: BundleID,
    _ now: Date
  ) async throws(ServerError) {
    guard let receipt,
      case .accepted(let judged)? = try await ReceiptJudge(parts).askAppStore(
        receipt,
        app: app,
        at: now
      )
    else { return }
    _ = try await parts.commit(LedgerWrite(date: now, facts: [judged.record]))
  }

  /// The receipt inside, where it has been at different times.
  private func receipt(_ body: JSONObject) throws(ServerError) -> [UInt8]? {
    let unified = body["unified_receipt"]?.objectValue
    let value =
      unified?["latest_receipt"] ?? body["latest_receipt"] ?? body["latest_expired_receipt"]
    guard let value, value != .null else { return nil }
    guard let text = value.stringValue else {
      throw RequestMembers.invalid("latest_receipt", "a receipt in base64")
    }
    switch ReceiptText.read(Array(text.utf8)) {
    case .bytes(let bytes): return bytes
    case .refused(let reason): throw RequestMembers.invalidReceipt("latest_receipt", reason)
    }
  }

  /// The members that people may want to see: no secret, no receipt, nothing long.
  private static func kept(_ body: JSONObject) -> JSONObject {
    let secrets: Set<String> = [
      "password", "unified_receipt", "latest_receipt", "latest_receipt_info",
      "latest_expired_receipt", "latest_expired_receipt_info",
    ]
    let members = body.members.filter { member in
      guard !secrets.contains(member.name), member.name.utf8.count <= memberBytesMax else {
        return false
      }
      switch member.value {
      case .object, .array: return false
      default: return member.value.serialized.count <= memberBytesMax
      }
    }
    return JSONObject(Array(members.prefix(membersMax)))
  }

  private func failure(_ rule: Rule, _ reason: String) -> RuleFailure {
    RuleFailure(part: .notification, rule: rule, reason: reason)
  }

  private func refusal(_ failures: [RuleFailure]) -> ServerError {
    NotificationUseCase(parts: parts).refusal(failures, parameter: "notification_type")
  }

  private func note(_ type: String, _ word: Outcome, _ outcome: WriteOutcome) {
    // An unsigned word is no label unless it is one of Apple's.
    let label = Self.types.contains(type) ? type : "other"
    parts.metrics.count(
      .notifications,
      ["type": "V1.\(label)", "subtype": "", "outcome": word.rawValue]
    )
    for entry in outcome.newEntries {
      parts.metrics.count(.entries, ["kind": entry.entry.kind.rawValue])
    }
  }

  /// Apple's words.
  static let types: Set<String> = [
    "INITIAL_BUY", "INTERACTIVE_RENEWAL", "DID_RENEW", "DID_RECOVER", "RENEWAL",
    "DID_FAIL_TO_RENEW", "DID_CHANGE_RENEWAL_PREF", "DID_CHANGE_RENEWAL_STATUS", "CANCEL",
    "REFUND", "REVOKE", "PRICE_INCREASE_CONSENT", "CONSUMPTION_REQUEST",
  ]
}

extension DocumentKind {
  /// A notification of version 1, without what is secret in it.
  static let legacyNotification = Self(rawValue: "legacyNotification")
}

extension Rule {
  /// Who sends it knows the app's shared secret.
  static let sharedSecret = Rule(rawValue: "sharedSecret")
}
