import EntitlementServer
import Foundation
import HTTPValues
import IAPEntitlements
import IAPModel
import ServerStorage

/// Purchases and subscriptions of an environment.
enum PurchasesPage {
  /// How many purchases a page has.
  static let rowsMax = 50

  private struct Row: Sendable {
    let original: OriginalTransactionID
    let owner: OwnerRecord?
    let latest: TransactionRow?
    let state: SubscriptionState?
  }

  @Sendable static func show(_ visit: Visit) async throws(DashboardError) -> Outcome {
    let after = visit.query("after").map { OriginalTransactionID($0) }
    let (scope, now) = (visit.scope, visit.now)
    let rows = try await visit.read { reader throws(StorageError) in
      var rows: [Row] = []
      for subject in try reader.subjects(in: scope, after: after, limit: rowsMax) {
        let history = StoreHistory(
          try reader.facts(of: subject),
          environment: .only(scope.environment)
        )
        rows.append(
          Row(
            original: subject.original,
            owner: try reader.owner(of: subject),
            latest: try reader.transactions(of: subject).max {
              $0.purchaseDate < $1.purchaseDate
            },
            state: history.subscription(subject.original, at: now)
          )
        )
      }
      return rows
    }
    return .page(
      Page(
        Section.purchases.title,
        .purchases,
        [CustomersPage.searchForm("", visit), list(rows, visit)]
      )
    )
  }

  private static func list(_ rows: [Row], _ visit: Visit) -> Markup {
    let viewer = visit.viewer
    guard !rows.isEmpty else {
      return .div(
        "card",
        [
          .empty(
            viewer(Words("No purchases here", zh: "此处没有购买")),
            viewer(
              Words(
                "Nothing was bought in this environment, as far as the ledger knows.",
                zh: "账本中没有此环境的购买。"
              )
            )
          )
        ]
      )
    }
    let table = DataTable(
      caption: viewer(
        Words("Purchases and subscriptions, by their number", zh: "购买与订阅（按编号）")
      ),
      columns: [
        .init(title: viewer(Words("Purchase", zh: "购买")), isName: true),
        .init(title: viewer(Words("Product", zh: "商品"))),
        .init(title: viewer(Words("State", zh: "状态"))),
        .init(title: viewer(Words("Customer", zh: "客户"))),
        .init(title: viewer(Words("Last bought", zh: "最近购买"))),
      ],
      rows: rows.map { row in
        [
          .link(
            visit.link("/dashboard/purchase", [("original", row.original.rawValue)]),
            [.code(row.original.rawValue)]
          ), .foreign(row.latest?.productID.rawValue ?? "–"), state(row, visit),
          row.owner.map {
            .link(
              visit.link("/dashboard/customer", [("id", $0.customer.rawValue)]),
              [.foreign($0.customer.rawValue)]
            )
          } ?? visit.say("nobody", zh: "无"),
          row.latest.map { .time($0.purchaseDate, viewer) } ?? "–",
        ]
      },
      canFilter: true,
      filterLabel: viewer(Words("Filter these rows", zh: "筛选本页"))
    )
    let pager: Markup =
      rows.count == rowsMax
      ? .older(
        visit.link("/dashboard/purchases", [("after", rows[rowsMax - 1].original.rawValue)]),
        visit
      ) : .nothing
    return .div("card", [table.markup, pager])
  }

  private static func state(_ row: Row, _ visit: Visit) -> Markup {
    if let state = row.state { return .badge(state.phase.mark, visit.say(state.phase.words)) }
    guard let latest = row.latest else { return visit.say("unknown", zh: "未知") }
    return latest.isRevoked
      ? .badge(.bad, visit.say("taken back", zh: "已收回"))
      : .badge(.good, visit.say("granted", zh: "已发放"))
  }
}

