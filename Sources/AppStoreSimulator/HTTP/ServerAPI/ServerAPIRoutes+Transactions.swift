import Foundation
import HTTPValues
import IAPModel

// Looking things up.
//
// - **Source:** the server-interface facts, sections 5.2 to 5.6 and 5.13.
extension ServerAPIRoutes {
  var transactionRoutes: [Route] {
    [
      route(.get, "/inApps/v2/history/:id", .fifty) { call throws(SimulatorError) in
        try history(call, version: 2)
      },
      route(.get, "/inApps/v1/history/:id", .fifty) { call throws(SimulatorError) in
        try history(call, version: 1)
      },
      route(.get, "/inApps/v1/transactions/:id", .fifty) { call throws(SimulatorError) in
        let record = try call.transaction(call.parameters["id"])
        let signed = try store.signedTransaction(record.transactionID)
        return .json(["signedTransactionInfo": .string(signed)])
      },
      route(.get, "/inApps/v1/transactions/appTransactions/:id", .fifty) {
        call throws(SimulatorError) in
        try appTransaction(call)
      },
      route(.get, "/inApps/v1/lookup/:order", .ten) { call throws(SimulatorError) in
        try order(call)
      },
      route(.get, "/inApps/v2/refund/lookup/:id", .ten) { call throws(SimulatorError) in
        try refunds(call)
      },
      route(.get, "/inApps/v1/refund/lookup/:id", .ten) { call throws(SimulatorError) in
        try refundsVersion1(call)
      },
    ]
  }

  /// The most transactions in the answer of version 1 of the refund history.
  static let refundCountMaxVersion1 = 50
  /// How long the number of an order may be, in characters.
  static let orderIDLengthMax = 64

  private func history(_ call: ServerAPICall, version: Int) throws(SimulatorError) -> HTTPResponse {
    let holder = try call.holder(of: call.parameters["id"])
    let query = try HistoryQuery(call.request)
    var records = store.transactions(of: holder.account, app: holder.bundleID)
    if version == 1 {
      records = records.filter { record in
        record.type != .consumable || !record.isFinished || record.revocationDate != nil
      }
    }
    let page = query.page(of: records)
    var members = WireMembers()
    members.text("revision", page.revision)
    members.bool("hasMore", page.hasMore)
    members.append(try store.origin(of: call.app))
    members.value("signedTransactions", try call.signed(page.records))
    return .json(.object(members.object))
  }

  private func appTransaction(_ call: ServerAPICall) throws(SimulatorError) -> HTTPResponse {
    let holder = try call.holder(of: call.parameters["id"])
    let device = store.devices.first {
      $0.account == holder.account && $0.bundleID == holder.bundleID
    }
    guard let device else { throw .refusal(.appTransactionMissing) }
    let signed = try store.serverAppTransaction(on: device.id)
    return .json(["signedAppTransactionInfo": .string(signed)])
  }

  private func order(_ call: ServerAPICall) throws(SimulatorError) -> HTTPResponse {
    let id = StoreOrderID(call.parameters["order"])
    let isReadable = id.rawValue.utf8.allSatisfy { byte in
      (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
        || byte == 0x2D || byte == 0x5F
    }
    guard isReadable, (1...Self.orderIDLengthMax).contains(id.rawValue.utf8.count) else {
      throw .refusal(.generalBadRequest)
    }
    // Customers of the sandbox get no invoices.
    let isKept =
      store.configuration.environment == .production
      || store.configuration.options.sandboxLooksUpOrders
    let found: [StoreTransactionRecord] =
      call.isHere && isKept
      ? store.read { core in
        core.state.transactions.filter { $0.bundleID == call.app && core.orderID(of: $0) == id }
      } : []
    guard !found.isEmpty else { return .json(["status": 1]) }
    return .json(["status": 0, "signedTransactions": try call.signed(found)])
  }

  private func refunded(_ holder: StoreState.Holder) -> [StoreTransactionRecord] {
    store.transactions(of: holder.account, app: holder.bundleID)
      .filter { $0.revocationDate != nil }
      .sorted { RefundPosition($0) < RefundPosition($1) }
  }

  private func refunds(_ call: ServerAPICall) throws(SimulatorError) -> HTTPResponse {
    let holder = try call.holder(of: call.parameters["id"])
    var rest = refunded(holder)
    var position: RefundPosition?
    if let revision = call.request.queryValue("revision") {
      guard let found = RefundPosition(revision: revision) else {
        throw .refusal(.invalidRevision)
      }
      position = found
      rest = rest.filter { RefundPosition($0) > found }
    }
    let page = Array(rest.prefix(HistoryQuery.pageCountMax))
    let last = page.last.map { RefundPosition($0) } ?? position
    var members = WireMembers()
    members.value("signedTransactions", try call.signed(page))
    members.text("revision", (last ?? RefundPosition.start).revision)
    members.bool("hasMore", rest.count > page.count)
    return .json(.object(members.object))
  }

  private func refundsVersion1(_ call: ServerAPICall) throws(SimulatorError) -> HTTPResponse {
    let id = call.parameters["id"]
    _ = try call.checked(id, else: .invalidOriginalTransactionID)
    let record = try call.transaction(id, missing: .originalTransactionIDNotFound)
    let holder = StoreState.Holder(account: record.account, bundleID: record.bundleID)
    let newest = refunded(holder).suffix(Self.refundCountMaxVersion1)
    return .json(["signedTransactions": try call.signed(Array(newest))])
  }
}

/// Where a page of refunds ended.
private struct RefundPosition: Hashable, Comparable {
  let revoked: Int64
  let id: TransactionID

  static let start = RefundPosition(revoked: 0, id: "0")

  private init(revoked: Int64, id: TransactionID) {
    self.revoked = revoked
    self.id = id
  }

  init(_ record: StoreTransactionRecord) {
    revoked = record.revocationDate?.milliseconds ?? 0
    id = record.transactionID
  }

  init?(revision: String) {
    guard let (number, id) = PageToken.read(revision, kind: "refund") else { return nil }
    self.init(revoked: number, id: TransactionID(id))
  }

  var revision: String { PageToken.write(revoked, id.rawValue, kind: "refund") }

  static func < (left: Self, right: Self) -> Bool {
    (left.revoked, left.id) < (right.revoked, right.id)
  }
}
