import AppStoreServerAPI
import Foundation
import IAPEntitlements
import IAPModel
import IAPSignatures
import ServerStorage

extension ReconciliationJob {
  /// A page of what the App Store sent.
  func notifications(
    _ page: inout Page,
    _ client: AppStoreServerClient,
    _ now: Date
  ) async throws(ServerError) {
    if page.record.mark == nil {
      // It may have waited for long, and the App Store's memory moves on.
      page.record.start = max(
        page.record.start,
        now.addingTimeInterval(-NotificationQuery.reach + Self.reachMargin)
      )
    }
    let replay = page.record.replay
    guard page.record.start < page.record.end else {
      if replay == nil { page.record.stage = .receipts } else { page.record.state = .done }
      return
    }
    let query = NotificationQuery(
      from: page.record.start,
      to: page.record.end,
      transactionID: page.record.only.map { TransactionID($0.rawValue) },
      type: replay?.type,
      subtype: replay?.subtype,
      onlyFailures: replay?.onlyFailures ?? false
    )
    let mark = page.record.mark.map { PageMark($0) }
    let answer = try await asked(client, .notifications(query, from: mark), &page)
    page.record.count("pages")
    for sent in answer.notifications { try await take(sent, &page, now) }
    page.record.mark = answer.hasMore ? answer.mark?.rawValue : nil
    guard page.record.mark == nil else { return }
    if replay == nil { page.record.stage = .receipts } else { page.record.state = .done }
  }

  /// Takes a notification that was sent, unless the ledger knows it.
  private func take(
    _ sent: SentNotification,
    _ page: inout Page,
    _ now: Date
  ) async throws(ServerError) {
    let scope = page.record.scope
    page.record.count("notifications")
    let isDelivered = sent.attempts.contains { $0.result == SendAttempt.success }
    if !isDelivered { page.record.count("undelivered") }
    let judged: NotificationUseCase.Judged
    do throws(ServerError) {
      // It was sent some time ago: its chain is judged at the time of signing.
      judged = try await NotificationUseCase(parts: parts).judge(
        Array(sent.signedPayload.utf8),
        at: .signedDate,
        now
      )
    } catch {
      guard error.code == .notificationRefused else { throw error }
      page.record.count("refused")
      return
    }
    guard judged.record.scope == scope else {
      page.record.count("refused")
      return
    }
    let key = judged.record.key
    let isKnown = try await parts.read { reader throws(StorageError) in
      try reader.fact(key, in: scope) != nil
    }
    guard !isKnown else {
      page.record.count("known")
      return
    }
    var details: JSONObject = [
      "what": "notification", "type": .string(judged.notification.type.rawValue),
    ]
    details["subtype"] = judged.notification.subtype.map { .string($0.rawValue) }
    if !isDelivered { details["sent"] = sent.attempts.last.map { .string($0.result) } }
    page.record.find("missing", judged.notification.uuid.rawValue, details)
    if page.record.replay?.isDryRun == true { return }
    page.facts.append(judged.record)
    if let question = ConsumptionAnswers(parts: parts).question(judged, at: now) {
      page.documents.append(question)
    }
  }

  /// A page of what a customer bought; first the next customer is chosen.
  func history(
    _ page: inout Page,
    _ client: AppStoreServerClient,
    _ now: Date
  ) async throws(ServerError) {
    let scope = page.record.scope
    if page.record.current == nil {
      guard let next = try await nextSubject(page.record) else {
        page.record.state = .done
        return
      }
      page.record.current = next.original
      page.record.mark = try await parts.read { reader throws(StorageError) in
        try StoreRevision(subject: next).mark(reader)
      }
      page.record.count("customers")
    }
    guard let current = page.record.current else { return }
    let request = ServerAPIRequest.history(
      of: TransactionID(current.rawValue),
      from: page.record.mark.map { PageMark($0) }
    )
    guard let answer = try await known(client, request, &page) else {
      finishCustomer(&page.record)
      return
    }
    page.record.count("pages")
    let revision = StoreRevision(subject: LedgerSubject(scope: scope, original: current))
    for text in answer.signedTransactions {
      guard let transaction = try await take(text, &page, now) else { continue }
      let original = transaction.originalTransactionID
      if original != current { page.documents.append(revision.covering(original)) }
    }
    page.record.mark = answer.mark?.rawValue ?? page.record.mark
    if let mark = page.record.mark { page.documents.append(revision.document(mark)) }
    guard answer.hasMore, answer.mark != nil else {
      page.record.mark = nil
      page.record.stage = .statuses
      return
    }
  }

  /// How a customer's subscriptions stand.
  func statuses(
    _ page: inout Page,
    _ client: AppStoreServerClient,
    _ now: Date
  ) async throws(ServerError) {
    page.record.stage = .refunds
    guard let current = page.record.current else { return }
    let request = ServerAPIRequest.subscriptionStatuses(of: TransactionID(current.rawValue))
    guard let answer = try await known(client, request, &page) else { return }
    page.record.count("pages")
    for item in answer.items {
      _ = try await take(item.signedTransaction, &page, now)
      try await takeRenewal(item.signedRenewalInfo, &page, now)
    }
  }

