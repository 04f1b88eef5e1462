import EntitlementServer
import Foundation
import HTTPValues
import IAPEntitlements
import IAPModel
import ServerStorage

/// One customer: what it may use and why, what it bought, and everything that happened.
enum CustomerPage {
  /// How many events of a customer are read.
  static let eventsMax = 200
  /// How many purchases are listed in full; what a customer has beyond that is counted.
  static let purchasesMax = 200
  /// How many open cases are looked through.
  static let casesMax = 500

  private struct Picture: Sendable {
    let customer: CustomerID
    let findings: CustomerFindings
    let catalog: EntitlementCatalog
    let tokens: [AppAccountToken]
    let events: [EventRecord]
    let claims: [(UnitID, ClaimRecord)]
    let reviews: [ReviewRecord]
    let grounds: [OwnerRecord]
  }

  @Sendable static func show(_ visit: Visit) async throws(DashboardError) -> Outcome {
    guard let id = visit.query("id") else {
      throw DashboardError(.notFound, "no customer is named")
    }
    let scope = visit.scope
    let server = visit.site.server
    let picture = try await visit.read { reader throws(StorageError) -> Picture in
      let customer = try reader.canonical(CustomerID(id), app: scope.app).customer
      let findings = try CustomerFindings(customer, scope, reader)
      var claims: [(UnitID, ClaimRecord)] = []
      for unit in findings.history.units.suffix(purchasesMax) {
        for name in unit.names {
          if let claim = try reader.claim(to: name, in: scope) { claims.append((name, claim)) }
        }
      }
      var events: [EventRecord] = []
      for document in try reader.documents(
        .event,
        app: scope.app,
        shelf: EventLane.customer(customer).rawValue,
        before: .max,
        limit: eventsMax
      ) {
        events.append(try EventRecord(document))
      }
      var grounds: [OwnerRecord] = []
      let owned = try reader.subjects(ownedBy: customer, app: scope.app)
      for subject in owned.prefix(purchasesMax) where subject.scope == scope {
        if let owner = try reader.owner(of: subject) { grounds.append(owner) }
      }
      return Picture(
        customer: customer,
        findings: findings,
        catalog: try server.catalog(of: scope.app, reader),
        tokens: try reader.tokens(of: customer, app: scope.app),
        events: events.filter { $0.environment == nil || $0.environment == scope.environment },
        claims: claims,
        reviews: try cases(customer, findings, scope.app, reader),
        grounds: grounds
      )
    }
    return .page(page(picture, id, visit))
  }

  /// The open cases that name a customer or one of its transactions.
  private static func cases(
    _ customer: CustomerID,
    _ findings: CustomerFindings,
    _ app: BundleID,
    _ reader: any LedgerReading
  ) throws(StorageError) -> [ReviewRecord] {
    let transactions = Set(findings.history.transactions.map(\.id.rawValue))
    var found: [ReviewRecord] = []
    for document in try reader.documents(
      .review,
      app: app,
      shelf: ReviewRecord.State.open.rawValue,
      before: .max,
      limit: casesMax
    ) {
      let review = try ReviewRecord(document)
      let details = review.details
      let isNamed =
        details["account"]?.stringValue == customer.rawValue
        || details["owner"]?.stringValue == customer.rawValue
      let isOwn = details["transactionId"]?.stringValue.map { transactions.contains($0) } ?? false
      if isNamed || isOwn { found.append(review) }
    }
    return found
  }

  private static func page(_ picture: Picture, _ asked: String, _ visit: Visit) -> Page {
    let viewer = visit.viewer
    return Page(
      Words(
        "Customer \(picture.customer.rawValue)",
        zh: "客户 \(picture.customer.rawValue)"
      ),
      .customers,
      refreshSeconds: 15,
      [
        CustomersPage.searchForm("", visit), alias(picture, asked, visit),
        AccessAnswer(
          visit: visit,
          findings: picture.findings,
          catalog: picture.catalog,
          reviews: picture.reviews
        ).card,
        subscriptions(picture, visit), purchases(picture, visit), orders(picture, visit),
        about(picture, visit),
        .card(
          viewer(Words("Timeline", zh: "时间线")),
          id: "timeline",
          note: .span("muted small", [visit.say("newest first", zh: "最新在前")]),
          [timeline(picture, visit).markup]
        ),
      ]
    )
  }

  private static func timeline(_ picture: Picture, _ visit: Visit) -> Timeline {
    var timeline = Timeline(visit)
    timeline.add(picture.findings.history.facts)
    timeline.add(picture.findings.entries)
    timeline.add(picture.events)
    for (unit, claim) in picture.claims { timeline.add(claim, of: unit) }
    for review in picture.reviews { timeline.add(review) }
    for order in picture.findings.orders {
      timeline.add(
        Timeline.Entry(
          date: order.record.createdDate,
          mark: .info,
          title: Words("Ordered", zh: "下单"),
          detail: [
            .link(
              visit.link(
                "/dashboard/order",
                [("number", order.record.number.description)]
              ),
              [.foreign(order.record.productID.rawValue)]
            )
          ]
        )
      )
    }
    return timeline
  }

  private static func alias(_ picture: Picture, _ asked: String, _ visit: Visit) -> Markup {
    asked == picture.customer.rawValue
      ? .nothing
      : .p(
        [
          Mark.info.markup,
          visit.say("This is a second name of ", zh: "这是另一名称，本名为 "),
          .foreign(picture.customer.rawValue),
        ],
        "notice info"
      )
  }

