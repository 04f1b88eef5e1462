import Foundation
import HTTPValues
import IAPEntitlements
import IAPModel
import ServerStorage

/// What happens to customers as persons: second names, a copy of everything, and being forgotten.
struct CustomerLifeUseCase: Sendable {
  let parts: ServerParts

  private static let pageMax = 500

  var routes: [Route] {
    [
      Route(
        .post,
        "/v1/customers/{id}/aliases",
        "Gives a customer a second name, or the token that its purchases carry.",
        access: .backend,
        body: .object(
          .object([
            .optional("alias", .text(max: parts.configuration.limits.accountBytesMax)),
            .optional("accountToken", .uuid),
          ])
        ),
        parameters: [.app],
        answers: [Route.Answer(200, .object([.required("customer", .text(max: 1024))]))],
        repetition: .natural,
        run: { call async throws(ServerError) in try await addAlias(call) }
      ),
      Route(
        .get,
        "/v1/customers/{id}/export",
        "Shows everything that is kept about a customer.",
        access: .backend,
        parameters: [.app],
        answers: [
          Route.Answer(
            200,
            .object([
              .required("customer", .text(max: 1024)), .required("app", .text(max: 256)),
              .required("exportedDate", .date),
              .required("accountTokens", .list(.uuid, max: 100_000)),
              .required("aliases", .list(.text(max: 1024), max: 100_000)),
              .required("purchases", .list(.anything, max: 100_000)),
              .required("orders", .list(.anything, max: 100_000)),
              .required("debits", .list(.anything, max: 1_000_000)),
              .required("reviews", .list(.anything, max: 100_000)),
              .required("events", .list(.anything, max: 1_000_000)),
            ])
          )
        ],
        run: { call async throws(ServerError) in try await export(call) }
      ),
      Route(
        .delete,
        "/v1/customers/{id}",
        "Forgets a customer: what was signed becomes a tombstone, and nothing names the person.",
        access: .backend,
        parameters: [.app],
        answers: [
          Route.Answer(
            200,
            .object([
              .required("erased", .bool), .required("purchases", .count),
              .required("facts", .count),
            ])
          )
        ],
        repetition: .natural,
        run: { call async throws(ServerError) in try await erase(call) }
      ),
    ]
  }

  private func id(_ call: Call) throws(ServerError) -> CustomerID {
    try RequestMembers.customer(call.parameter("id"), "id", parts.configuration.limits)
  }

  private func addAlias(_ call: Call) async throws(ServerError) -> Reply {
    let name = try id(call)
    let app = try call.app().bundleID
    let members = RequestMembers(object: call.body)
    let alias = try members.customer("alias", parts.configuration.limits)
    let token = call.body["accountToken"]?.stringValue.flatMap { AppAccountToken($0) }
    guard (alias == nil) != (token == nil) else {
      throw RequestMembers.missing("alias", "One of alias and accountToken has to be there.")
    }
    let customer = try await parts.read { reader throws(StorageError) in
      try reader.canonical(name, app: app).customer
    }
    if let token {
      var write = LedgerWrite(date: call.now)
      write.aliases = [CustomerAlias(app: app, token: token, customer: customer)]
      write.audit = [
        parts.audit("customer.tokenAdded", call, app, ["customer": .string(parts.mark(customer))])
      ]
      _ = try await parts.commit(write)
      let owner = try await parts.read { reader throws(StorageError) in
        try reader.customer(of: token, app: app)
      }
      guard owner == customer else { throw Self.taken("accountToken") }
    } else if let alias {
      try await merge(alias, into: customer, app, call)
    }
    return .ok(["customer": .string(customer.rawValue)])
  }

  private static func taken(_ name: String) -> ServerError {
    ServerError(
      409,
      .conflict,
      .nameTaken,
      "It stands for somebody else already.",
      parameter: name
    )
  }

  private func merge(
    _ alias: CustomerID,
    into customer: CustomerID,
    _ app: BundleID,
    _ call: Call
  ) async throws(ServerError) {
    guard alias != customer else { throw Self.taken("alias") }
    let (document, hasAliases) = try await parts.read { reader throws(StorageError) in
      (
        try reader.document(CustomerRecord.key(alias, app: app)),
        try !reader.documents(.customer, app: app, shelf: alias.rawValue, after: 0, limit: 1)
          .isEmpty
      )
    }
    var record = document.map { CustomerRecord($0) } ?? CustomerRecord()
    if record.aliasOf == customer { return }
    // Chains of names would have to be followed by every request.
    guard record.aliasOf == nil, !hasAliases else { throw Self.taken("alias") }
    record.aliasOf = customer
    var write = LedgerWrite(date: call.now)
    write.documents = [
      record.document(
        alias,
        app: app,
        condition: document.map { .mustHaveVersion($0.version) } ?? .mustBeAbsent
      )
    ]
    write.merges = [CustomerMerge(app: app, from: alias, into: customer)]
    write.audit = [
      parts.audit(
        "customer.merged",
        call,
        app,
        ["customer": .string(parts.mark(customer)), "alias": .string(parts.mark(alias))]
      )
    ]
    guard try await !parts.commit(write).isRefused else { throw Self.taken("alias") }
  }

