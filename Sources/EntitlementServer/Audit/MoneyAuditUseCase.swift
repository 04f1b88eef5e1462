import Foundation
import HTTPValues
import IAPModel
import IAPSignatures
import ServerStorage

/// Audits of money: Apple's reports are handed in, and what differs from the ledger is shown.
struct MoneyAuditUseCase: Sendable {
  let parts: ServerParts

  /// The most files of one request.
  static let filesPerRequestMax = 50

  private static let columns = [
    "kind", "report", "start", "end", "productId", "currency", "reportUnits", "ledgerUnits",
    "reportAmount", "ledgerAmount", "reasons", "transactions",
  ]

  private var filesShape: Shape.Field {
    let bytesMax = parts.configuration.limits.bodyBytesMax
    return .required(
      "files",
      .list(
        .object([
          .required("name", .text(max: 256)), .required("content", .text(max: bytesMax)),
          .optional("firstLine", .integer(2...1_000_000_000)),
        ]),
        max: Self.filesPerRequestMax
      )
    )
  }

  var routes: [Route] {
    let day = Shape.text(min: 8, max: 10)
    return [
      Route(
        .post,
        "/v1/audits",
        "Begins to compare Apple's sales and financial reports with the ledger.",
        access: .backend,
        body: .object(
          .object([
            filesShape, .optional("start", day), .optional("end", day),
            .optional("sku", .text(max: 256)), .optional("complete", .bool),
          ])
        ),
        parameters: [.app, .environment],
        answers: [Route.Answer(200, MoneyAuditAnswer.shape)],
        errors: [413],
        repetition: .replayed,
        run: { call async throws(ServerError) in try await begin(call) }
      ),
      Route(
        .post,
        "/v1/audits/{id}/files",
        "Adds report files to an audit that waits for more.",
        access: .backend,
        body: .object(.object([filesShape, .optional("complete", .bool)])),
        parameters: [.app],
        answers: [Route.Answer(200, MoneyAuditAnswer.shape)],
        errors: [404, 409, 413],
        repetition: .natural,
        run: { call async throws(ServerError) in try await add(call) }
      ),
      Route(
        .get,
        "/v1/audits/{id}",
        "Shows what Apple reports and the ledger does not hold, and the other way round.",
        access: .backend,
        parameters: [
          .app,
          Route.Parameter(
            name: "format",
            place: .query,
            shape: .word(["json", "csv"]),
            note: "json, or csv for the differences as a table."
          ),
        ],
        answers: [Route.Answer(200, MoneyAuditAnswer.shape, alternative: "text/csv")],
        errors: [404],
        run: { call async throws(ServerError) in try await show(call) }
      ),
    ]
  }

  private func begin(_ call: Call) async throws(ServerError) -> Reply {
    let scope = try call.scope()
    let name = call.naming.map { Array($0.prefix(12)) } ?? parts.world.random(12)
    var audit = MoneyAudit(id: "aud_" + Hexadecimal.text(name), scope: scope)
    audit.sku = call.body["sku"]?.stringValue
    audit.start = try day("start", call)
    audit.end = try day("end", call)
    guard (audit.start == nil) == (audit.end == nil) else {
      throw RequestMembers.missing("end", "start and end belong together.")
    }
    if let start = audit.start, let end = audit.end {
      // Bound: the most spans of an audit.
      var (last, count) = (start, 1)
      while last < end, count <= MoneyAudit.spansMax { (last, count) = (last.next, count + 1) }
      guard start <= end, count <= MoneyAudit.spansMax else {
        throw RequestMembers.invalid("end", "0 to \(MoneyAudit.spansMax - 1) days after start")
      }
    }
    try take(call, into: &audit)
    var write = LedgerWrite(date: call.now)
    write.documents = [audit.document(.ifAbsent)]
    write.audit = [parts.audit("audit.begin", call, scope.app, ["id": .string(audit.id)])]
    _ = try await parts.commit(write)
    return .ok(MoneyAuditAnswer.object(try await stored(audit.id, scope.app).audit))
  }

  private func add(_ call: Call) async throws(ServerError) -> Reply {
    let app = try call.app().bundleID
    let id = call.parameter("id")
    let found = try await stored(id, app)
    var audit = found.audit
    try take(call, into: &audit)
    // What was handed in before is known; so the same request has the same answer.
    guard audit != found.audit else { return .ok(MoneyAuditAnswer.object(audit)) }
    guard found.audit.state == .collecting else {
      throw ServerError(
        409,
        .conflict,
        .alreadyDecided,
        "The audit has begun to compare: begin another one.",
        parameter: "id"
      )
    }
    var write = LedgerWrite(date: call.now)
    write.documents = [audit.document(.mustHaveVersion(found.version))]
    guard try await !parts.commit(write).isRefused else {
      throw ServerError(
        409,
        .conflict,
        .versionMismatch,
        "Another file was added at the same moment: send this one again.",
        parameter: "id"
      )
    }
    return .ok(MoneyAuditAnswer.object(audit))
  }

  private func show(_ call: Call) async throws(ServerError) -> Reply {
    let app = try call.app().bundleID
    let format = call.request.queryValue("format") ?? "json"
    guard ["json", "csv"].contains(format) else {
      throw RequestMembers.invalid("format", "one of json, csv")
    }
    let audit = try await stored(call.parameter("id"), app).audit
    guard format == "csv" else { return .ok(MoneyAuditAnswer.object(audit)) }
    return .whole(
      HTTPResponse(
        status: 200,
        headers: ["Content-Type": "text/csv; charset=utf-8; header=present"],
        body: Array(CSVTable.text(Self.columns, audit.differences).utf8)
      )
    )
  }

