import Foundation
import HTTPValues
import IAPModel
import ServerStorage

/// Hands the ledger's lists out page by page, as JSON or as a table.
struct ExportUseCase: Sendable {
  let parts: ServerParts

  /// What can be handed out.
  private enum Kind: String, CaseIterable {
    /// Every grant, clawback and regrant, in the order in which it took effect.
    case entries
    /// What people and backends did.
    case audit

    var columns: [String] {
      switch self {
      case .entries:
        [
          "sequence", "kind", "environment", "originalTransactionId", "key", "unit", "productId",
          "quantity", "date", "recordedDate",
        ]
      case .audit: ["sequence", "action", "by", "details", "date"]
      }
    }
  }

  private enum Format: String, CaseIterable {
    case json, csv
  }

  private struct Page: Sendable {
    var rows: [JSONObject] = []
    /// Where the next page begins; nil at the end.
    var next: Int64?
  }

  var routes: [Route] {
    [
      Route(
        .get,
        "/v1/export",
        "Lists what took effect, or what was done, oldest first.",
        access: .backend,
        parameters: [
          .app, .after, .limit,
          Route.Parameter(
            name: "kind",
            place: .query,
            shape: .word(Kind.allCases.map(\.rawValue)),
            note: "What is listed; entries unless it is given."
          ),
          Route.Parameter(
            name: "format",
            place: .query,
            shape: .word(Format.allCases.map(\.rawValue)),
            note: "json, or csv, whose answer has the next place in the header field Next-After."
          ),
        ],
        answers: [
          Route.Answer(
            200,
            .object([
              .required("rows", .list(.anything, max: 1000)), .optional("next", .count),
            ]),
            alternative: "text/csv"
          )
        ],
        run: { call async throws(ServerError) in try await export(call) }
      )
    ]
  }

  private func export(_ call: Call) async throws(ServerError) -> Reply {
    let app = try call.app().bundleID
    let kind = try word("kind", .entries, call) as Kind
    let format = try word("format", .json, call) as Format
    let (after, limit) = try call.page()
    let page = try await parts.read { reader throws(StorageError) in
      switch kind {
      case .entries: try Self.entries(app, after, limit, reader)
      case .audit: try Self.audit(app, after, limit, reader)
      }
    }
    switch format {
    case .json:
      var answer: JSONObject = ["rows": .array(page.rows.map { .object($0) })]
      answer["next"] = page.next.map { .integer($0) }
      return .ok(answer)
    case .csv:
      var response = HTTPResponse(
        status: 200,
        headers: ["Content-Type": "text/csv; charset=utf-8; header=present"],
        body: Array(CSVTable.text(kind.columns, page.rows).utf8)
      )
      if let next = page.next { response.headers["Next-After"] = "\(next)" }
      return .whole(response)
    }
  }

  private func word<Word: RawRepresentable<String> & CaseIterable>(
    _ name: String,
    _ usual: Word,
    _ call: Call
  ) throws(ServerError) -> Word {
    guard let text = call.request.queryValue(name) else { return usual }
    guard let word = Word(rawValue: text) else {
      let words = Word.allCases.map(\.rawValue).joined(separator: ", ")
      throw RequestMembers.invalid(name, "one of " + words)
    }
    return word
  }

  private static func entries(
    _ app: BundleID,
    _ after: Int64,
    _ limit: Int,
    _ reader: any LedgerReading
  ) throws(StorageError) -> Page {
    let records = try reader.outbox(after: after, limit: limit)
    let own = records.filter { $0.subject.scope.app == app && $0.kind.hasPrefix("unit.") }
    let rows = own.map { record -> JSONObject in
      var row: JSONObject = [
        "sequence": .integer(record.sequence), "kind": .string(record.kind),
        "environment": .string(record.subject.scope.environment.rawValue),
        "recordedDate": .integer(record.date.milliseconds),
      ]
      for member in record.body.members { row[member.name] = member.value }
      return row
    }
    return Page(rows: rows, next: records.count == limit ? records.last?.sequence : nil)
  }

  private static func audit(
    _ app: BundleID,
    _ after: Int64,
    _ limit: Int,
    _ reader: any LedgerReading
  ) throws(StorageError) -> Page {
    let records = try reader.audit(after: after, limit: limit)
    let rows = records.filter { $0.app == app }.map { record -> JSONObject in
      [
        "sequence": .integer(record.sequence), "action": .string(record.action),
        "by": record.details["by"] ?? "server",
        "details": .string(JSONValue.object(record.details).serializedText),
        "date": .integer(record.date.milliseconds),
      ]
    }
    return Page(rows: rows, next: records.count == limit ? records.last?.sequence : nil)
  }
}
