import Foundation
import IAPModel
import ServerStorage

/// Documents that stand for work: each waits on a shelf until a server takes it, for a while that
/// is written into it, so that two servers do not do the same.
struct LeasedDocuments: Sendable {
  let parts: ServerParts
  let kind: DocumentKind
  /// The shelf of those that wait.
  let shelf: String
  /// The member that says until when one is left alone.
  var untilMember = "until"

  /// How many are read at once; however many are left alone at the moment, those behind them are
  /// found.
  static let pageMax = 100

  /// Does the first work that is due and lets itself be done; false when none does.
  ///
  /// - Parameters:
  ///   - app: The app.
  ///   - now: When.
  ///   - perform: Does the work; answers false when another server was faster.
  /// - Returns: Whether something was done.
  /// - Throws: ``ServerError``.
  func performFirst(
    of app: BundleID,
    at now: Date,
    _ perform: (LedgerDocument) async throws(ServerError) -> Bool
  ) async throws(ServerError) -> Bool {
    var last: Int64 = 0
    var page: [LedgerDocument]
    repeat {
      let after = last
      page = try await parts.read { [kind, shelf] reader throws(StorageError) in
        try reader.documents(kind, app: app, shelf: shelf, after: after, limit: Self.pageMax)
      }
      for document in page {
        last = document.sequence
        if let until = document.body[untilMember]?.integerValue, Date(milliseconds: until) > now {
          continue
        }
        if try await perform(document) { return true }
      }
    } while page.count == Self.pageMax && !Task.isCancelled
    return false
  }

  /// Puts a document on a shelf, unless another server changed it meanwhile.
  ///
  /// - Parameters:
  ///   - document: The document as it was read.
  ///   - body: What it says from now on; nil for what it says.
  ///   - shelf: The shelf.
  ///   - date: Until when it is left alone.
  ///   - now: When.
  /// - Returns: The document as it stands now; nil when another server was faster.
  /// - Throws: ``ServerError``.
  func move(
    _ document: LedgerDocument,
    saying body: JSONObject? = nil,
    to shelf: String,
    until date: Date? = nil,
    _ now: Date
  ) async throws(ServerError) -> LedgerDocument? {
    var body = body ?? document.body
    body[untilMember] = date.map { .integer($0.milliseconds) }
    var write = LedgerWrite(date: now)
    write.documents = [
      DocumentWrite(
        document.key,
        shelf: shelf,
        body: body,
        condition: .mustHaveVersion(document.version)
      )
    ]
    let outcome = try await parts.commit(write)
    return outcome.isRefused ? nil : outcome.documents.first?.document
  }
}
