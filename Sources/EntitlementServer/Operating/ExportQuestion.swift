import Foundation
import IAPEntitlements
import IAPModel
import ServerStorage

/// Which part of a list is handed out.
struct ExportQuestion: Sendable {
  let app: BundleID
  /// The environment, for lists of one.
  let scope: LedgerScope?
  let after: Int64
  let cursor: String?
  let limit: Int

  struct Page: Sendable {
    var rows: [JSONObject] = []
    /// Where the next page begins; nil at the end.
    var next: Int64?
    /// The same for lists whose places are texts.
    var nextCursor: String?
  }

  /// Reads a page of a list.
  func page(_ kind: ExportKind, _ reader: any LedgerReading) throws(StorageError) -> Page {
    switch kind {
    case .entries: try entries(reader)
    case .audit: try audit(reader)
    case .orders: try orders(reader)
    case .transactions: try transactions(reader)
    case .tokens: try tokens(reader)
    }
  }

  private func entries(_ reader: any LedgerReading) throws(StorageError) -> Page {
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

  private func audit(_ reader: any LedgerReading) throws(StorageError) -> Page {
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

  private func orders(_ reader: any LedgerReading) throws(StorageError) -> Page {
    let number = cursor.flatMap { OrderNumber($0) }
    let records = try reader.orders(app: app, after: number, limit: limit)
    var page = Page()
    for record in records {
      var row = OrderAnswer.object(try OrderFindings(record, reader))
      row["accountToken"] = nil
      page.rows.append(row)
    }
    page.nextCursor = records.count == limit ? records.last?.number.description : nil
    return page
  }

  private func transactions(_ reader: any LedgerReading) throws(StorageError) -> Page {
    guard let scope else { preconditionFailure("transactions belong to one environment") }
    var page = Page()
    let original = cursor.map { OriginalTransactionID($0) }
    let subjects = try reader.subjects(in: scope, after: original, limit: limit)
    for (index, subject) in subjects.enumerated() {
      let owner = try reader.owner(of: subject)?.customer
      let facts = try reader.facts(of: subject)
      let history = StoreHistory(facts, environment: .only(scope.environment))
      page.rows += history.transactions.map { Self.row($0, scope.environment, owner) }
      let isLast = index + 1 == subjects.count
      guard page.rows.count < limit else {
        page.nextCursor = isLast && subjects.count < limit ? nil : subject.original.rawValue
        return page
      }
    }
    page.nextCursor = subjects.count == limit ? subjects.last?.original.rawValue : nil
    return page
  }

  private static func row(
    _ state: TransactionState,
    _ environment: StoreEnvironment,
    _ owner: CustomerID?
  ) -> JSONObject {
    let payload = state.payload
    var answer = AnswerMembers()
    answer.add("environment", .string(environment.rawValue))
    answer.add("transactionId", .string(payload.transactionID.rawValue))
    answer.add("originalTransactionId", .string(payload.originalTransactionID.rawValue))
    answer.add("productId", .string(payload.productID.rawValue))
    answer.add("type", payload.type?.rawValue)
    answer.add("quantity", .integer(Int64(payload.quantity ?? 1)))
    if let price = payload.price {
      answer.add("price", .string(ReportAmount.text(price.milliunits)))
      answer.add("currency", .string(price.currency))
    }
    answer.add("purchaseDate", payload.purchaseDate)
    answer.add("expiresDate", payload.expiresDate)
    answer.add("revocationDate", payload.revocationDate)
    answer.add("revoked", .bool(state.isRevoked))
    answer.add("unit", state.unit?.rawValue)
    answer.add("ownership", payload.ownershipType?.rawValue)
    if let offer = payload.offerType { answer.add("offerType", .integer(Int64(offer.rawValue))) }
    answer.add("account", owner?.rawValue)
    return answer.object
  }

  private func tokens(_ reader: any LedgerReading) throws(StorageError) -> Page {
    let documents = try reader.documents(
      .tokenTask,
      app: app,
      shelf: nil,
      after: after,
      limit: limit
    )
    let rows = documents.map { document -> JSONObject in
      var answer = AnswerMembers()
      answer.add("sequence", .integer(document.sequence))
      answer.add("environment", document.body["environment"]?.stringValue)
      answer.add("originalTransactionId", document.body["original"]?.stringValue)
      answer.add("state", document.shelf)
      answer.add("attempts", .integer(document.body["attempts"]?.integerValue ?? 0))
      answer.add("problem", document.body["problem"]?.stringValue)
      answer.add("askedDate", .integer(document.body["asked"]?.integerValue ?? 0))
      return answer.object
    }
    return Page(rows: rows, next: documents.count == limit ? documents.last?.sequence : nil)
  }
}