/// One purchase or subscription, with everything that was said about it.
enum PurchasePage {
  private struct Picture: Sendable {
    let subject: LedgerSubject
    let history: StoreHistory
    let entries: [GrantRecord]
    let owner: OwnerRecord?
    let conflicts: [ConflictRecord]
    let claims: [(UnitID, ClaimRecord)]
    let orders: [OrderNumber]
    let isErased: Bool
    let catalog: EntitlementCatalog
  }

  @Sendable static func show(_ visit: Visit) async throws(DashboardError) -> Outcome {
    guard let original = visit.query("original").map({ OriginalTransactionID($0) }) else {
      throw DashboardError(.notFound, "no purchase is named")
    }
    let subject = LedgerSubject(scope: visit.scope, original: original)
    let server = visit.site.server
    let picture = try await visit.read { reader throws(StorageError) -> Picture? in
      let facts = try reader.facts(of: subject)
      guard !facts.isEmpty else { return nil }
      let scope = subject.scope
      let history = StoreHistory(facts, environment: .only(scope.environment))
      var claims: [(UnitID, ClaimRecord)] = []
      for unit in history.units.suffix(CustomerPage.purchasesMax) {
        for name in unit.names {
          if let claim = try reader.claim(to: name, in: scope) { claims.append((name, claim)) }
        }
      }
      var orders: [OrderNumber] = []
      for transaction in history.transactions {
        let carried = transaction.payload.appAccountToken.map { OrderNumber($0.rawValue) }
        let tied = try reader.orderNumber(of: transaction.id, in: scope)
        for number in [carried, tied].compactMap({ $0 }) where !orders.contains(number) {
          if try reader.order(number, app: scope.app) != nil { orders.append(number) }
        }
      }
      return Picture(
        subject: subject,
        history: history,
        entries: try reader.entries(of: subject),
        owner: try reader.owner(of: subject),
        conflicts: try reader.conflicts(of: subject),
        claims: claims,
        orders: orders,
        isErased: try reader.isErased(subject),
        catalog: try server.catalog(of: scope.app, reader)
      )
    }
    guard let picture else { throw DashboardError(.notFound, "there is no such purchase") }
    return .page(page(picture, visit))
  }

  private static func page(_ picture: Picture, _ visit: Visit) -> Page {
    let viewer = visit.viewer
    var timeline = Timeline(visit)
    timeline.add(picture.history.facts)
    timeline.add(picture.entries)
    for (unit, claim) in picture.claims { timeline.add(claim, of: unit) }
    if let owner = picture.owner {
      timeline.add(
        Timeline.Entry(
          date: owner.date,
          mark: .info,
          title: Words("Credited to a customer", zh: "归属客户"),
          detail: [.foreign(owner.customer.rawValue), " – ", visit.say(owner.ground.words)],
          rank: 2
        )
      )
    }
    for conflict in picture.conflicts {
      timeline.add(
        Timeline.Entry(
          date: conflict.date,
          mark: .warn,
          title: Words("Presented by somebody else", zh: "被他人出示"),
          detail: [.foreign(conflict.customer.rawValue)],
          rank: 2
        )
      )
    }
    return Page(
      Words("Purchase \(picture.subject.original)", zh: "购买 \(picture.subject.original)"),
      .purchases,
      refreshSeconds: 15,
      [
        standing(picture, visit), transactions(picture, visit),
        .card(
          viewer(Words("Timeline", zh: "时间线")),
          id: "timeline",
          note: .span("muted small", [visit.say("newest first", zh: "最新在前")]),
          [timeline.markup]
        ),
      ]
    )
  }

