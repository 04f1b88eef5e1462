import Foundation
import HTTPValues
import IAPEntitlements
import IAPModel
import ServerStorage

/// Shows what a customer has: derived from the facts at the present instant.
///
/// One environment at a time: what was bought in the sandbox never stands among real purchases.
struct CustomerUseCase: Sendable {
  let configuration: ServerConfiguration
  let ledger: any Ledger
  let clock: any ServerClock

  func answer(
    _ customer: CustomerID,
    _ request: HTTPRequest
  ) async throws(ServerError) -> JSONObject {
    guard customer.rawValue.utf8.count <= configuration.limits.accountBytesMax else {
      throw RequestMembers.invalid(
        "id",
        "at most \(configuration.limits.accountBytesMax) bytes long"
      )
    }
    let app = try app(request.queryValue("app"))
    let environment = try environment(request.queryValue("environment"), app)
    let scope = LedgerScope(app: app.bundleID, environment: environment)
    let now = await clock.now()
    let findings = try await stored { () async throws(StorageError) in
      try await ledger.read { reader throws(StorageError) in
        try CustomerFindings(customer, scope, reader)
      }
    }
    return CustomerAnswer.object(customer, scope, findings, at: now, catalog: app.catalog)
  }

  private func app(_ name: String?) throws(ServerError) -> ServerApp {
    guard let name else {
      guard configuration.apps.count == 1, let only = configuration.apps.first else {
        throw ServerError(
          400,
          .invalidRequest,
          .parameterMissing,
          "This server works for several apps: say which with ?app=BUNDLE.",
          parameter: "app"
        )
      }
      return only
    }
    guard let app = configuration.app(BundleID(name)) else {
      throw RequestMembers.invalid("app", "an app of this server")
    }
    return app
  }

  private func environment(
    _ name: String?,
    _ app: ServerApp
  ) throws(ServerError) -> StoreEnvironment {
    let allowed = app.orderedEnvironments
    guard let name else { return allowed[0] }
    guard let found = allowed.first(where: { $0.rawValue == name }) else {
      throw RequestMembers.invalid(
        "environment",
        "one of " + allowed.map(\.rawValue).joined(separator: ", ")
      )
    }
    return found
  }
}

/// What the ledger knows about a customer in one app and environment, read at one instant.
struct CustomerFindings: Sendable {
  /// An order, and the transactions that carry its number.
  struct Order: Sendable {
    let record: OrderRecord
    let transactions: [TransactionState]
  }

  let history: StoreHistory
  let entries: [GrantRecord]
  let orders: [Order]
  /// The environments, beside the one asked for, in which the customer has purchases.
  let otherEnvironments: [StoreEnvironment]

  init(
    _ customer: CustomerID,
    _ scope: LedgerScope,
    _ reader: any LedgerReading
  ) throws(StorageError) {
    let owned = try reader.subjects(ownedBy: customer, app: scope.app)
    var facts: [StoreFact] = []
    var entries: [GrantRecord] = []
    for subject in owned where subject.scope == scope {
      facts += try reader.facts(of: subject)
      entries += try reader.entries(of: subject)
    }
    let history = StoreHistory(facts, environment: .only(scope.environment))
    orders = try reader.orders(of: customer, app: scope.app).map { record in
      let token = record.number.accountToken
      return Order(
        record: record,
        transactions: history.transactions.filter { $0.payload.appAccountToken == token }
      )
    }
    self.history = history
    self.entries = entries
    otherEnvironments = Set(owned.map(\.scope.environment)).subtracting([scope.environment])
      .sorted { $0.rawValue < $1.rawValue }
  }
}
