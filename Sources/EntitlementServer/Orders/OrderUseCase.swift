import AppStoreServerAPI
import Foundation
import HTTPValues
package import IAPEntitlements
package import IAPModel
package import ServerStorage

/// Orders: intents to buy, and the purchases that came of them.
struct OrderUseCase: Sendable {
  let parts: ServerParts

  private static let answers = [Route.Answer(200, OrderAnswer.shape)]

  var routes: [Route] {
    [
      Route(
        .post,
        "/v1/orders",
        "Opens an order; its number travels as the account token of the purchase.",
        access: .app,
        body: .object(
          .object([
            .optional("orderNumber", .uuid),
            .required("productId", .text(max: parts.configuration.limits.productIDBytesMax)),
            .optional("quantity", .integer(1...OrderAnswer.quantityMax)),
            .optional("account", .text(max: parts.configuration.limits.accountBytesMax)),
            .optional("context", .anything),
          ])
        ),
        parameters: [.app],
        answers: Self.answers,
        repetition: .natural,
        run: { call async throws(ServerError) in try await open(call) }
      ),
      Route(
        .get,
        "/v1/orders/lookup",
        "Finds the purchases and orders behind the number on a customer's receipt.",
        access: .backend,
        parameters: [
          .app,
          Route.Parameter(
            name: "appStoreOrderId",
            place: .query,
            shape: .text(max: 64),
            note: "The order's number as the App Store wrote it to the customer."
          ),
        ],
        answers: [
          Route.Answer(
            200,
            .object([
              .required("transactions", .list(OrderAnswer.transaction, max: 1000)),
              .required("orders", .list(OrderAnswer.shape, max: 1000)),
            ])
          )
        ],
        errors: [404, 501],
        run: { call async throws(ServerError) in try await lookUp(call) }
      ),
      Route(
        .get,
        "/v1/orders/{number}",
        "Shows an order and the purchases that came of it.",
        access: .backend,
        parameters: [.app],
        answers: Self.answers,
        errors: [404],
        run: { call async throws(ServerError) in try await show(call) }
      ),
    ]
  }

  private func open(_ call: Call) async throws(ServerError) -> Reply {
    let app = try call.app()
    let body = call.body
    guard let product = body["productId"]?.stringValue else {
      preconditionFailure("the gate has checked the shape")
    }
    let named = try RequestMembers(object: body).customer("account", parts.configuration.limits)
    var customer = named ?? call.customer?.customer
    if let name = customer {
      customer = try await parts.read { reader throws(StorageError) in
        try reader.canonical(name, app: app.bundleID).customer
      }
    }
    if app.accounts == .proven, let named = customer, !call.isTrusted(for: named) {
      guard call.customer == nil else { throw ServerError.tokenRefused }
      // The order is opened for nobody: its purchase is credited when somebody proves to be who.
      customer = nil
    }
    let given = body["orderNumber"]?.stringValue.flatMap { OrderNumber($0) }
    // A request that names itself has one number, however often it is sent.
    let number =
      given
      ?? OrderNumber(
        OfferUseCase.uuid(call.naming.map { Array($0.prefix(16)) } ?? parts.world.random(16))
      )
    var write = LedgerWrite(date: call.now)
    write.orders = [
      OrderRecord(
        number: number,
        app: app.bundleID,
        customer: customer,
        productID: ProductID(product),
        quantity: body["quantity"]?.integerValue.map { Int($0) } ?? 1,
        context: body["context"]?.objectValue ?? [:],
        createdDate: call.now
      )
    ]
    let wanted = write.orders[0]
    _ = try await parts.commit(write)
    let found = try await found(number, app.bundleID)
    guard let found, found.record.productID == wanted.productID,
      found.record.quantity == wanted.quantity, found.record.customer == wanted.customer,
      found.record.context == wanted.context
    else {
      throw ServerError(
        409,
        .conflict,
        .nameTaken,
        "There is another order of this number.",
        parameter: "orderNumber"
      )
    }
    return .ok(OrderAnswer.object(found))
  }

  private func show(_ call: Call) async throws(ServerError) -> Reply {
    let app = try call.app().bundleID
    guard let number = OrderNumber(call.parameter("number")) else {
      throw RequestMembers.invalid("number", "a UUID")
    }
    guard let found = try await found(number, app) else {
      throw ServerError(
        404,
        .notFound,
        .nothingThere,
        "There is no such order.",
        parameter: "number"
      )
    }
    return .ok(OrderAnswer.object(found))
  }

  private func found(
    _ number: OrderNumber,
    _ app: BundleID
  ) async throws(ServerError) -> OrderFindings? {
    try await parts.read { reader throws(StorageError) -> OrderFindings? in
      guard let record = try reader.order(number, app: app) else { return nil }
      return try OrderFindings(record, reader)
    }
  }

