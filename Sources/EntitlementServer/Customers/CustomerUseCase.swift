import Foundation
import HTTPValues
package import IAPEntitlements
package import IAPModel
package import ServerStorage

/// Shows what a customer has: derived from the facts at the present instant.
///
/// One environment at a time: what was bought in the sandbox never stands among real purchases.
struct CustomerUseCase: Sendable {
  let parts: ServerParts

  private static let answers = [Route.Answer(200, CustomerAnswer.shape)]

  var routes: [Route] {
    [
      Route(
        .get,
        "/v1/customers/me",
        "Shows what the customer has whose token is shown.",
        access: .customer,
        parameters: [.header("Customer-Token", "The token that a verification gave.")],
        answers: Self.answers,
        run: { call async throws(ServerError) in
          guard let pass = call.customer else { throw ServerError.tokenRefused }
          return try await show(pass.customer, pass.scope, call.now)
        }
      ),
      Route(
        .get,
        "/v1/customers/{id}",
        "Shows what a customer has.",
        access: .backend,
        parameters: [.app, .environment],
        answers: Self.answers,
        run: { call async throws(ServerError) in
          try await show(try id(call), try call.scope(), call.now)
        }
      ),
      Route(
        .post,
        "/v1/customers/{id}/tokens",
        "Makes a customer token: the backend has made sure who the customer is.",
        access: .backend,
        parameters: [.app, .environment],
        answers: [
          Route.Answer(
            200,
            .object([.required("customerToken", .text(max: CustomerTokens.bytesMax))])
          )
        ],
        repetition: .natural,
        run: { call async throws(ServerError) in try await makeToken(call) }
      ),
      Route(
        .delete,
        "/v1/customers/{id}/tokens",
        "Withdraws every token of a customer.",
        access: .backend,
        parameters: [.app],
        answers: [Route.Answer(200, .object([.required("withdrawn", .bool)]))],
        repetition: .replayed,
        run: { call async throws(ServerError) in try await withdrawTokens(call) }
      ),
    ]
  }

  private func id(_ call: Call) throws(ServerError) -> CustomerID {
    try RequestMembers.customer(call.parameter("id"), "id", parts.configuration.limits)
  }

  private func show(
    _ name: CustomerID,
    _ scope: LedgerScope,
    _ now: Date
  ) async throws(ServerError) -> Reply {
    let key = CustomerPictures.Key(name: name, scope: scope)
    let stamp = parts.ledger.stamp()
    if let stamp, var known = parts.pictures.answer(key, stamp, at: now) {
      known.number = now.milliseconds
      return .written(known)
    }
    let found = try await parts.read {
      [catalogs = parts.catalogs, histories = parts.histories] reader throws(StorageError) in
      let customer = try reader.canonical(name, app: scope.app).customer
      return (
        customer, try CustomerFindings(customer, scope, reader, histories),
        try catalogs.rules(scope.app, reader)
      )
    }
    let picture = CustomerAnswer.object(found.0, scope, found.1, at: now, catalog: found.2)
    var object = picture.object
    #if PLANTED_BUGS
    if parts.world.planted == .endsAccessWithOldRefund { object = Self.mistaken(object) }
    #endif
    let answer = WrittenObject(object, changing: "asOf")
    if let stamp { parts.pictures.keep(answer, key, stamp, made: now, until: picture.end) }
    return .written(answer)
  }

  #if PLANTED_BUGS
  /// Without access to what had a refund once.
  private static func mistaken(_ answer: JSONObject) -> JSONObject {
    let purchases = (answer["purchases"]?.arrayValue ?? []).compactMap(\.objectValue)
    let refunded = Set(
      purchases.filter { $0["revocationDate"] != nil }
        .compactMap { $0["originalTransactionId"]?.stringValue }
    )
    let ended = Set(
      purchases.filter { refunded.contains($0["originalTransactionId"]?.stringValue ?? "") }
        .flatMap { ($0["transactionIds"]?.arrayValue ?? []).compactMap(\.stringValue) }
    )
    var answer = answer
    answer["entitlements"] = .array(
      (answer["entitlements"]?.arrayValue ?? []).filter {
        !ended.contains($0.objectValue?["transactionId"]?.stringValue ?? "")
      }
    )
    return answer
  }
  #endif

