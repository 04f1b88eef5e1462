import Foundation
import IAPEntitlements
import IAPModel

/// Everything from which access is judged: a value, so that judging is pure.
struct AccessView: Hashable, Sendable {
  /// What the server said, and when.
  struct ServerAnswer: Hashable, Sendable {
    var entitlements: [ValidatedEntitlement]
    var asOf: Date
    /// Whether it was given to this process; otherwise it comes from the cache.
    var isFresh: Bool
  }

  /// What opened a feature at the end of an earlier run, as far as the device could tell.
  struct Remembered: Hashable, Sendable {
    var id: String
    var productId: String
    var until: Date?
  }

  var catalog = EntitlementCatalog()
  var policy = AccessPolicy()
  /// Whether there is a server, which then has the last word.
  var hasServer = false
  var server: ServerAnswer?
  /// What the device knows of the customer's transactions.
  var facts: Set<StoreFact> = []
  /// The transactions that the device learnt of after the server's answer.
  var unanswered: Set<TransactionID> = []
  /// Whether the device has listed everything that the customer owns.
  var isDeviceListed = false
  var remembered: [Remembered] = []
  var rememberedAsOf: Date?

  /// Takes the server's answer, which covers everything that the device knew until then.
  mutating func take(_ entitlements: [ValidatedEntitlement], at now: Date) {
    server = ServerAnswer(entitlements: entitlements, asOf: now, isFresh: true)
    unanswered = []
  }

  /// Takes a transaction that the device learnt of; returns whether it says anything new.
  mutating func take(_ payload: TransactionPayload) -> Bool {
    guard facts.insert(.transaction(payload)).inserted else { return false }
    unanswered.insert(payload.transactionID)
    return true
  }

  /// What the device's own facts say.
  func report(at now: Date) -> AccessReport {
    StoreHistory(facts).access(at: now, catalog: catalog)
  }

  /// Whether the user may use the feature.
  func access(to id: String, at now: Date) -> Access {
    let report = report(at: now)
    let device = report.access(to: EntitlementID(id))
    if let server, isUsable(server, at: now) {
      if let entry = serverEntry(in: server, id: id, report: report, at: now) {
        return .yes(until: entry.until, source: .server, provisional: !server.isFresh)
      }
      if let device, unanswered.contains(device.transactionID) {
        return .yes(until: device.until, source: .device, provisional: true)
      }
      return server.isFresh || isDeviceListed ? .no : .unknown
    }
    if let device { return .yes(until: device.until, source: .device, provisional: hasServer) }
    if isDeviceListed { return .no }
    return rememberedAccess(to: id, report: report, at: now)
  }

  /// The products that give access.
  func productIDs(at now: Date) -> Set<String> {
    let report = report(at: now)
    guard let server, isUsable(server, at: now) else {
      var ids = Set(report.productIDs.map(\.rawValue))
      if !isDeviceListed {
        for entry in remembered
        where rememberedAccess(to: entry.id, report: report, at: now).isGranted {
          ids.insert(entry.productId)
        }
      }
      return ids
    }
    var ids = Set(
      server.entitlements
        .filter { isRunning($0, at: now) && !isRevoked($0, since: server.asOf, in: report) }
        .compactMap { $0.productId ?? $0.id }
    )
    for entitlement in report.entitlements where unanswered.contains(entitlement.transactionID) {
      ids.insert(entitlement.productID.rawValue)
    }
    return ids
  }

  private func isUsable(_ server: ServerAnswer, at now: Date) -> Bool {
    isTimely(server.asOf, at: now)
  }

  private func isTimely(_ asOf: Date, at now: Date) -> Bool {
    let age = now.timeIntervalSince(asOf)
    return age <= policy.offlineSeconds && age >= -policy.rollbackSeconds
  }

  private func serverEntry(
    in server: ServerAnswer,
    id: String,
    report: AccessReport,
    at now: Date
  ) -> ValidatedEntitlement? {
    server.entitlements
      .filter {
        $0.id == id && isRunning($0, at: now) && !isRevoked($0, since: server.asOf, in: report)
      }
      .max { ($0.until ?? .distantFuture) < ($1.until ?? .distantFuture) }
  }

  private func isRunning(_ entry: ValidatedEntitlement, at now: Date) -> Bool {
    entry.until.map { $0 > now } ?? true
  }

  /// Whether the device learnt of a revocation that the server's answer could not know: it acts at
  /// once.
  private func isRevoked(
    _ entry: ValidatedEntitlement,
    since asOf: Date,
    in report: AccessReport
  ) -> Bool {
    report.lapsed.contains { lapsed in
      lapsed.reason == .revoked && lapsed.id.rawValue == entry.id
        && lapsed.productID.rawValue == entry.productId ?? lapsed.productID.rawValue
        && facts.contains { fact in
          guard let payload = fact.transaction else { return false }
          return payload.originalTransactionID == lapsed.originalTransactionID
            && payload.revocationDate != nil && unanswered.contains(payload.transactionID)
        }
    }
  }

  private func rememberedAccess(to id: String, report: AccessReport, at now: Date) -> Access {
    guard let rememberedAsOf, isTimely(rememberedAsOf, at: now) else { return .unknown }
    let entry = remembered.first { entry in
      entry.id == id && (entry.until.map { $0 > now } ?? true)
        && !report.lapsed.contains { $0.id.rawValue == id }
    }
    guard let entry else { return .unknown }
    return .yes(until: entry.until, source: .device, provisional: true)
  }
}
