import EntitlementServer
import Foundation
import HTTPValues
import IAPEntitlements
import IAPModel
import ServerStorage

/// Orders, and one of them with what came of it.
enum OrdersPage {
  /// How many orders a page has.
  static let rowsMax = 50

  /// How an order stands.
  enum State: String, Sendable {
    case open, paid, refunded

    /// - Parameter revoked: For each transaction, whether it was taken back.
    init(_ revoked: [Bool]) {
      self = revoked.isEmpty ? .open : revoked.allSatisfy { $0 } ? .refunded : .paid
    }

    var words: Words {
      switch self {
      case .open: Words("No payment known", zh: "无付款记录")
      case .paid: Words("Paid", zh: "已付款")
      case .refunded: Words("Refunded", zh: "已退款")
      }
    }

    var mark: Mark {
      switch self {
      case .open: .off
      case .paid: .good
      case .refunded: .bad
      }
    }
  }

  @Sendable static func show(_ visit: Visit) async throws(DashboardError) -> Outcome {
    let after = visit.query("after").flatMap { OrderNumber($0) }
    let app = visit.scope.app
    let found = try await visit.read { reader throws(StorageError) in
      var found: [OrderFindings] = []
      for record in try reader.orders(app: app, after: after, limit: rowsMax) {
        found.append(try OrderFindings(record, reader))
      }
      return found
    }
    let viewer = visit.viewer
    guard !found.isEmpty else {
      let empty = Markup.empty(
        viewer(Words("No orders", zh: "暂无订单")),
        viewer(
          Words(
            "The app writes an order before its payment sheet opens.",
            zh: "App 会在付款页面打开之前写入订单。"
          )
        )
      )
      return .page(
        Page(Section.orders.title, .orders, [.div("card", [empty])])
      )
    }
    let rows = found.map { row($0.record, State($0.paid.map(\.state.isRevoked)), visit) }
    let pager: Markup =
      found.count == rowsMax
      ? .older(
        visit.link("/dashboard/orders", [("after", found[rowsMax - 1].record.number.description)]),
        visit
      ) : .nothing
    return .page(
      Page(
        Section.orders.title,
        .orders,
        [
          CustomersPage.searchForm("", visit),
          .div(
            "card",
            [
              table(
                rows,
                viewer(
                  Words(
                    "Orders of the app by their number, in both environments",
                    zh: "此 App 的订单（按订单号，含各环境）"
                  )
                ),
                visit
              ), pager,
            ]
          ),
        ]
      )
    )
  }

  static func row(_ order: OrderRecord, _ state: State, _ visit: Visit) -> [Markup] {
    [
      .link(
        visit.link("/dashboard/order", [("number", order.number.description)]),
        [.code(order.number.description)]
      ), .foreign(order.productID.rawValue), .badge(state.mark, visit.say(state.words)),
      order.customer.map {
        .link(visit.link("/dashboard/customer", [("id", $0.rawValue)]), [.foreign($0.rawValue)])
      } ?? visit.say("nobody", zh: "无"), .time(order.createdDate, visit.viewer),
    ]
  }

  static func table(_ rows: [[Markup]], _ caption: String, _ visit: Visit) -> Markup {
    let viewer = visit.viewer
    return DataTable(
      caption: caption,
      columns: [
        .init(title: viewer(Words("Order", zh: "订单")), isName: true),
        .init(title: viewer(Words("Product", zh: "商品"))),
        .init(title: viewer(Words("State", zh: "状态"))),
        .init(title: viewer(Words("Customer", zh: "客户"))),
        .init(title: viewer(Words("Made", zh: "下单时间"))),
      ],
      rows: rows,
      canFilter: true,
      filterLabel: viewer(Words("Filter these rows", zh: "筛选本页"))
    ).markup
  }
}

/// One order: what was wanted, what was paid, and what was handed over.
enum OrderPage {
  private struct Picture: Sendable {
    let order: OrderFindings
    let facts: [StoreFact]
    let entries: [GrantRecord]
    let claims: [(UnitID, ClaimRecord)]
    let reviews: [ReviewRecord]
    let subjects: [LedgerSubject]
  }

  @Sendable static func show(_ visit: Visit) async throws(DashboardError) -> Outcome {
    guard let number = visit.query("number").flatMap({ OrderNumber($0) }) else {
      throw DashboardError(.notFound, "no order is named")
    }
    let app = visit.scope.app
    let picture = try await visit.read { reader throws(StorageError) -> Picture? in
      guard let record = try reader.order(number, app: app) else { return nil }
      return try gather(OrderFindings(record, reader), app, reader)
    }
    guard let picture else { throw DashboardError(.notFound, "there is no such order") }
    return .page(page(picture, visit))
  }