  private static func subscriptions(_ picture: Picture, _ visit: Visit) -> Markup {
    let viewer = visit.viewer
    let states = picture.findings.history.subscriptions(at: visit.now)
    guard !states.isEmpty else { return .nothing }
    let table = DataTable(
      caption: viewer(Words("How each subscription stands", zh: "各订阅的状态")),
      columns: [
        .init(title: viewer(Words("Product", zh: "商品")), isName: true),
        .init(title: viewer(Words("State", zh: "状态"))),
        .init(title: viewer(Words("Access until", zh: "权益至"))),
        .init(title: viewer(Words("Renews", zh: "续订"))),
      ],
      rows: states.map { state in
        [
          .link(
            visit.link(
              "/dashboard/purchase",
              [("original", state.originalTransactionID.rawValue)]
            ),
            [.foreign(state.productID.rawValue)]
          ), .many([.badge(state.phase.mark, visit.say(state.phase.words)), " "]),
          state.accessUntil.map { .time($0, viewer) } ?? "–", renewal(state, visit),
        ]
      }
    )
    return .card(
      viewer(Words("Subscriptions", zh: "订阅")),
      id: "subscriptions",
      [table.markup]
    )
  }

  static func renewal(_ state: SubscriptionState, _ visit: Visit) -> Markup {
    if let next = state.pendingProductID {
      return .many([visit.say("as ", zh: "改为 "), .foreign(next.rawValue)])
    }
    switch state.willAutoRenew {
    case true?: return visit.say("yes", zh: "是")
    case false?: return visit.say("no", zh: "否")
    case nil: return visit.say("unknown", zh: "未知")
    }
  }

  private static func purchases(_ picture: Picture, _ visit: Visit) -> Markup {
    let viewer = visit.viewer
    let units = picture.findings.history.units
    guard !units.isEmpty else { return .nothing }
    let handed = Dictionary(picture.claims, uniquingKeysWith: { first, _ in first })
    let shown = units.suffix(purchasesMax).reversed()
    let table = DataTable(
      caption: viewer(
        units.count > purchasesMax
          ? Words(
            "The newest \(purchasesMax) of \(units.count) things that were paid for",
            zh: "共 \(units.count) 项付款，显示最近 \(purchasesMax) 项"
          )
          : Words("What was paid for, the newest first", zh: "已付款项目，最新在前")
      ),
      columns: [
        .init(title: viewer(Words("Product", zh: "商品")), isName: true),
        .init(title: viewer(Words("Bought", zh: "购买时间"))),
        .init(title: viewer(Words("Price", zh: "价格")), isNumber: true),
        .init(title: viewer(Words("Goods", zh: "商品状态"))),
      ],
      rows: shown.map { unit in
        let payload = picture.findings.history.transaction(unit.transactionIDs[0])?.payload
        let isHanded = unit.names.contains { handed[$0]?.acknowledgedDate != nil }
        return [
          .many([
            .link(
              visit.link(
                "/dashboard/purchase",
                [("original", unit.originalTransactionID.rawValue)]
              ),
              [.foreign(unit.productID.rawValue)]
            ),
            .span("muted small", [" ", visit.say(unit.type.words)]),
          ]), .time(unit.purchaseDate, viewer),
          payload?.price.map { .text(viewer.money($0)) } ?? visit.say("unknown", zh: "未知"),
          !unit.isActive
            ? .badge(.bad, visit.say("taken back", zh: "已收回"))
            : isHanded
              ? .badge(.good, visit.say("handed over", zh: "已交付"))
              : .badge(.info, visit.say("granted", zh: "已发放")),
        ]
      }
    )
    return .card(viewer(Words("Purchases", zh: "购买")), id: "purchases", [table.markup])
  }

  private static func orders(_ picture: Picture, _ visit: Visit) -> Markup {
    guard !picture.findings.orders.isEmpty else { return .nothing }
    let rows = picture.findings.orders.suffix(purchasesMax).reversed().map { order in
      OrdersPage.row(
        order.record,
        OrdersPage.State(order.transactions.map { $0.isRevoked }),
        visit
      )
    }
    return .card(
      visit.viewer(Words("Orders", zh: "订单")),
      id: "orders",
      [
        OrdersPage.table(
          rows,
          visit.viewer(Words("Intents to buy, the newest first", zh: "购买意向，最新在前")),
          visit
        )
      ]
    )
  }

  private static func about(_ picture: Picture, _ visit: Visit) -> Markup {
    let viewer = visit.viewer
    let tokens = picture.tokens.map { Markup.div("", [.code($0.description)]) }
    let grounds = Set(picture.grounds.map(\.ground))
    let words: [Markup] = grounds.sorted { $0.rawValue < $1.rawValue }.map {
      .div("", [visit.say($0.words)])
    }
    return .card(
      viewer(Words("How the customer is known", zh: "客户的标识")),
      id: "known",
      [
        .facts([
          (viewer(Words("Account", zh: "账户")), .foreign(picture.customer.rawValue)),
          (viewer(Words("Account tokens", zh: "账户令牌")), .many(tokens)),
          (viewer(Words("Why purchases are credited here", zh: "购买归属依据")), .many(words)),
          (
            viewer(Words("Purchases in this environment", zh: "此环境中的付款项目")),
            .text(viewer.number(Int64(picture.findings.history.units.count)))
          ),
        ])
      ]
    )
  }
}

extension OwnerRecord.Ground {
  var words: Words {
    switch self {
    case .accountToken: Words("the purchase carries its token", zh: "购买带有其令牌")
    case .firstPresented: Words("it was presented here first", zh: "首先由此账户出示")
    case .transferred: Words("it came from another customer", zh: "由其他客户转入")
    case .decided: Words("a person decided so", zh: "人工裁决")
    }
  }
}
