import Foundation
import HTTPValues
import IAPEntitlements
import IAPModel
import ServerStorage

/// Balances of what is used up: credited by each grant, taken back with a refund, and debited.
///
/// A balance follows from the ledger's entries, each of which takes effect once, and from debits,
/// each of which has a name. It may fall below zero when goods are refunded that were spent.
struct BalanceUseCase: Sendable {
  let parts: ServerParts

  private static let attemptsMax = 16
  /// The most that one debit takes.
  static let amountMax: Int64 = 1_000_000_000_000
  private static let header = Route.Parameter.header(
    "Idempotency-Key",
    "Names the debit, for ever; needed."
  )

  private static let balances = [
    Route.Answer(
      200,
      .object([
        .required("customer", .text(max: 1024)), .required("environment", .text(max: 64)),
        .required("balances", .map(.integer(Int64.min...Int64.max), max: 10_000)),
      ])
    )
  ]
  private static let debited = [
    Route.Answer(
      200,
      .object([
        .required("balance", .text(max: 256)), .required("amount", .count),
        .required("remaining", .integer(Int64.min...Int64.max)),
      ])
    )
  ]
  private static let debit = Shape.object([
    .required("balance", .text(max: 256)), .required("amount", .integer(1...amountMax)),
  ])

  var routes: [Route] {
    [
      Route(
        .get,
        "/v1/customers/me/balances",
        "Shows the balances of the customer whose token is shown.",
        access: .customer,
        answers: Self.balances,
        run: { call async throws(ServerError) in try await show(own(call)) }
      ),
      Route(
        .get,
        "/v1/customers/{id}/balances",
        "Shows a customer's balances.",
        access: .backend,
        parameters: [.app, .environment],
        answers: Self.balances,
        run: { call async throws(ServerError) in try await show(other(call)) }
      ),
      Route(
        .post,
        "/v1/customers/me/debits",
        "Takes something out of the balance of the customer whose token is shown.",
        access: .customer,
        body: .object(Self.debit),
        answers: Self.debited,
        repetition: .natural,
        run: { call async throws(ServerError) in try await debit(own(call), call) }
      ),
      Route(
        .post,
        "/v1/customers/{id}/debits",
        "Takes something out of a customer's balance.",
        access: .backend,
        body: .object(Self.debit),
        parameters: [.app, .environment],
        answers: Self.debited,
        repetition: .natural,
        run: { call async throws(ServerError) in try await debit(other(call), call) }
      ),
    ]
  }

  private func own(_ call: Call) throws(ServerError) -> CustomerPass {
    guard let pass = call.customer else { throw ServerError.tokenRefused }
    return pass
  }

  private func other(_ call: Call) throws(ServerError) -> CustomerPass {
    CustomerPass(
      customer: try RequestMembers.customer(
        call.parameter("id"),
        "id",
        parts.configuration.limits
      ),
      scope: try call.scope()
    )
  }

  private func show(_ pass: CustomerPass) async throws(ServerError) -> Reply {
    let (customer, found) = try await parts.read { reader throws(StorageError) in
      let customer = try reader.canonical(pass.customer, app: pass.scope.app).customer
      return (customer, try Balances(customer, pass.scope, reader))
    }
    let members = found.remaining.sorted { $0.key < $1.key }
      .map { JSONMember($0.key, .integer($0.value)) }
    return .ok([
      "customer": .string(customer.rawValue),
      "environment": .string(pass.scope.environment.rawValue),
      "balances": .object(JSONObject(members)),
    ])
  }