  private func lookUp(_ call: Call) async throws(ServerError) -> Reply {
    let app = try call.app().bundleID
    guard let text = call.request.queryValue("appStoreOrderId"), !text.isEmpty else {
      throw RequestMembers.missing("appStoreOrderId", "appStoreOrderId is missing.")
    }
    guard text.utf8.count <= 64, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      throw RequestMembers.invalid("appStoreOrderId", "1 to 64 letters and digits")
    }
    guard let lookup = parts.lookup else { throw Self.lookupUnsupported }
    let texts: [[UInt8]]
    switch await lookup.transactions(of: AppStoreOrderID(text), app: app) {
    case .found(let found): texts = found
    case .unknown:
      throw ServerError(
        404,
        .notFound,
        .nothingThere,
        "The App Store knows no such order of this app.",
        parameter: "appStoreOrderId"
      )
    case .unsupported: throw Self.lookupUnsupported
    case .unavailable(let seconds):
      throw ServerError(
        503,
        .unavailable,
        .verificationUnavailable,
        "It was not possible to ask the App Store; try again.",
        retryAfterSeconds: seconds
      )
    }
    return .ok(try await answer(texts, app, call))
  }

  private static let lookupUnsupported = ServerError(
    501,
    .unsupported,
    .transactionLookupUnsupported,
    "This server cannot ask the App Store: its configuration names no key for that, or the app "
      + "is not in production.",
    parameter: "appStoreOrderId"
  )

  /// Records what the App Store said, and finds the orders behind it.
  private func answer(
    _ texts: [[UInt8]],
    _ app: BundleID,
    _ call: Call
  ) async throws(ServerError) -> JSONObject {
    let evidence = EvidenceReader(
      configuration: parts.configuration,
      verifiers: parts.verifiers,
      ledger: parts.ledger
    )
    var proofs: [PurchaseProof] = []
    for text in texts {
      guard case .proven(let proof) = try await evidence.signedTransaction(text, at: call.now),
        proof.scope.app == app
      else { continue }
      proofs.append(proof)
    }
    let proven = proofs
    _ = try await parts.commit(LedgerWrite(date: call.now, facts: proven.compactMap(\.record)))
    let orders = try await parts.read { reader throws(StorageError) in
      var numbers: [OrderNumber] = []
      for proof in proven {
        let tied = try reader.orderNumber(of: proof.transaction.transactionID, in: proof.scope)
        let carried = proof.transaction.appAccountToken.map { OrderNumber($0.rawValue) }
        for number in [carried, tied].compactMap({ $0 }) where !numbers.contains(number) {
          numbers.append(number)
        }
      }
      var found: [OrderFindings] = []
      for number in numbers {
        guard let record = try reader.order(number, app: app) else { continue }
        found.append(try OrderFindings(record, reader))
      }
      return found
    }
    return [
      "transactions": .array(
        proven.map { OrderAnswer.transaction($0.transaction, $0.scope.environment) }
      ),
      "orders": .array(orders.map { .object(OrderAnswer.object($0)) }),
    ]
  }
}

/// An order, and every transaction that came of it in any environment, read at one instant.
package struct OrderFindings: Sendable {
  package struct Paid: Sendable {
    package let environment: StoreEnvironment
    package let state: TransactionState
  }

  package let record: OrderRecord
  package let paid: [Paid]

  package init(_ record: OrderRecord, _ reader: any LedgerReading) throws(StorageError) {
    let token = record.number.accountToken
    let tied = try reader.links(to: record.number, app: record.app)
    var subjects = try reader.subjects(carrying: token, app: record.app)
    for link in tied {
      guard let subject = try reader.subject(of: link.transactionID, in: link.scope),
        !subjects.contains(subject)
      else { continue }
      subjects.append(subject)
    }
    var paid: [Paid] = []
    for subject in subjects {
      let environment = subject.scope.environment
      let history = StoreHistory(try reader.facts(of: subject), environment: .only(environment))
      for state in history.transactions {
        let isTied = tied.contains { $0.scope == subject.scope && $0.transactionID == state.id }
        guard isTied || state.payload.appAccountToken == token else { continue }
        paid.append(Paid(environment: environment, state: state))
      }
    }
    self.record = record
    self.paid = paid.sorted { $0.state.id < $1.state.id }
  }
}

/// Writes orders down.
enum OrderAnswer {
  /// The most pieces of one order.
  static let quantityMax: Int64 = 1000

  static let transaction = Shape.object([
    .required("transactionId", .text(max: 64)),
    .required("originalTransactionId", .text(max: 64)),
    .required("productId", .text(max: 256)), .required("environment", .text(max: 64)),
    .required("purchaseDate", .date), .optional("revocationDate", .date),
  ])

  static let shape = Shape.object([
    .required("orderNumber", .uuid), .required("accountToken", .uuid),
    .required("productId", .text(max: 256)), .required("quantity", .count),
    .required("createdDate", .date), .required("state", .word(["open", "paid", "refunded"])),
    .optional("account", .text(max: 1024)), .optional("context", .anything),
    .required("transactions", .list(transaction, max: 10_000)),
  ])

  static func object(_ found: OrderFindings) -> JSONObject {
    var answer = AnswerMembers()
    answer.add("orderNumber", .string(found.record.number.description))
    answer.add("accountToken", .string(found.record.number.accountToken.description))
    answer.add("productId", .string(found.record.productID.rawValue))
    answer.add("quantity", .integer(Int64(found.record.quantity)))
    answer.add("createdDate", found.record.createdDate)
    answer.add("state", .string(state(found.paid.map(\.state))))
    answer.add("account", found.record.customer?.rawValue)
    if !found.record.context.isEmpty { answer.add("context", .object(found.record.context)) }
    answer.add(
      "transactions",
      .array(found.paid.map { transaction($0.state.payload, $0.environment) })
    )
    return answer.object
  }

  /// How an order stands: its purchases decide.
  static func state(_ transactions: [TransactionState]) -> String {
    if transactions.isEmpty { return "open" }
    return transactions.allSatisfy(\.isRevoked) ? "refunded" : "paid"
  }

  static func transaction(
    _ payload: TransactionPayload,
    _ environment: StoreEnvironment
  ) -> JSONValue {
    var answer = AnswerMembers()
    answer.add("transactionId", .string(payload.transactionID.rawValue))
    answer.add("originalTransactionId", .string(payload.originalTransactionID.rawValue))
    answer.add("productId", .string(payload.productID.rawValue))
    answer.add("environment", .string(environment.rawValue))
    answer.add("purchaseDate", payload.purchaseDate)
    answer.add("revocationDate", payload.revocationDate)
    return .object(answer.object)
  }
}