  private func erase(_ call: Call) async throws(ServerError) -> Reply {
    let name = try id(call)
    let app = try call.app().bundleID
    let customer = try await parts.read { reader throws(StorageError) in
      try reader.canonical(name, app: app).customer
    }
    var write = LedgerWrite(date: call.now)
    write.erasures = [Erasure(customer, app: app)]
    // Tokens that were given before open nothing of what comes later.
    write.documents = [
      DocumentWrite(
        CustomerTokens.erasedKey(parts.mark(customer), app),
        body: ["erased": .integer(call.now.milliseconds)],
        condition: .always
      )
    ]
    write.audit = [
      parts.audit("customer.erased", call, app, ["customer": .string(parts.mark(customer))])
    ]
    let outcome = try await parts.commit(write)
    parts.histories.forget(customer)
    parts.pictures.forget()
    let erased = outcome.erasures.first ?? ErasureOutcome()
    return .ok([
      "erased": true, "purchases": .integer(Int64(erased.subjects)),
      "facts": .integer(Int64(erased.facts)),
    ])
  }

  private func export(_ call: Call) async throws(ServerError) -> Reply {
    let name = try id(call)
    let app = try call.app().bundleID
    let now = call.now
    let answer = try await parts.read { reader throws(StorageError) in
      try Self.everything(try reader.canonical(name, app: app).customer, app, now, reader)
    }
    var write = LedgerWrite(date: now)
    write.audit = [
      parts.audit("customer.exported", call, app, ["customer": .string(parts.mark(name))])
    ]
    _ = try await parts.commit(write)
    return .ok(answer)
  }

  private static func everything(
    _ customer: CustomerID,
    _ app: BundleID,
    _ now: Date,
    _ reader: any LedgerReading
  ) throws(StorageError) -> JSONObject {
    var purchases: [JSONValue] = []
    for subject in try reader.subjects(ownedBy: customer, app: app) {
      purchases.append(.object(try purchase(subject, reader)))
    }
    var orders: [JSONValue] = []
    for record in try reader.orders(of: customer, app: app) {
      orders.append(.object(OrderAnswer.object(try OrderFindings(record, reader))))
    }
    var debits: [JSONValue] = []
    for environment in [StoreEnvironment.production, .sandbox] {
      let shelf = DebitShelf.name(customer, environment)
      for document in try all(.debit, app, shelf, reader) {
        var debit = document.body
        debit["environment"] = .string(environment.rawValue)
        debit["date"] = .integer(document.createdDate.milliseconds)
        debits.append(.object(debit))
      }
    }
    var reviews: [JSONValue] = []
    for document in try all(.review, app, nil, reader) {
      let review = try ReviewRecord(document)
      guard review.details["account"]?.stringValue == customer.rawValue else { continue }
      reviews.append(.object(ReviewShapes.answer(review, isWhole: true)))
    }
    let aliases = try all(.customer, app, customer.rawValue, reader).map(\.key.name)
    let tokens = try reader.tokens(of: customer, app: app)
    var events: [JSONValue] = []
    for name in [customer.rawValue] + aliases {
      let lane = EventLane.customer(CustomerID(name)).rawValue
      for document in try all(.event, app, lane, reader) {
        let message = WebhookMessage(event: try EventRecord(document), isSimulated: false)
        events.append(.object(message.object))
      }
    }
    return [
      "customer": .string(customer.rawValue), "app": .string(app.rawValue),
      "exportedDate": .integer(now.milliseconds),
      "accountTokens": .array(tokens.map { .string($0.description) }),
      "aliases": .array(aliases.map { .string($0) }),
      "purchases": .array(purchases), "orders": .array(orders), "debits": .array(debits),
      "reviews": .array(reviews), "events": .array(events),
    ]
  }

  private static func purchase(
    _ subject: LedgerSubject,
    _ reader: any LedgerReading
  ) throws(StorageError) -> JSONObject {
    var facts: [JSONValue] = []
    for item in try reader.items(of: subject) {
      guard let object = try? JSONParser.parseObject(item.body, limits: .signedPayload) else {
        throw StorageError(.corrupt, "a stored \(item.kind) cannot be read")
      }
      facts.append(.object(object))
    }
    let entries = try reader.entries(of: subject).map { record -> JSONValue in
      [
        "key": .string(record.entry.key), "date": .integer(record.entry.date.milliseconds),
        "productId": .string(record.productID.rawValue),
        "quantity": .integer(Int64(record.quantity)),
      ]
    }
    return [
      "environment": .string(subject.scope.environment.rawValue),
      "originalTransactionId": .string(subject.original.rawValue),
      "entries": .array(entries), "facts": .array(facts),
    ]
  }

  private static func all(
    _ kind: DocumentKind,
    _ app: BundleID,
    _ shelf: String?,
    _ reader: any LedgerReading
  ) throws(StorageError) -> [LedgerDocument] {
    var result: [LedgerDocument] = []
    var page: [LedgerDocument]
    repeat {
      page = try reader.documents(
        kind,
        app: app,
        shelf: shelf,
        after: result.last?.sequence ?? 0,
        limit: pageMax
      )
      result += page
    } while page.count == pageMax
    return result
  }
}
