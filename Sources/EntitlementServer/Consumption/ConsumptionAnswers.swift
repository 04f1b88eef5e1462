public import AppStoreServerAPI
import Foundation
import IAPEntitlements
import IAPModel
import ServerStorage

/// What an app says about purchases for which a refund was asked; the app says with it that its
/// customers have agreed that it is said.
public struct ConsumptionConsent: Hashable, Sendable {
  /// Whether customers could try what they bought.
  public var wasSampleProvided: Bool
  /// What the app would like; nil to leave it to the App Store.
  public var preference: ConsumptionInformation.RefundPreference?

  /// Says it.
  ///
  /// - Parameters:
  ///   - wasSampleProvided: Whether customers could try what they bought.
  ///   - preference: What the app would like.
  public init(
    wasSampleProvided: Bool,
    preference: ConsumptionInformation.RefundPreference? = nil
  ) {
    self.wasSampleProvided = wasSampleProvided
    self.preference = preference
  }
}

/// Answers the App Store's questions about purchases, in time and once.
///
/// A question is filed in the write that records its notification, so none is lost. Before an
/// answer is sent the question is taken for a while, so that two servers do not both send it, and
/// what will be said is written down, so that it is the same however often it is sent.
///
/// - **Source:** App Store Server API, "Send Consumption Information"; decision 0335.
struct ConsumptionAnswers: Sendable {
  let parts: ServerParts

  /// How long the App Store waits for an answer, in seconds.
  static let waitSeconds: TimeInterval = 12 * 3600
  /// How long one server has a question for itself, in seconds: that of a killed one waits as long.
  static let leaseSeconds: TimeInterval = 120
  /// How long before an answer that did not arrive is sent again, in seconds.
  static let retrySeconds: TimeInterval = 60

  enum State: String, Hashable, Sendable {
    case pending, sent, late, refused
  }

  /// The wish to file the question of a notification; nil when it is none, or nothing may be said.
  func question(_ judged: NotificationUseCase.Judged, at now: Date) -> DocumentWrite? {
    let scope = judged.record.scope
    guard judged.notification.type == .consumptionRequest,
      parts.apple[scope.app]?.consumption != nil,
      let transaction = judged.record.facts.lazy.compactMap(\.transaction).first
    else { return nil }
    return DocumentWrite(
      DocumentKey(.consumption, app: scope.app, name: judged.notification.uuid.rawValue),
      shelf: State.pending.rawValue,
      body: [
        "environment": .string(scope.environment.rawValue),
        "transaction": .string(transaction.transactionID.rawValue),
        "asked": .integer((judged.record.signedDate ?? now).milliseconds),
      ],
      condition: .ifAbsent
    )
  }

  /// Answers a question that is due; false when none is.
  func step(_ app: BundleID, at now: Date) async throws(ServerError) -> Bool {
    guard let access = parts.apple[app], let consent = access.consumption,
      let client = access.background
    else { return false }
    return try await waiting.performFirst(of: app, at: now) { document throws(ServerError) in
      try await answer(document, consent, client, now)
    }
  }

  private var waiting: LeasedDocuments {
    LeasedDocuments(parts: parts, kind: .consumption, shelf: State.pending.rawValue)
  }

  private func answer(
    _ document: LedgerDocument,
    _ consent: ConsumptionConsent,
    _ client: AppStoreServerClient,
    _ now: Date
  ) async throws(ServerError) -> Bool {
    guard let app = document.key.app, let asked = document.body["asked"]?.integerValue,
      let environment = document.body["environment"]?.stringValue,
      let id = document.body["transaction"]?.stringValue
    else { return false }
    guard now < Date(milliseconds: asked).addingTimeInterval(Self.waitSeconds) else {
      return try await move(document, to: .late, now) != nil
    }
    let lease = now.addingTimeInterval(Self.leaseSeconds)
    let scope = LedgerScope(app: app, environment: StoreEnvironment(rawValue: environment))
    // What will be said is written down before it is sent: should this process end in between, the
    // next one says the same again, and saying it twice is saying it once.
    var intent = document.body
    if intent["delivery"] == nil {
      let delivery = try await delivery(TransactionID(id), scope)
      intent["delivery"] = .string(delivery.rawValue)
      intent["sample"] = .bool(consent.wasSampleProvided)
      intent["preference"] = consent.preference.map { .string($0.rawValue) }
    }
    guard let taken = try await move(document, saying: intent, to: .pending, until: lease, now)
    else { return false }
    let information = ConsumptionInformation(
      delivery: .init(rawValue: intent["delivery"]?.stringValue ?? ""),
      wasSampleProvided: intent["sample"]?.boolValue ?? false,
      preference: intent["preference"]?.stringValue.map { .init(rawValue: $0) }
    )
    var state = State.sent
    var retry: Date?
    do throws(AppStoreServerError) {
      _ = try await client.answer(
        to: .consumption(of: TransactionID(id), information),
        in: scope.environment
      )
    } catch {
      state = error.isNo ? .refused : .pending
      // A server that stops gives the question back at once.
      let pause = error.code == .cancelled ? 0 : Self.retrySeconds
      retry = error.retryAt ?? now.addingTimeInterval(pause)
    }
    return try await move(taken, to: state, until: retry, now) != nil
  }

  /// What reached the customer, as far as the ledger knows: goods that an installation took and did
  /// not hand over did not; everything else that was granted did.
  private func delivery(
    _ id: TransactionID,
    _ scope: LedgerScope
  ) async throws(ServerError) -> ConsumptionInformation.DeliveryStatus {
    try await parts.read {
      reader throws(StorageError) -> ConsumptionInformation.DeliveryStatus in
      guard let subject = try reader.subject(of: id, in: scope) else { return .other }
      let history = StoreHistory(
        try reader.facts(of: subject),
        environment: .only(scope.environment)
      )
      guard let unit = history.transaction(id)?.unit else { return .other }
      guard let claim = try reader.claim(to: unit, in: scope) else { return .delivered }
      return claim.acknowledgedDate == nil ? .other : .delivered
    }
  }

  private func move(
    _ document: LedgerDocument,
    saying intent: JSONObject? = nil,
    to state: State,
    until date: Date? = nil,
    _ now: Date
  ) async throws(ServerError) -> LedgerDocument? {
    let moved = try await waiting.move(
      document,
      saying: intent,
      to: state.rawValue,
      until: date,
      now
    )
    guard let moved else { return nil }
    if state != .pending {
      parts.metrics.count(.consumption, ["state": state.rawValue])
      parts.world.log(
        ServerEvent(
          state == .sent ? .info : .error,
          "consumption",
          [.init("app", document.key.app?.rawValue ?? ""), .init("state", state.rawValue)]
        )
      )
    }
    return moved
  }
}

extension DocumentKind {
  /// A question of the App Store about a purchase.
  static let consumption = Self(rawValue: "consumption")
}

extension ServerMetrics.Counter {
  static let consumption = Self(
    name: "iap_consumption_answers_total",
    help: "Questions about purchases that were answered, or not in time."
  )
}
