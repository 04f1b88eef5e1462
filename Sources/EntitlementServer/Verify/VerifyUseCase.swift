import Foundation
import HTTPValues
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
  let parts: ServerParts
  private let reader: EvidenceReader

  init(parts: ServerParts) {
    self.parts = parts
    reader = EvidenceReader(
      configuration: parts.configuration,
      verifiers: parts.verifiers,
      ledger: parts.ledger,
      apple: AppleDesk(configuration: parts.configuration, access: parts.apple)
    )
  }

  var routes: [Route] {
    [
      Route(
        .post,
        "/v1/verify",
        "Judges a signed transaction or receipt and says what it gives.",
        access: .app,
        body: .object(VerifyRequest.shape(parts.configuration.limits)),
        parameters: [.header("Customer-Token", "The token of an answer before.")],
        answers: [Route.Answer(200, VerifyAnswer.shape)],
        errors: [501],
        repetition: .natural,
        run: { call async throws(ServerError) in .ok(try await answer(call)) }
      )
    ]
  }

  private func answer(_ call: Call) async throws(ServerError) -> JSONObject {
    let request = try VerifyRequest(call.body, limits: parts.configuration.limits)
    switch try await reader.read(request, app: call.caller.app, at: call.now) {
    case .refused(let failures):
      if let decided = try await ReviewedPurchase(parts: parts).answer(request, call, failures) {
        return decided
      }
      parts.metrics.count(.verdicts, ["verdict": "rejected"])
      for failure in failures {
        parts.metrics.count(
          .failures,
          ["part": failure.part.rawValue, "rule": failure.rule.rawValue]
        )
      }
      return VerifyAnswer.rejected(failures)
    case .proven(let proof):
      if let app = call.caller.app, app != proof.scope.app { throw ServerError.anotherApp }
      return try await accept(proof, request, call)
    }
  }

  private func accept(
    _ proof: PurchaseProof,
    _ request: VerifyRequest,
    _ call: Call
  ) async throws(ServerError) -> JSONObject {
    let presenter = try await presenter(proof, request, call)
    var write = write(proof, request, presenter, call.now)
    if let claim = try await claimOfOld(proof, request, call.now) { write.claims = [claim] }
    if case .receipt(let bytes) = request.evidence, let record = proof.record {
      write.documents += try await NewestReceipts(parts: parts).wishes(record, bytes)
    }
    if proof.isPresented, let customer = presenter.account ?? presenter.orderer {
      let tasks = AccountTokenTasks(parts: parts)
      write.documents += try await tasks.wishes(proof, request.orderNumber, customer, call.now)
    }
    let outcome = try await parts.commit(write)
    for entry in outcome.newEntries {
      parts.metrics.count(.entries, ["kind": entry.entry.kind.rawValue])
    }
    parts.metrics.count(.verdicts, ["verdict": "accepted"])
    let found = try await parts.read { [catalogs = parts.catalogs] reader throws(StorageError) in
      (
        try PurchaseFindings(proof, account: presenter.account, reader),
        try catalogs.rules(proof.scope.app, reader)
      )
    }
    var token: String?
    if let account = presenter.account {
      token = try await parts.tokens.token(
        CustomerPass(customer: account, scope: proof.scope),
        generation: presenter.generation,
        at: call.now
      )
    }
    return VerifyAnswer.accepted(
      proof,
      found.0,
      at: call.now,
      catalog: found.1,
      customerToken: token,
      isUnproven: presenter.isUnproven
    )
  }

  /// For whom a purchase is presented.
  private struct Presenter: Sendable {
    /// The customer; nil when nobody is named whose word counts.
    var account: CustomerID?
    /// How often the customer's tokens were withdrawn.
    var generation: Int64 = 0
    /// To whom the purchase is credited when nobody is named: who ordered it.
    var orderer: CustomerID?
    /// Whether a customer is named and nothing proves that the caller may speak for it.
    var isUnproven = false
    /// Whether the order's number has to be tied to the transaction, which does not carry it.
    var needsLink = false
  }

  private func presenter(
    _ proof: PurchaseProof,
    _ request: VerifyRequest,
    _ call: Call
  ) async throws(ServerError) -> Presenter {
    let named = request.account ?? call.customer?.customer
    guard named != nil || request.orderNumber != nil else { return Presenter() }
    let app = proof.scope.app
    let (customer, generation, order) = try await parts.read { reader throws(StorageError) in
      let account = try named.map { name throws(StorageError) in
        try reader.canonical(name, app: app)
      }
      return (
        account?.customer, account?.record.tokenGeneration ?? 0,
        try request.orderNumber.flatMap { number throws(StorageError) in
          try reader.order(number, app: app)
        }
      )
    }
    var presenter = Presenter(account: customer, generation: generation)
    if request.account != nil, let customer {
      let isTrusted = call.isTrusted(for: customer)
      if parts.configuration.app(app)?.accounts == .proven, !isTrusted {
        // A token of somebody else is no forgotten one.
        if call.customer != nil { throw ServerError.tokenRefused }
        presenter.account = nil
        presenter.isUnproven = true
      }
      // Knowing an identifier is no proof of having bought: it opens nobody's data.
      if !proof.isPresented, !isTrusted {
        presenter.account = nil
        presenter.isUnproven = true
      }
    }
    if let number = request.orderNumber {
      presenter.orderer = order?.customer
      let transaction = proof.transaction
      presenter.needsLink =
        transaction.appAccountToken != number.accountToken
        && (order == nil || order?.productID == transaction.productID)
    }
    return presenter
  }

  private func write(
    _ proof: PurchaseProof,
    _ request: VerifyRequest,
    _ presenter: Presenter,
    _ now: Date
  ) -> LedgerWrite {
    var write = LedgerWrite(date: now, facts: proof.record.map { [$0] } ?? [])
    guard proof.isPresented else { return write }
    let transaction = proof.transaction
    let policy = parts.configuration.app(proof.scope.app)?.transfers ?? .keep
    if let number = request.orderNumber {
      write.orders = [
        OrderRecord(
          number: number,
          app: proof.scope.app,
          customer: presenter.account,
          productID: transaction.productID,
          quantity: transaction.quantity ?? 1,
          createdDate: now
        )
      ]
      if presenter.needsLink {
        let link = OrderLink(
          number: number,
          scope: proof.scope,
          transactionID: transaction.transactionID
        )
        write.documents = [link.document]
      }
    }
    if let customer = presenter.account ?? presenter.orderer {
      // Who sends nothing but a receipt means everything that it shows.
      let subjects = request.isPlain ? proof.subjects : [proof.subject]
      write.ownership = subjects.map {
        OwnershipRequest(subject: $0, customer: customer, date: now, policy: policy)
      }
    }
    if let claim = claim(proof, request, now) { write.claims = [claim] }
    return write
  }

  /// The wish of an installation to hand over goods that are used up, or its word that it has: they
  /// must not be handed over on two devices.
  private func claim(
    _ proof: PurchaseProof,
    _ request: VerifyRequest,
    _ now: Date
  ) -> ClaimRequest? {
    guard proof.transaction.type == .consumable, let unit = proof.transaction.unit,
      let installation = request.installation
    else { return nil }
    return ClaimRequest(
      scope: proof.scope,
      unit: unit,
      installation: installation,
      date: now,
      leaseSeconds: TimeInterval(parts.configuration.limits.claimLeaseSeconds),
      isAcknowledgement: request.isAcknowledgement
    )
  }

  /// The same of the installation that is the claimer already, whose receipt does not show the
  /// goods any more: they leave it once they are finished (decision 0577).
  private func claimOfOld(
    _ proof: PurchaseProof,
    _ request: VerifyRequest,
    _ now: Date
  ) async throws(ServerError) -> ClaimRequest? {
    guard !proof.isPresented, case .receipt = request.evidence,
      let wish = claim(proof, request, now)
    else { return nil }
    let known = try await parts.read { reader throws(StorageError) in
      try reader.claim(to: wish.unit, in: wish.scope)
    }
    return known?.installation == wish.installation ? wish : nil
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
    account: CustomerID?,
    _ reader: any LedgerReading
  ) throws(StorageError) {
    let filter = EnvironmentFilter.only(proof.scope.environment)
    let own = try reader.facts(of: proof.subject)
    let history = StoreHistory(own, environment: filter)
    let owner = try reader.owner(of: proof.subject)?.customer
    var counted = proof.subjects
    var isHeld = true
    if let account {
      // A known customer has what is credited to it, and nothing of anybody else.
      counted = try reader.subjects(opening: account, in: proof.scope)
      isHeld = owner == nil || owner == account || counted.contains(proof.subject)
    }
    belongsToAnother = !isHeld
    var others: [StoreFact] = []
    for subject in counted where subject != proof.subject {
      others += try reader.facts(of: subject)
    }
    accessHistory =
      counted == [proof.subject]
      ? history
      : StoreHistory((counted.contains(proof.subject) ? own : []) + others, environment: filter)
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
