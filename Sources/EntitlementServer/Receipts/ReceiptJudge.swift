import AppStoreServerAPI
import Foundation
import IAPEntitlements
import IAPModel
import IAPSignatures
import ServerStorage

/// A receipt that was found genuine, and what it shows.
struct JudgedReceipt: Sendable {
  /// The app and the environment.
  let scope: LedgerScope
  /// What was bought.
  let purchases: [TransactionPayload]
  /// Everything that it says, for the ledger.
  let record: FactRecord
}

/// Judges receipts, the same at every entrance: here, and by the App Store where that says nothing.
struct ReceiptJudge: Sendable {
  enum Judgement: Sendable {
    case accepted(JudgedReceipt)
    case refused([RuleFailure])
  }

  private let configuration: ServerConfiguration
  private let verifiers: ServerVerifiers
  private let access: [BundleID: AppleAccess]

  init(_ reader: EvidenceReader) {
    configuration = reader.configuration
    verifiers = reader.verifiers
    access = reader.apple?.access ?? [:]
  }

  init(_ parts: ServerParts) {
    configuration = parts.configuration
    verifiers = parts.verifiers
    access = parts.apple
  }

  /// Judges a receipt.
  ///
  /// - Parameters:
  ///   - bytes: The receipt.
  ///   - app: The app that it has to be for; nil for any of the server.
  ///   - now: When the request is worked on.
  /// - Returns: The judgement.
  /// - Throws: ``ServerError`` with 503 when it was not possible to look.
  func judge(
    _ bytes: [UInt8],
    app: BundleID?,
    at now: Date
  ) async throws(ServerError) -> Judgement {
    let verdict = try await verifiers.receipt(bytes, now: now)
    guard let verified = verdict.accepted else {
      guard ReceiptFallbackPolicy.asksAppStore(bytes, verdict.failures),
        let asked = try await askAppStore(bytes, app: app, at: now)
      else { return .refused(verdict.failures) }
      return asked
    }
    return accept(verified, bytes, at: now)
  }

  /// Accepts a receipt that was found genuine here, when it is of an app of this server.
  func accept(
    _ verified: Verified<ReceiptPayload>,
    _ bytes: [UInt8],
    at now: Date
  ) -> Judgement {
    guard let bundleID = verified.payload.bundleID, configuration.app(bundleID) != nil else {
      return .refused([failure(.bundle, "it does not say which app it is for")])
    }
    if let failure = configuration.environmentFailure(
      bundleID,
      verified.environment,
      part: .receipt
    ) {
      return .refused([failure])
    }
    let purchases = verified.payload.items.compactMap { $0.transaction(in: verified.payload) }
    let scope = LedgerScope(app: bundleID, environment: verified.environment)
    return .accepted(
      JudgedReceipt(
        scope: scope,
        purchases: purchases,
        record: FactRecord(
          key: .receipt(digest: verifiers.digest(bytes)),
          scope: scope,
          bytes: bytes,
          signedDate: verified.signedDate,
          receivedDate: now,
          facts: purchases.map { .receiptLine($0) }
        )
      )
    )
  }

  /// Asks Apple's old service: production, and the sandbox once when told so.
  ///
  /// - Parameters:
  ///   - bytes: The receipt.
  ///   - app: The app that it has to be for; nil for any of the server.
  ///   - now: When the request is worked on.
  /// - Returns: The judgement; nil when no app is set up for it.
  /// - Throws: ``ServerError`` with 503 when there is no answer.
  func askAppStore(
    _ bytes: [UInt8],
    app: BundleID?,
    at now: Date
  ) async throws(ServerError) -> Judgement? {
    let text = Base64.encode(bytes, .standard)
    var trouble: AppStoreServerError?
    var judgement: Judgement?
    for candidate in configuration.apps where app == nil || candidate.bundleID == app {
      guard let client = access[candidate.bundleID]?.receipts else { continue }
      do throws(AppStoreServerError) {
        judgement = read(try await client.verify(receipt: text), app: app, at: now)
        // Which of the apps a receipt is for is known only from the answer; another one's secret
        // may be what is missing.
        guard case .refused = judgement else { return judgement }
      } catch {
        trouble = error
      }
    }
    if judgement == nil, let trouble { throw ServerError.storeUnavailable(trouble) }
    return judgement
  }

  /// Takes what Apple's old service said.
  func read(
    _ verdict: VerifyReceiptVerdict,
    app: BundleID?,
    at now: Date
  ) -> Judgement {
    switch verdict {
    case .rejected(let status):
      return .refused([
        failure(.knownToStore, "the App Store refuses the receipt: status \(status.rawValue)")
      ])
    case .accepted(let object, let environment):
      guard let answer = VerifyReceiptAnswer(object, environment: environment, now: now) else {
        return .refused([failure(.payload, "the App Store's answer names no app")])
      }
      guard configuration.app(answer.bundleID) != nil, app == nil || app == answer.bundleID else {
        return .refused([failure(.bundle, "the receipt is of another app")])
      }
      if let failure = configuration.environmentFailure(
        answer.bundleID,
        environment,
        part: .receipt
      ) {
        return .refused([failure])
      }
      let scope = LedgerScope(app: answer.bundleID, environment: environment)
      return .accepted(
        JudgedReceipt(
          scope: scope,
          purchases: answer.transactions,
          record: FactRecord(
            key: .receipt(digest: verifiers.digest(answer.identity)),
            scope: scope,
            bytes: answer.bytes,
            signedDate: answer.date,
            receivedDate: now,
            facts: answer.facts
          )
        )
      )
    }
  }

  private func failure(_ rule: Rule, _ reason: String) -> RuleFailure {
    RuleFailure(part: .receipt, rule: rule, reason: reason)
  }
}
