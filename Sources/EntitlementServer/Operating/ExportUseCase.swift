import Foundation
import HTTPValues
import IAPModel
import ServerStorage

/// Hands the ledger's lists out page by page, as JSON or as a table.
struct ExportUseCase: Sendable {
  let parts: ServerParts

  private enum Format: String, CaseIterable {
    case json, csv
  }

  /// The most rows of one page: a purchase is never divided, and may have many renewals.
  private static let rowsMax = 100_000

  var routes: [Route] {
    [
      Route(
        .get,
        "/v1/export",
        "Lists what took effect, what was bought, what was ordered, or what was done.",
        access: .backend,
        parameters: [
          .app, .environment, .after, .limit,
          Route.Parameter(
            name: "kind",
            place: .query,
            shape: .word(ExportKind.allCases.map(\.rawValue)),
            note: "What is listed; entries unless it is given."
          ),
          Route.Parameter(
            name: "cursor",
            place: .query,
            shape: .text(max: 256),
            note: "Goes on behind this place for orders and transactions: the `nextCursor` of the "
              + "answer before."
          ),
          Route.Parameter(
            name: "format",
            place: .query,
            shape: .word(Format.allCases.map(\.rawValue)),
            note: "json, or csv, whose answer has the next place in the header field Next-After "
              + "or Next-Cursor."
          ),
        ],
        answers: [
          Route.Answer(
            200,
            .object([
              .required("rows", .list(.anything, max: Self.rowsMax)), .optional("next", .count),
              .optional("nextCursor", .text(max: 256)),
            ]),
            alternative: "text/csv"
          )
        ],
        run: { call async throws(ServerError) in try await export(call) }
      )
    ]
  }

  private func export(_ call: Call) async throws(ServerError) -> Reply {
    let kind = try word("kind", .entries, call) as ExportKind
    let format = try word("format", .json, call) as Format
    let cursor = call.request.queryValue("cursor")
    guard cursor == nil || kind.hasTextCursor else {
      throw RequestMembers.invalid("cursor", "left out: \(kind.rawValue) go on with after")
    }
    guard (cursor?.utf8.count ?? 1) <= 256 else {
      throw RequestMembers.invalid("cursor", Shape.text(max: 256).wanted)
    }
    let (after, limit) = try call.page()
    let question = ExportQuestion(
      app: try call.app().bundleID,
      scope: kind == .transactions ? try call.scope() : nil,
      after: after,
      cursor: cursor.flatMap { $0.isEmpty ? nil : $0 },
      limit: limit
    )
    guard kind != .orders || question.cursor.map({ OrderNumber($0) != nil }) ?? true else {
      throw RequestMembers.invalid("cursor", "the nextCursor of an answer before")
    }
    let page = try await parts.read { reader throws(StorageError) in
      try question.page(kind, reader)
    }
    switch format {
    case .json:
      var answer: JSONObject = ["rows": .array(page.rows.map { .object($0) })]
      answer["next"] = page.next.map { .integer($0) }
      answer["nextCursor"] = page.nextCursor.map { .string($0) }
      return .ok(answer)
    case .csv:
      var response = HTTPResponse(
        status: 200,
        headers: ["Content-Type": "text/csv; charset=utf-8; header=present"],
        body: Array(CSVTable.text(kind.columns, page.rows).utf8)
      )
      if let next = page.next { response.headers["Next-After"] = "\(next)" }
      if let next = page.nextCursor { response.headers["Next-Cursor"] = next }
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
}