  private static func gather(
    _ order: OrderFindings,
    _ app: BundleID,
    _ reader: any LedgerReading
  ) throws(StorageError) -> Picture {
    let ids = Set(order.paid.map(\.state.id))
    var facts: [StoreFact] = []
    var entries: [GrantRecord] = []
    var claims: [(UnitID, ClaimRecord)] = []
    var subjects: [LedgerSubject] = []
    for paid in order.paid {
      let scope = LedgerScope(app: app, environment: paid.environment)
      let subject = LedgerSubject(
        scope: scope,
        original: paid.state.payload.originalTransactionID
      )
      guard !subjects.contains(subject) else { continue }
      subjects.append(subject)
      facts += try reader.facts(of: subject).filter { fact in
        switch fact {
        case .transaction(let payload), .receiptLine(let payload):
          ids.contains(payload.transactionID)
        case .renewal: true
        case .notification(let context): context.transactionID.map { ids.contains($0) } ?? true
        }
      }
      let units = Set(order.paid.compactMap(\.state.unit))
      entries += try reader.entries(of: subject).filter { units.contains($0.entry.unit) }
      for unit in units.sorted() {
        if let claim = try reader.claim(to: unit, in: scope) { claims.append((unit, claim)) }
      }
    }
    var reviews: [ReviewRecord] = []
    for document in try reader.documents(
      .review,
      app: app,
      shelf: ReviewRecord.State.open.rawValue,
      before: .max,
      limit: CustomerPage.casesMax
    ) {
      let review = try ReviewRecord(document)
      let named = review.details["orderNumber"]?.stringValue.flatMap { OrderNumber($0) }
      let transaction = review.details["transactionId"]?.stringValue.map { TransactionID($0) }
      if named == order.record.number || transaction.map({ ids.contains($0) }) == true {
        reviews.append(review)
      }
    }
    return Picture(
      order: order,
      facts: facts,
      entries: entries,
      claims: claims,
      reviews: reviews,
      subjects: subjects
    )
  }

  private static func page(_ picture: Picture, _ visit: Visit) -> Page {
    let viewer = visit.viewer
    let record = picture.order.record
    let state = OrdersPage.State(picture.order.paid.map(\.state.isRevoked))
    var timeline = Timeline(visit)
    timeline.add(
      Timeline.Entry(
        date: record.createdDate,
        mark: .info,
        title: Words("The app wrote the order", zh: "App 写入订单"),
        detail: [.code(record.productID.rawValue), .text(" × \(record.quantity)")]
      )
    )
    timeline.add(picture.facts)
    timeline.add(picture.entries)
    for (unit, claim) in picture.claims { timeline.add(claim, of: unit) }
    for review in picture.reviews { timeline.add(review) }
    let customer = record.customer.map {
      Markup.link(
        visit.link("/dashboard/customer", [("id", $0.rawValue)]),
        [.foreign($0.rawValue)]
      )
    }
    let context = record.context.members.map { member in
      Markup.div(
        "",
        [
          .span("muted", [.foreign(member.name), ": "]),
          .foreign(member.value.stringValue ?? member.value.serializedText),
        ]
      )
    }
    return Page(
      Words("Order \(record.number)", zh: "订单 \(record.number)"),
      .orders,
      refreshSeconds: 10,
      [
        .card(
          viewer(Words("How it stands", zh: "状态")),
          id: "state",
          note: .badge(state.mark, visit.say(state.words)),
          [
            .p([sentence(state, picture, visit)], "answer"),
            .facts([
              (viewer(Words("Product", zh: "商品")), .foreign(record.productID.rawValue)),
              (viewer(Words("Quantity", zh: "数量")), .text(viewer.number(Int64(record.quantity)))),
              (viewer(Words("Customer", zh: "客户")), customer ?? visit.say("nobody", zh: "无")),
              (viewer(Words("Made", zh: "下单时间")), .time(record.createdDate, viewer)),
              (viewer(Words("From the app", zh: "App 附加信息")), .many(context)),
              (viewer(Words("Purchases", zh: "购买")), .many(purchases(picture, visit))),
            ]),
          ]
        ),
        .card(viewer(Words("Timeline", zh: "时间线")), id: "timeline", [timeline.markup]),
      ]
    )
  }

  private static func purchases(_ picture: Picture, _ visit: Visit) -> [Markup] {
    picture.subjects.map { subject in
      let target = MarkupTarget(
        "/dashboard/purchase",
        Visit.query(subject.scope) + [("original", subject.original.rawValue)]
      )
      return .div(
        "",
        [
          .link(target, [.code(subject.original.rawValue)]), " · ",
          visit.say(subject.scope.environment.words),
        ]
      )
    }
  }

  /// What became of it, in a sentence.
  private static func sentence(
    _ state: OrdersPage.State,
    _ picture: Picture,
    _ visit: Visit
  ) -> Markup {
    if picture.reviews.contains(where: { $0.state == .open }) {
      return visit.say(
        "The app set the purchase aside, and a case waits for a decision.",
        zh: "App 已隔离此购买，案例待裁决。"
      )
    }
    switch state {
    case .open:
      return visit.say(
        "No transaction carries this number. The payment was cancelled, waits for a parent or a "
          + "bank, or its transaction has not come yet; the order number on the App Store's "
          + "receipt finds it.",
        zh: "没有交易带有此订单号：付款可能已取消、等待家长或银行确认，或交易尚未送达；"
          + "可用 App Store 收据上的订单号查找。"
      )
    case .refunded:
      return visit.say(
        "It was paid, and the App Store has taken it back.",
        zh: "已付款，随后被 App Store 收回。"
      )
    case .paid:
      let isHanded = picture.claims.contains { $0.1.acknowledgedDate != nil }
      return isHanded
        ? visit.say("It was paid and handed over on a device.", zh: "已付款，并已在设备上交付。")
        : visit.say(
          "It was paid and granted; no device has said yet that it was handed over.",
          zh: "已付款并已发放；尚无设备确认交付。"
        )
    }
  }
}
