import AppStoreServerAPI
import Foundation
import IAPEntitlements
import IAPModel
import IAPSignatures
import ServerStorage

extension ReconciliationJob {
  /// Asks Apple's old service about the next receipt that is kept.
  ///
  /// A renewal or a refund that its answer shows is a fact like any other, granted or taken back
  /// once; an answer that says nothing new leaves nothing.
  func receipts(_ page: inout Page, _ now: Date) async throws(ServerError) {
    let scope = page.record.scope
    let shelf = NewestReceipts(parts: parts)
    let place = page.record.mark.flatMap { Int64($0) } ?? 0
    guard let client = parts.apple[scope.app]?.receipts,
      let kept = try await shelf.next(after: place, in: scope, only: page.record.only)
    else {
      page.record.mark = nil
      page.record.stage = .history
      return
    }
    page.record.mark = "\(kept.sequence)"
    guard let bytes = kept.bytes else { return }
    page.record.count("receipts")
    let verdict: VerifyReceiptVerdict
    do throws(AppStoreServerError) {
      verdict = try await client.verify(receipt: Base64.encode(bytes, .standard))
    } catch {
      page.trouble = error
      throw ServerError.storeUnavailable(error)
    }
    page.record.count("pages")
    let judgement = ReceiptJudge(parts).read(verdict, app: scope.app, at: now)
    guard case .accepted(let judged) = judgement, judged.scope == scope else {
      // A refusal takes nothing back: what the receipt proved stays proven.
      page.record.count("refused")
      return
    }
    try await take(judged, bytes, &page)
  }

  private func take(
    _ judged: JudgedReceipt,
    _ receipt: [UInt8],
    _ page: inout Page
  ) async throws(ServerError) {
    let record = judged.record
    let known = try await parts.read { reader throws(StorageError) in
      guard try reader.fact(record.key, in: record.scope) == nil else {
        return [TransactionID: TransactionState]?.none
      }
      var states: [TransactionID: TransactionState] = [:]
      for original in Set(judged.purchases.map(\.originalTransactionID)) {
        let subject = LedgerSubject(scope: record.scope, original: original)
        let facts = try reader.facts(of: subject)
        let history = StoreHistory(facts, environment: .only(record.scope.environment))
        for state in history.transactions { states[state.id] = state }
      }
      return states
    }
    guard let known else { return }
    for purchase in judged.purchases {
      page.record.count("transactions")
      let state = known[purchase.transactionID]
      let isChanged =
        state.map {
          $0.isRevoked != (purchase.revocationDate != nil)
            || (purchase.expiresDate != nil && purchase.expiresDate != $0.payload.expiresDate)
        } ?? true
      guard isChanged else { continue }
      page.record.find(
        state == nil ? "missing" : "changed",
        purchase.transactionID.rawValue,
        ["what": "receipt", "product": .string(purchase.productID.rawValue)]
      )
    }
    page.facts.append(record)
    page.documents += try await NewestReceipts(parts: parts).wishes(record, receipt)
  }
}