  private static func standing(_ picture: Picture, _ visit: Visit) -> Markup {
    let viewer = visit.viewer
    let state = picture.history.subscription(picture.subject.original, at: visit.now)
    let (badge, sentence) = verdict(state, picture, visit)
    let owner = picture.owner.map {
      Markup.link(
        visit.link("/dashboard/customer", [("id", $0.customer.rawValue)]),
        [.foreign($0.customer.rawValue)]
      )
    }
    let orders = picture.orders.map { number in
      Markup.div(
        "",
        [
          .link(
            visit.link("/dashboard/order", [("number", number.description)]),
            [.code(number.description)]
          )
        ]
      )
    }
    return .card(
      viewer(Words("How it stands", zh: "状态")),
      id: "state",
      note: badge,
      [
        .p(sentence, "answer"),
        .facts([
          (
            viewer(Words("Customer", zh: "客户")),
            owner
              ?? (picture.isErased
                ? visit.say("erased", zh: "已删除") : visit.say("nobody", zh: "无"))
          ),
          (viewer(Words("Orders", zh: "订单")), .many(orders)),
          (
            viewer(Words("Product", zh: "商品")),
            .foreign(
              state?.productID.rawValue ?? picture.history.units.last?.productID.rawValue ?? "–"
            )
          ),
          (
            viewer(Words("Renews", zh: "续订")),
            state.map { CustomerPage.renewal($0, visit) } ?? .nothing
          ),
          (viewer(Words("Environment", zh: "环境")), visit.say(visit.scope.environment.words)),
        ]),
      ]
    )
  }

  /// How it stands: a word, and a sentence.
  private static func verdict(
    _ state: SubscriptionState?,
    _ picture: Picture,
    _ visit: Visit
  ) -> (Markup, [Markup]) {
    let viewer = visit.viewer
    let report = picture.history.access(at: visit.now, catalog: picture.catalog)
    let badge: Markup
    let sentence: [Markup]
    if let state {
      badge = .badge(state.phase.mark, visit.say(state.phase.words))
      sentence = [
        visit.say(state.reason.words), visit.say(", since ", zh: "，自 "),
        .time(state.since, viewer),
        state.accessUntil.map {
          .many([visit.say("; access until ", zh: "；权益至 "), .time($0, viewer)])
        } ?? visit.say("; no access", zh: "；无权益"), ".",
      ]
    } else if let held = report.entitlements.first {
      badge = .badge(.good, visit.say("Access", zh: "有权益"))
      sentence = [visit.say(held.reason.heldWords), "."]
    } else {
      let isActive = picture.history.units.contains(where: \.isActive)
      badge =
        isActive
        ? .badge(.info, visit.say("Granted", zh: "已发放"))
        : .badge(.bad, visit.say("Taken back", zh: "已收回"))
      sentence =
        isActive
        ? [visit.say("The goods were granted.", zh: "商品已发放。")]
        : [
          visit.say(
            "Everything that was bought has been taken back.",
            zh: "所购内容已全部收回。"
          )
        ]
    }
    return (badge, sentence)
  }

  private static func transactions(_ picture: Picture, _ visit: Visit) -> Markup {
    let viewer = visit.viewer
    let shown = picture.history.transactions.suffix(CustomerPage.purchasesMax).reversed()
    let table = DataTable(
      caption: viewer(Words("Transactions, the newest first", zh: "交易，最新在前")),
      columns: [
        .init(title: viewer(Words("Transaction", zh: "交易")), isName: true),
        .init(title: viewer(Words("Product", zh: "商品"))),
        .init(title: viewer(Words("Bought", zh: "购买时间"))),
        .init(title: viewer(Words("Until", zh: "至"))),
        .init(title: viewer(Words("Price", zh: "价格")), isNumber: true),
        .init(title: viewer(Words("Goods", zh: "商品状态"))),
      ],
      rows: shown.map { state in
        [
          .code(state.id.rawValue), .foreign(state.payload.productID.rawValue),
          .time(state.payload.purchaseDate, viewer),
          state.payload.expiresDate.map { .time($0, viewer) } ?? "–",
          state.payload.price.map { .text(viewer.money($0)) } ?? visit.say("unknown", zh: "未知"),
          state.isRevoked
            ? .badge(.bad, visit.say("taken back", zh: "已收回"))
            : .badge(.good, visit.say("granted", zh: "已发放")),
        ]
      }
    )
    return .card(
      viewer(Words("Transactions", zh: "交易")),
      id: "transactions",
      [table.markup]
    )
  }
}
