import Foundation
import IAPEntitlements
import IAPModel
import IAPSignatures
import ServerStorage

/// Turns a request's evidence into a proof, or into the rules that it does not follow.
struct EvidenceReader: Sendable {
  let configuration: ServerConfiguration
  let verifiers: ServerVerifiers
  let ledger: any Ledger
  /// Asks the App Store for what the ledger does not know; nil where nothing is fetched.
  var apple: AppleDesk?

  func read(
    _ request: VerifyRequest,
    app: BundleID?,
    at now: Date
  ) async throws(ServerError) -> ProofOutcome {
    switch request.evidence {
    case .signedTransaction(let text):
      switch try await signedTransaction(text, at: now) {
      case .proven(let proof): return matched(proof, request, part: .transaction)
      case .refused(let failures): return .refused(failures)
      }
    case .receipt(let bytes):
      return try await receipt(bytes, request, app, now)
    case .transactionID(let id):
      guard let known = try await known(id, configuration.apps) else {
        return try await fetched(id, request, app: app, at: now)
      }
      return matched(known, request, part: .transaction)
    }
  }

  /// Judges the text of a signed transaction, whatever it is presented for.
  func signedTransaction(
    _ text: [UInt8],
    at now: Date
  ) async throws(ServerError) -> ProofOutcome {
    // A client may have kept it for long: the chain is judged at the time of signing.
    let verdict = try await verifiers.transaction(text, instant: .signedDate, now: now)
    guard let verified = verdict.accepted else { return .refused(verdict.failures) }
    let payload = verified.payload
    if let failure = configuration.environmentFailure(
      payload.bundleID,
      verified.environment,
      part: .transaction
    ) {
      return .refused([failure])
    }
    let scope = LedgerScope(app: payload.bundleID, environment: verified.environment)
    let record = FactRecord(
      key: .transaction(payload),
      scope: scope,
      bytes: text,
      signedDate: verified.signedDate,
      receivedDate: now,
      facts: [.transaction(payload)]
    )
    return .proven(
      PurchaseProof(scope: scope, transaction: payload, record: record, isPresented: true)
    )
  }

  private func receipt(
    _ bytes: [UInt8],
    _ request: VerifyRequest,
    _ caller: BundleID?,
    _ now: Date
  ) async throws(ServerError) -> ProofOutcome {
    let judged: JudgedReceipt
    switch try await ReceiptJudge(self).judge(bytes, app: caller, at: now) {
    case .refused(let failures): return .refused(failures)
    case .accepted(let receipt): judged = receipt
    }
    let (scope, purchases, record) = (judged.scope, judged.purchases, judged.record)
    guard let app = configuration.app(scope.app) else {
      return .refused([failure(.receipt, .bundle, "it does not say which app it is for")])
    }
    switch ReceiptMatch.find(request.transactionID, request.productID, in: purchases) {
    case .found(let payload):
      return .proven(
        PurchaseProof(scope: scope, transaction: payload, record: record, isPresented: true)
      )
    case .failed(let rule, let reason):
      // A finished consumable leaves the receipt; the ledger remembers it. What lasts stays in it:
      // a receipt without it is an older one, and shows neither the purchase nor whose it is. So is
      // one that was made before the purchase, which nobody can have finished then.
      if rule == .matchingTransaction, let id = request.transactionID,
        var known = try await known(id, [app]), known.scope == scope,
        known.transaction.mayHaveLeftReceipt, known.transaction.isNoNewer(than: record.signedDate),
        try await isNamed(known, request)
      {
        known.record = record
        return matched(known, request, part: .receipt)
      }
      return .refused([failure(.receipt, rule, reason)])
    }
  }

  /// Whether somebody was named for goods that are used up, when an installation asks for them with
  /// a receipt that does not show them.
  ///
  /// What is not finished is in every receipt that is new enough, and what is finished was for
  /// somebody to hand over: where nobody was named, the receipt is an older one, be it of the same
  /// second.
  private func isNamed(
    _ known: PurchaseProof,
    _ request: VerifyRequest
  ) async throws(ServerError) -> Bool {
    guard request.installation != nil, known.transaction.type == .consumable,
      known.transaction.revocationDate == nil, let unit = known.transaction.unit
    else { return true }
    return try await stored { () async throws(StorageError) in
      try await ledger.read { reader throws(StorageError) in
        try reader.claim(to: unit, in: known.scope) != nil
      }
    }
  }

  /// Looks a transaction up that was proven before.
  private func known(
    _ id: TransactionID,
    _ apps: [ServerApp]
  ) async throws(ServerError) -> PurchaseProof? {
    let scopes = apps.flatMap { app in
      app.orderedEnvironments.map { LedgerScope(app: app.bundleID, environment: $0) }
    }
    return try await stored { () async throws(StorageError) in
      try await ledger.read { reader throws(StorageError) in
        for scope in scopes {
          guard let subject = try reader.subject(of: id, in: scope) else { continue }
          let history = StoreHistory(
            try reader.facts(of: subject),
            environment: .only(scope.environment)
          )
          guard let state = history.transaction(id) else { continue }
          return PurchaseProof(
            scope: scope,
            transaction: state.payload,
            record: nil,
            isPresented: false
          )
        }
        return nil
      }
    }
  }

  /// Checks that the proof is about what the request says.
  func matched(
    _ proof: PurchaseProof,
    _ request: VerifyRequest,
    part: SignedPart
  ) -> ProofOutcome {
    var failures: [RuleFailure] = []
    if let id = request.transactionID, id != proof.transaction.transactionID {
      failures.append(failure(part, .matchingTransaction, "it is another transaction"))
    }
    if let product = request.productID, product != proof.transaction.productID {
      failures.append(
        failure(part, .matchingProduct, "the transaction is for another product")
      )
    }
    return failures.isEmpty ? .proven(proof) : .refused(failures)
  }

  private func failure(_ part: SignedPart, _ rule: Rule, _ reason: String) -> RuleFailure {
    RuleFailure(part: part, rule: rule, reason: reason)
  }
}

extension TransactionPayload {
  /// Whether a receipt of its customer may leave it out.
  fileprivate var mayHaveLeftReceipt: Bool {
    type == .consumable || type == nil || revocationDate != nil
  }

  /// Whether it was bought in the second in which a receipt was made, or before.
  fileprivate func isNoNewer(than receiptDate: Date?) -> Bool {
    guard let receiptDate else { return true }
    return purchaseDate.timeIntervalSince1970.rounded(.down) <= receiptDate.timeIntervalSince1970
  }
}

/// Looks at signed data; cryptography that fails says nothing about the data.
func looked<Value>(
  _ body: () throws(CryptoError) -> Value
) throws(ServerError) -> Value {
  do throws(CryptoError) {
    return try body()
  } catch {
    throw ServerError(
      503,
      .unavailable,
      .verificationUnavailable,
      "It was not possible to look at the signatures; try again.",
      retryAfterSeconds: 1,
      inside: error.description
    )
  }
}

/// Asks or changes the ledger; what fails there may succeed later.
func stored<Value: Sendable>(
  _ body: () async throws(StorageError) -> Value
) async throws(ServerError) -> Value {
  do throws(StorageError) {
    return try await body()
  } catch {
    if error.code == .tooLarge {
      throw ServerError(
        413,
        .invalidRequest,
        .bodyTooLarge,
        "The evidence is larger than what can be stored.",
        inside: error.description
      )
    }
    throw ServerError(
      503,
      .unavailable,
      .storageUnavailable,
      "It was not possible to store or look up; try again.",
      retryAfterSeconds: 1,
      inside: error.description
    )
  }
}
