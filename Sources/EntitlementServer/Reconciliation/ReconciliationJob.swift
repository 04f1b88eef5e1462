import AppStoreServerAPI
import Foundation
import IAPEntitlements
import IAPModel
import IAPSignatures
import ServerStorage

/// Compares the ledger with the App Store, a page at a time, and fills the gaps.
///
/// What is found goes the way of every other fact: verified, recorded once, granted once. Each page
/// is one write together with the progress, which holds only for the version it was read in: two
/// servers that work on the same comparison cannot both have it.
struct ReconciliationJob: Sendable {
  let parts: ServerParts

  /// How long before an answer that failed is asked for again, in seconds.
  static let retrySeconds: TimeInterval = 60

  /// How far a span keeps from the end of the App Store's memory, in seconds.
  static let reachMargin: TimeInterval = 600

  /// Everything that one page brings into the ledger.
  struct Page: Sendable {
    var record: ReconciliationRecord
    var facts: [FactRecord] = []
    var documents: [DocumentWrite] = []
    /// Why the App Store did not answer.
    var trouble: AppStoreServerError?
  }

  /// Reads the next page of a comparison and records what it says.
  ///
  /// - Parameters:
  ///   - document: The comparison as it is stored.
  ///   - now: The present instant.
  /// - Returns: The comparison after it; nil when another server has taken the step.
  /// - Throws: ``ServerError`` when the ledger cannot be read or written.
  func step(
    _ document: LedgerDocument,
    at now: Date
  ) async throws(ServerError) -> ReconciliationRecord? {
    var page = Page(record: try stored(document))
    page.record.retryAt = nil
    page.record.problem = nil
    do throws(ServerError) {
      try await read(&page, now)
    } catch {
      guard let trouble = page.trouble else { throw error }
      // Nothing of a page that was not read to its end is taken.
      page = Page(record: try stored(document))
      stop(&page.record, trouble, now)
    }
    return try await commit(page, document, now)
  }

  /// Reads the page that comes next.
  private func read(_ page: inout Page, _ now: Date) async throws(ServerError) {
    let access = parts.apple[page.record.scope.app]
    guard let client = access?.background else {
      // Without a key for the newer interface the old service can still be asked about receipts.
      guard page.record.replay == nil, access?.receipts != nil else {
        page.record.state = .failed
        page.record.problem = "the app has no key to ask the App Store with"
        return
      }
      page.record.stage = .receipts
      try await receipts(&page, now)
      if page.record.stage != .receipts { page.record.state = .done }
      return
    }
    switch page.record.stage {
    case .notifications: try await notifications(&page, client, now)
    case .receipts: try await receipts(&page, now)
    case .history: try await history(&page, client, now)
    case .statuses: try await statuses(&page, client, now)
    case .refunds: try await refunds(&page, client, now)
    }
  }

  private func stored(_ document: LedgerDocument) throws(ServerError) -> ReconciliationRecord {
    do throws(StorageError) {
      return try ReconciliationRecord(document)
    } catch {
      throw ServerError(
        503,
        .unavailable,
        .storageUnavailable,
        "A reconciliation cannot be read.",
        inside: error.description
      )
    }
  }

  private func stop(
    _ record: inout ReconciliationRecord,
    _ error: AppStoreServerError,
    _ now: Date
  ) {
    // A server that stops leaves the page to the next one.
    guard error.code != .cancelled else { return }
    record.problem = error.description
    if error.apiCode == .paginationTokenExpired || error.apiCode == .invalidPaginationToken
      || error.apiCode == .invalidRequestRevision
      || (error.apiCode == .startDateTooFarInPast && record.mark != nil)
    {
      // A mark that the App Store does not take any more: the list is read from its beginning.
      record.mark = nil
      record.retryAt = now.addingTimeInterval(Self.retrySeconds)
    } else if error.isRetryable {
      record.retryAt = error.retryAt ?? now.addingTimeInterval(Self.retrySeconds)
    } else {
      record.state = .failed
    }
  }

  private func commit(
    _ page: Page,
    _ document: LedgerDocument,
    _ now: Date
  ) async throws(ServerError) -> ReconciliationRecord? {
    var write = LedgerWrite(date: now, facts: page.facts)
    write.documents =
      [page.record.document(.mustHaveVersion(document.version))] + page.documents
    let outcome = try await parts.commit(write)
    guard !outcome.isRefused else { return nil }
    for entry in outcome.newEntries {
      parts.metrics.count(.entries, ["kind": entry.entry.kind.rawValue])
    }
    return page.record
  }
}

extension ReconciliationJob {
  /// Asks the App Store.
  ///
  /// - Parameters:
  ///   - client: Asks for the app.
  ///   - request: What is asked.
  ///   - page: Notes why there is no answer.
  /// - Returns: The answer.
  /// - Throws: ``ServerError`` with 503 when there is none.
  func asked<Answer: Sendable>(
    _ client: AppStoreServerClient,
    _ request: ServerAPIRequest<Answer>,
    _ page: inout Page
  ) async throws(ServerError) -> Answer {
    do throws(AppStoreServerError) {
      return try await client.answer(to: request, in: page.record.scope.environment)
    } catch {
      page.trouble = error
      throw ServerError.storeUnavailable(error)
    }
  }

  /// Asks about a customer, whom the App Store may not know.
  ///
  /// - Parameters:
  ///   - client: Asks for the app.
  ///   - request: What is asked.
  ///   - page: Notes why there is no answer.
  /// - Returns: The answer; nil when there is no such customer.
  /// - Throws: ``ServerError`` with 503 when there is none.
  func known<Answer: Sendable>(
    _ client: AppStoreServerClient,
    _ request: ServerAPIRequest<Answer>,
    _ page: inout Page
  ) async throws(ServerError) -> Answer? {
    do throws(ServerError) {
      return try await asked(client, request, &page)
    } catch {
      guard page.trouble?.saysUnknown == true else { throw error }
      page.trouble = nil
      page.record.count("unknownToStore")
      return nil
    }
  }
}