  /// A page of what was paid back to a customer.
  func refunds(
    _ page: inout Page,
    _ client: AppStoreServerClient,
    _ now: Date
  ) async throws(ServerError) {
    guard let current = page.record.current else { return }
    let request = ServerAPIRequest.refunds(
      of: TransactionID(current.rawValue),
      from: page.record.mark.map { PageMark($0) }
    )
    guard let answer = try await known(client, request, &page) else {
      finishCustomer(&page.record)
      return
    }
    page.record.count("pages")
    for text in answer.signedTransactions { _ = try await take(text, &page, now) }
    page.record.mark = answer.hasMore ? answer.mark?.rawValue : nil
    if page.record.mark == nil { finishCustomer(&page.record) }
  }

  private func finishCustomer(_ record: inout ReconciliationRecord) {
    record.after = record.current
    record.current = nil
    record.mark = nil
    record.stage = .history
    if record.only != nil { record.state = .done }
  }

  /// The next purchase whose customer is not asked for with another one.
  private func nextSubject(
    _ record: ReconciliationRecord
  ) async throws(ServerError) -> LedgerSubject? {
    if let only = record.only { return LedgerSubject(scope: record.scope, original: only) }
    let (scope, after) = (record.scope, record.after)
    return try await parts.read { reader throws(StorageError) -> LedgerSubject? in
      var after = after
      // Bound: ends behind the last purchase of the ledger.
      while true {
        let subjects = try reader.subjects(in: scope, after: after, limit: 100)
        guard let last = subjects.last else { return nil }
        for subject in subjects {
          let isErased = try reader.isErased(subject)
          let isCovered = try StoreRevision(subject: subject).isCovered(reader)
          if !isErased, !isCovered { return subject }
        }
        after = last.original
      }
    }
  }

  // MARK: What is new

  /// Takes a signed transaction of the App Store's answer, unless the ledger knows what it says.
  private func take(
    _ text: String,
    _ page: inout Page,
    _ now: Date
  ) async throws(ServerError) -> TransactionPayload? {
    page.record.count("transactions")
    let reader = EvidenceReader(
      configuration: parts.configuration,
      verifiers: parts.verifiers,
      ledger: parts.ledger
    )
    let outcome = try await reader.signedTransaction(Array(text.utf8), at: now)
    guard case .proven(let proof) = outcome, proof.scope == page.record.scope,
      let record = proof.record
    else {
      page.record.count("refused")
      return nil
    }
    let transaction = proof.transaction
    let isOnPage = page.facts.contains { $0.facts.contains { $0.transaction == transaction } }
    guard !isOnPage else { return transaction }
    let subject = proof.subject
    let known = try await parts.read { reader throws(StorageError) in
      StoreHistory(
        try reader.facts(of: subject),
        environment: .only(subject.scope.environment)
      ).transaction(transaction.transactionID)?.payload
    }
    if var known {
      // The App Store signs anew whenever it is asked; only what it says counts.
      known.signedDate = transaction.signedDate
      guard known != transaction else { return transaction }
    }
    page.record.find(
      known == nil ? "missing" : "changed",
      transaction.transactionID.rawValue,
      ["what": "transaction", "product": .string(transaction.productID.rawValue)]
    )
    page.facts.append(record)
    return transaction
  }

  private func takeRenewal(
    _ text: String,
    _ page: inout Page,
    _ now: Date
  ) async throws(ServerError) {
    let verdict = try await parts.verifiers.renewalInfo(
      Array(text.utf8),
      instant: .signedDate,
      now: now
    )
    guard let verified = verdict.accepted, verified.environment == page.record.scope.environment
    else {
      page.record.count("refused")
      return
    }
    let renewal = verified.payload
    let scope = page.record.scope
    let subject = LedgerSubject(scope: scope, original: renewal.originalTransactionID)
    let known = try await parts.read { reader throws(StorageError) in
      StoreHistory(try reader.facts(of: subject), environment: .only(scope.environment))
        .subscription(subject.original, at: now)?.renewal
    }
    if var known {
      known.signedDate = renewal.signedDate
      guard known != renewal else { return }
    }
    page.record.find(
      known == nil ? "missing" : "changed",
      renewal.originalTransactionID.rawValue,
      ["what": "renewal", "product": .string(renewal.productID.rawValue)]
    )
    page.facts.append(
      FactRecord(
        key: .renewal(renewal),
        scope: scope,
        bytes: Array(text.utf8),
        signedDate: verified.signedDate,
        receivedDate: now,
        facts: [.renewal(renewal)]
      )
    )
  }
}