  private func makeToken(_ call: Call) async throws(ServerError) -> Reply {
    let name = try id(call)
    let scope = try call.scope()
    let found = try await parts.read { reader throws(StorageError) in
      let found = try reader.canonical(name, app: scope.app)
      return (customer: found.customer, generation: found.record.tokenGeneration)
    }
    let token = try await parts.tokens.token(
      CustomerPass(customer: found.customer, scope: scope),
      generation: found.generation,
      at: call.now
    )
    return .ok(["customerToken": .string(token)])
  }

  private func withdrawTokens(_ call: Call) async throws(ServerError) -> Reply {
    let name = try id(call)
    let app = try call.app().bundleID
    let customer = try await parts.read { reader throws(StorageError) in
      try reader.canonical(name, app: app).customer
    }
    try await CustomerChange(parts: parts).apply(customer, app, call, "customer.tokensWithdrawn") {
      $0.tokenGeneration += 1
    }
    return .ok(["withdrawn": true])
  }
}

/// Changes what is known about a customer beside purchases, whoever else does so meanwhile.
struct CustomerChange: Sendable {
  let parts: ServerParts

  private static let attemptsMax = 8

  func apply(
    _ customer: CustomerID,
    _ app: BundleID,
    _ call: Call,
    _ action: String,
    _ change: (inout CustomerRecord) -> Void
  ) async throws(ServerError) {
    for _ in 0..<Self.attemptsMax {
      let document = try await parts.read { reader throws(StorageError) in
        try reader.document(CustomerRecord.key(customer, app: app))
      }
      var record = document.map { CustomerRecord($0) } ?? CustomerRecord()
      change(&record)
      var write = LedgerWrite(date: call.now)
      write.documents = [
        record.document(
          customer,
          app: app,
          condition: document.map { .mustHaveVersion($0.version) } ?? .mustBeAbsent
        )
      ]
      write.audit = [
        parts.audit(action, call, app, ["customer": .string(parts.mark(customer))])
      ]
      if try await !parts.commit(write).isRefused { return }
    }
    throw ServerError(
      503,
      .unavailable,
      .storageUnavailable,
      "Others wrote about the same customer at the same moment; try again.",
      retryAfterSeconds: 1
    )
  }
}

/// What the ledger knows about a customer in one app and environment, read at one instant.
package struct CustomerFindings: Sendable {
  /// An order, and the transactions that carry its number.
  package struct Order: Sendable {
    package let record: OrderRecord
    package let transactions: [TransactionState]
  }

  package let history: StoreHistory
  package let entries: [GrantRecord]
  package let orders: [Order]
  /// The environments, beside the one asked for, in which the customer has purchases.
  package let otherEnvironments: [StoreEnvironment]

  package init(
    _ customer: CustomerID,
    _ scope: LedgerScope,
    _ reader: any LedgerReading,
    _ histories: FoldedHistories = FoldedHistories()
  ) throws(StorageError) {
    let shared = try reader.subjects(sharedWith: customer, app: scope.app)
    let own = try reader.subjects(ownedBy: customer, app: scope.app)
    let owned = own + shared.filter { !own.contains($0) }
    var items: [StoredItem] = []
    var entries: [GrantRecord] = []
    for subject in owned where subject.scope == scope {
      items += try reader.items(of: subject)
      entries += try reader.entries(of: subject)
    }
    let history = try histories.history(of: customer, scope, items)
    orders = try reader.orders(of: customer, app: scope.app).map {
      record throws(StorageError) in
      let token = record.number.accountToken
      // A purchase through the first StoreKit carries no token: it was tied to its order.
      let tied = Set(
        try reader.links(to: record.number, app: scope.app).filter { $0.scope == scope }
          .map(\.transactionID)
      )
      return Order(
        record: record,
        transactions: history.transactions.filter {
          $0.payload.appAccountToken == token || tied.contains($0.id)
        }
      )
    }
    self.history = history
    self.entries = entries
    otherEnvironments = Set(owned.map(\.scope.environment)).subtracting([scope.environment])
      .sorted { $0.rawValue < $1.rawValue }
  }
}
