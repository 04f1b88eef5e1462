import Foundation
import IAPEntitlements
import IAPModel
import IAPSignatures
import ServerStorage

/// Judges evidence, records what it proves, and answers from the ledger.
///
/// However often and however concurrently it is asked: the facts are recorded once, the goods
/// granted once, and equal requests get equal answers, for all of it follows from the ledger's
/// state and nothing from the course of one request.
struct VerifyUseCase: Sendable {
  let configuration: ServerConfiguration
  let reader: EvidenceReader
  let ledger: any Ledger
  let clock: any ServerClock
  let metrics: ServerMetrics

  func answer(_ request: VerifyRequest) async throws(ServerError) -> JSONObject {
    let now = await clock.now()
    switch try await reader.read(request, at: now) {
    case .refused(let failures):
      metrics.count(.verdicts, ["verdict": "rejected"])
      for failure in failures {
        metrics.count(
          .failures,
          ["part": failure.part.rawValue, "rule": failure.rule.rawValue]
        )
      }
      return VerifyAnswer.rejected(failures)
    case .proven(let proof):
      let write = write(proof, request, now)
      let outcome = try await stored { () async throws(StorageError) in
        try await ledger.commit(write)
      }
      for entry in outcome.newEntries {
        metrics.count(.entries, ["kind": entry.entry.kind.rawValue])
      }
      metrics.count(.verdicts, ["verdict": "accepted"])
      let findings = try await stored { () async throws(StorageError) in
        try await ledger.read { reader throws(StorageError) in
          try PurchaseFindings(proof, request, reader)
        }
      }
      let catalog = configuration.app(proof.scope.app)?.catalog ?? EntitlementCatalog()
      return VerifyAnswer.accepted(proof, findings, at: now, catalog: catalog)
    }
  }

  private func write(_ proof: PurchaseProof, _ request: VerifyRequest, _ now: Date) -> LedgerWrite {
    var write = LedgerWrite(date: now, facts: proof.record.map { [$0] } ?? [])
    guard proof.isPresented else { return write }
    let transaction = proof.transaction
    if let number = request.orderNumber {
      write.orders = [
        OrderRecord(
          number: number,
          app: proof.scope.app,
          customer: request.account,
          productID: transaction.productID,
          quantity: transaction.quantity ?? 1,
          createdDate: now
        )
      ]
    }
    if let account = request.account {
      write.ownership = [
        OwnershipRequest(subject: proof.subject, customer: account, date: now)
      ]
    }
    // Only goods that are used up must not be handed over on two devices.
    if transaction.type == .consumable, let unit = transaction.unit,
      let installation = request.installation
    {
      write.claims = [
        ClaimRequest(
          scope: proof.scope,
          unit: unit,
          installation: installation,
          date: now,
          leaseSeconds: TimeInterval(configuration.limits.claimLeaseSeconds),
          isAcknowledgement: request.isAcknowledgement
        )
      ]
    }
    return write
  }
}

/// What the ledger knows about a proven purchase, read at one instant.
struct PurchaseFindings: Sendable {
  /// The history of the purchase alone.
  let history: StoreHistory
  /// The history that decides about access.
  let accessHistory: StoreHistory
  /// Which installation hands it over, and whether it has.
  let claim: ClaimRecord?
  let grantCount: Int
  /// Whether the purchase is credited to another customer than the one who asks.
  let belongsToAnother: Bool

  init(
    _ proof: PurchaseProof,
    _ request: VerifyRequest,
    _ reader: any LedgerReading
  ) throws(StorageError) {
    let filter = EnvironmentFilter.only(proof.scope.environment)
    let history = StoreHistory(try reader.facts(of: proof.subject), environment: filter)
    let owner = try reader.owner(of: proof.subject)?.customer
    var counted = proof.subjects
    belongsToAnother = request.account != nil && owner != nil && owner != request.account
    if let account = request.account {
      // A known customer has what is credited to it, and nothing of anybody else.
      counted = try reader.subjects(ownedBy: account, app: proof.scope.app)
        .filter { $0.scope == proof.scope }
    }
    var facts: [StoreFact] = []
    for subject in counted { facts += try reader.facts(of: subject) }
    accessHistory = StoreHistory(facts, environment: filter)
    let unit = history.transaction(proof.transaction.transactionID)?.unit
    claim = try unit.flatMap { unit throws(StorageError) in
      try reader.claim(to: unit, in: proof.scope)
    }
    let names = Set(unit.flatMap { history.unit($0)?.names } ?? [])
    grantCount = try reader.entries(of: proof.subject).count {
      $0.entry.kind == .grant && names.contains($0.entry.unit)
    }
    self.history = history
  }
}