  private func stored(
    _ id: String,
    _ app: BundleID
  ) async throws(ServerError) -> (audit: MoneyAudit, version: Int64) {
    let key = MoneyAudit.key(id, app: app)
    let found = try await parts.read { reader throws(StorageError) in
      try reader.document(key).map { document throws(StorageError) in
        (audit: try MoneyAudit(document), version: document.version)
      }
    }
    guard let found else {
      throw ServerError(404, .notFound, .nothingThere, "There is no such audit.", parameter: "id")
    }
    return found
  }

  private func day(_ name: String, _ call: Call) throws(ServerError) -> ReportDay? {
    guard let text = call.body[name]?.stringValue else { return nil }
    guard let day = ReportDay(text) else {
      throw RequestMembers.invalid(name, "a day such as 2026-01-31")
    }
    return day
  }

  /// Reads the files of a request into an audit.
  private func take(_ call: Call, into audit: inout MoneyAudit) throws(ServerError) {
    let app = parts.configuration.app(audit.scope.app)
    for (index, value) in (call.body["files"]?.arrayValue ?? []).enumerated() {
      let file = value.objectValue ?? [:]
      let place = "files[\(index)].content"
      guard let bytes = Base64.decode((file["content"]?.stringValue ?? "").utf8, .standard),
        !bytes.isEmpty
      else { throw RequestMembers.invalid(place, "a file in base64") }
      let firstLine = file["firstLine"]?.integerValue
      let content = ReportReader.read(
        bytes,
        name: file["name"]?.stringValue ?? "",
        firstLine: firstLine.map { Int($0) },
        appAppleID: app?.appAppleID
      )
      var named = bytes
      if let firstLine { named += Array(":\(firstLine)".utf8) }
      let digest = Hexadecimal.text(parts.verifiers.digest(named))
      guard audit.add(content, digest: digest) else {
        throw ServerError(
          413,
          .invalidRequest,
          .bodyTooLarge,
          "The reports hold more days, products or files than one audit compares: divide them.",
          parameter: place
        )
      }
    }
    if call.body["complete"]?.boolValue ?? true, audit.state == .collecting {
      audit.state = .running
    }
  }
}

/// Writes audits down.
enum MoneyAuditAnswer {
  private static let difference = Shape.object([
    .required("kind", .word(MoneyDifference.Kind.allCases.map(\.rawValue))),
    .required("report", .word(ReportKind.allCases.map(\.rawValue))),
    .required("start", .text(max: 10)), .required("end", .text(max: 10)),
    .required("productId", .text(max: 256)), .optional("currency", .text(max: 3)),
    .required("reportUnits", .count), .required("ledgerUnits", .count),
    .optional("reportAmount", .text(max: 32)), .optional("ledgerAmount", .text(max: 32)),
    .required("reasons", .list(.word(MoneyDifference.Reason.allCases.map(\.rawValue)), max: 20)),
    .optional("transactions", .list(.text(max: 64), max: MoneySum.examplesMax)),
  ])

  private static let file = Shape.object([
    .required("name", .text(max: 256)),
    .optional("report", .word(ReportKind.allCases.map(\.rawValue))),
    .required("compared", .bool), .required("rows", .count), .required("otherRows", .count),
    .required("badRows", .count), .optional("problem", .text(max: 64)),
  ])

  static let shape = Shape.object([
    .required("id", .text(max: 64)),
    .required("state", .word(MoneyAudit.State.allCases.map(\.rawValue))),
    .required("environment", .text(max: 64)), .required("purchases", .count),
    .required("files", .list(file, max: MoneyAudit.filesMax)),
    .required(
      "badRows",
      .list(
        .object([
          .required("file", .text(max: 256)), .required("line", .count),
          .required("reason", .text(max: 256)),
        ]),
        max: MoneyAudit.badRowsMax
      )
    ),
    .required("differenceCount", .count),
    .required("differences", .list(difference, max: MoneyAudit.differencesMax)),
    .required("totals", .list(.anything, max: 10_000)),
    .required("proceeds", .map(.text(max: 32), max: 1000)),
    .required("otherColumns", .map(.map(.count, max: ReportReader.otherValuesMax), max: 1000)),
  ])

  static func object(_ audit: MoneyAudit) -> JSONObject {
    var answer = AnswerMembers()
    answer.add("id", .string(audit.id))
    answer.add("state", .string(audit.state.rawValue))
    answer.add("environment", .string(audit.scope.environment.rawValue))
    answer.add("purchases", .integer(audit.purchases))
    answer.add(
      "files",
      .array(
        audit.files.map { file in
          var file = file
          file["digest"] = nil
          return .object(file)
        }
      )
    )
    answer.add("badRows", .array(audit.badRows.map { .object($0) }))
    answer.add("differenceCount", .integer(audit.differenceCount))
    answer.add("differences", .array(audit.differences.map { .object($0) }))
    answer.add("totals", .array(audit.totals.map { .object($0) }))
    answer.add("proceeds", MoneyAudit.texts(audit.proceeds.mapValues { ReportAmount.text($0) }))
    answer.add("otherColumns", MoneyAudit.columns(audit.otherColumns))
    return answer.object
  }
}