  private func debit(_ pass: CustomerPass, _ call: Call) async throws(ServerError) -> Reply {
    guard let name = call.request.headers["Idempotency-Key"] else {
      throw RequestMembers.missing(
        "Idempotency-Key",
        "Idempotency-Key is missing: it names the debit, so that it is never made twice."
      )
    }
    guard let balance = call.body["balance"]?.stringValue,
      let amount = call.body["amount"]?.integerValue
    else { preconditionFailure("the gate has checked the shape") }
    for _ in 0..<Self.attemptsMax {
      let (customer, found, known) = try await parts.read { reader throws(StorageError) in
        let customer = try reader.canonical(pass.customer, app: pass.scope.app).customer
        return (
          customer, try Balances(customer, pass.scope, reader),
          try reader.document(DebitRecord.key(name, customer, pass.scope))
        )
      }
      if let known { return try Self.repeated(known, balance, amount) }
      let remaining = (found.remaining[balance] ?? 0) - amount
      guard remaining >= 0 else {
        throw ServerError(
          409,
          .conflict,
          .balanceTooLow,
          "The balance does not hold so much.",
          parameter: "amount"
        )
      }
      let answer: JSONObject = [
        "balance": .string(balance), "amount": .integer(amount), "remaining": .integer(remaining),
      ]
      var write = LedgerWrite(date: call.now)
      write.documents = [
        DocumentWrite(
          DebitRecord.key(name, customer, pass.scope),
          shelf: DebitShelf.name(customer, pass.scope.environment),
          body: answer,
          condition: .mustBeAbsent
        ),
        found.spending(amount, of: balance),
      ]
      if try await !parts.commit(write).isRefused { return .ok(answer) }
    }
    throw ServerError(
      503,
      .unavailable,
      .storageUnavailable,
      "Others debited the same customer at the same moment; try again.",
      retryAfterSeconds: 1
    )
  }

  private static func repeated(
    _ known: LedgerDocument,
    _ balance: String,
    _ amount: Int64
  ) throws(ServerError) -> Reply {
    guard known.body["balance"]?.stringValue == balance,
      known.body["amount"]?.integerValue == amount
    else {
      throw ServerError(
        409,
        .conflict,
        .idempotencyKeyReused,
        "There is another debit of this name.",
        parameter: "Idempotency-Key"
      )
    }
    return .ok(known.body)
  }
}

/// Under what debits are filed.
enum DebitRecord {
  static func key(
    _ name: String,
    _ customer: CustomerID,
    _ scope: LedgerScope
  ) -> DocumentKey {
    DocumentKey(
      .debit,
      app: scope.app,
      name: "\(DebitShelf.name(customer, scope.environment)):\(name)"
    )
  }
}

/// A customer's balances, read at one instant.
struct Balances: Sendable {
  /// What is left of each.
  let remaining: [String: Int64]
  private let spent: [String: Int64]
  private let spentKey: DocumentKey
  private let version: Int64?

  init(
    _ customer: CustomerID,
    _ scope: LedgerScope,
    _ reader: any LedgerReading
  ) throws(StorageError) {
    var sums: [String: Int64] = [:]
    for record in try reader.credits(ownedBy: customer, in: scope) {
      let sign: Int64 = record.entry.kind == .clawback ? -1 : 1
      for member in record.credit.members {
        let amount = member.value.integerValue ?? 0
        sums[member.name, default: 0] += sign * amount * Int64(record.quantity)
      }
    }
    spentKey = DocumentKey(
      .spent,
      app: scope.app,
      name: DebitShelf.name(customer, scope.environment)
    )
    let document = try reader.document(spentKey)
    var spent: [String: Int64] = [:]
    for member in document?.body.members ?? [] { spent[member.name] = member.value.integerValue }
    for (name, amount) in spent { sums[name, default: 0] -= amount }
    self.spent = spent
    version = document?.version
    remaining = sums
  }

  /// The wish to have more spent, unless somebody else spent in between.
  func spending(_ amount: Int64, of balance: String) -> DocumentWrite {
    var sums = spent
    sums[balance, default: 0] += amount
    let members = sums.sorted { $0.key < $1.key }.map { JSONMember($0.key, .integer($0.value)) }
    return DocumentWrite(
      spentKey,
      body: JSONObject(members),
      condition: version.map { .mustHaveVersion($0) } ?? .mustBeAbsent
    )
  }
}
