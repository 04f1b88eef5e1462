import EntitlementServer
import Foundation
import HTTPValues
import IAPEntitlements
import IAPModel
import ServerStorage

/// Finds customers, orders and purchases by whatever support has been given.
enum CustomersPage {
  /// How many customers a page has.
  static let rowsMax = 50
  /// How many counters of other things are passed over for one page.
  static let scannedMax = 2000

  private struct Row: Sendable {
    let customer: CustomerID
    let first: Date
    let last: Date
    let events: Int64
  }

  @Sendable static func show(_ visit: Visit) async throws(DashboardError) -> Outcome {
    if let text = visit.query("q")?.trimmingCharacters(in: .whitespaces), !text.isEmpty {
      return try await search(text, visit)
    }
    let before = visit.place("before") ?? .max
    let app = visit.scope.app
    let (rows, next) = try await visit.read { reader throws(StorageError) in
      // Every customer of whom anything happened has a counter of events.
      var rows: [Row] = []
      var place = before
      var scanned = 0
      while rows.count < rowsMax, scanned < scannedMax {
        let page = try reader.documents(
          .eventCounter,
          app: app,
          shelf: nil,
          before: place,
          limit: 200
        )
        scanned += page.count
        guard !page.isEmpty else { return (rows, nil as Int64?) }
        for document in page where rows.count < rowsMax {
          place = document.sequence
          guard document.key.name.hasPrefix("c:") else { continue }
          rows.append(
            Row(
              customer: CustomerID(String(document.key.name.dropFirst(2))),
              first: document.createdDate,
              last: document.changedDate,
              events: document.body["count"]?.integerValue ?? 0
            )
          )
        }
      }
      return (rows, place)
    }
    let isEnd = rows.count < rowsMax && next == nil
    return .page(
      Page(
        Section.customers.title,
        .customers,
        [searchForm("", visit), list(rows, isEnd ? nil : next, visit)]
      )
    )
  }

  static func searchForm(_ text: String, _ visit: Visit) -> Markup {
    let viewer = visit.viewer
    return .element(
      "form",
      [
        .set("method", "get"), .action(MarkupTarget("/dashboard/customers")),
        .set("role", "search"), .class("row"),
      ],
      [
        .hidden("app", visit.scope.app.rawValue),
        .hidden("environment", visit.scope.environment.rawValue),
        .div(
          "field grow",
          [
            .element(
              "label",
              [.set("for", "q")],
              [
                visit.say(
                  "Account, order number, token, transaction or App Store order id",
                  zh: "账户、订单号、令牌、交易号或 App Store 订单号"
                )
              ]
            ),
            .element(
              "input",
              [
                .id("q"), .set("name", "q"), .set("type", "search"), .set("value", text),
                .set("maxlength", "512"), .set("spellcheck", "false"),
                .set("autocomplete", "off"),
              ]
            ),
          ]
        ),
        .button(viewer(Words("Search", zh: "搜索")), "primary"),
      ]
    )
  }

  private static func list(_ rows: [Row], _ next: Int64?, _ visit: Visit) -> Markup {
    let viewer = visit.viewer
    guard !rows.isEmpty else {
      return .div(
        "card",
        [
          .empty(
            viewer(Words("No customers yet", zh: "暂无客户")),
            viewer(
              Words(
                "They appear with their first purchase or order under a name.",
                zh: "客户在首次以其名称购买或下单后出现。"
              )
            )
          )
        ]
      )
    }
    let table = DataTable(
      caption: viewer(
        Words("Customers of the app, the newest first", zh: "此 App 的客户，最新在前")
      ),
      columns: [
        .init(title: viewer(Words("Account", zh: "账户")), isName: true),
        .init(title: viewer(Words("First seen", zh: "首次出现"))),
        .init(title: viewer(Words("Last event", zh: "最近事件"))),
        .init(title: viewer(Words("Events", zh: "事件数")), isNumber: true),
      ],
      rows: rows.map { row in
        [
          .link(
            visit.link("/dashboard/customer", [("id", row.customer.rawValue)]),
            [.foreign(row.customer.rawValue)]
          ), .time(row.first, viewer), .time(row.last, viewer),
          .text(viewer.number(row.events)),
        ]
      },
      canFilter: true,
      filterLabel: viewer(Words("Filter these rows", zh: "筛选本页"))
    )
    let pager: Markup =
      next.map {
        .older(visit.link("/dashboard/customers", [("before", "\($0)")]), visit)
      } ?? .nothing
    return .div("card", [table.markup, pager])
  }

  // MARK: Searching

  private struct Hit: Sendable {
    enum Kind: Sendable { case customer, order, purchase }
    let kind: Kind
    let name: String
    let environment: StoreEnvironment
  }

  private static func search(
    _ text: String,
    _ visit: Visit
  ) async throws(DashboardError) -> Outcome {
    let environments = visit.environments
    let scope = visit.scope
    var hits = try await visit.read { reader throws(StorageError) in
      try found(text, scope, environments, reader)
    }
    var problem: DashboardError?
    if hits.isEmpty, isReceiptNumber(text), visit.site.server.canAsk(about: scope.app) {
      do throws(DashboardError) { hits = try await looked(text, visit) } catch { problem = error }
    }
    if hits.count == 1 { return .redirect(target(hits[0], visit)) }
    return .page(
      Page(
        Words("Search", zh: "搜索"),
        .customers,
        [searchForm(text, visit), results(hits, text, problem, visit)]
      )
    )
  }

  private static func found(
    _ text: String,
    _ scope: LedgerScope,
    _ environments: [StoreEnvironment],
    _ reader: any LedgerReading
  ) throws(StorageError) -> [Hit] {
    let app = scope.app
    var hits: [Hit] = []
    let name = CustomerID(text)
    let canonical = try reader.canonical(name, app: app)
    if try isKnown(name, app, reader) {
      hits.append(
        Hit(kind: .customer, name: canonical.customer.rawValue, environment: scope.environment)
      )
    }
    if let number = OrderNumber(text) {
      if try reader.order(number, app: app) != nil {
        hits.append(
          Hit(kind: .order, name: number.description, environment: scope.environment)
        )
      }
      if let customer = try reader.customer(of: number.accountToken, app: app) {
        hits.append(
          Hit(kind: .customer, name: customer.rawValue, environment: scope.environment)
        )
      }
      for subject in try reader.subjects(carrying: number.accountToken, app: app) {
        hits.append(
          Hit(
            kind: .purchase,
            name: subject.original.rawValue,
            environment: subject.scope.environment
          )
        )
      }
    }
    for environment in environments {
      let place = LedgerScope(app: app, environment: environment)
      let direct = LedgerSubject(scope: place, original: OriginalTransactionID(text))
      if let subject = try reader.subject(of: TransactionID(text), in: place) {
        hits.append(
          Hit(kind: .purchase, name: subject.original.rawValue, environment: environment)
        )
      } else if try !reader.transactions(of: direct).isEmpty {
        hits.append(Hit(kind: .purchase, name: text, environment: environment))
      }
    }
    return hits
  }

  private static func isKnown(
    _ name: CustomerID,
    _ app: BundleID,
    _ reader: any LedgerReading
  ) throws(StorageError) -> Bool {
    if try reader.document(CustomerRecord.key(name, app: app)) != nil { return true }
    if try !reader.subjects(ownedBy: name, app: app).isEmpty { return true }
    if try !reader.orders(of: name, app: app).isEmpty { return true }
    if try !reader.tokens(of: name, app: app).isEmpty { return true }
    return try !reader.subjects(sharedWith: name, app: app).isEmpty
  }

  /// Whether a text may be the number on the App Store's receipt.
  private static func isReceiptNumber(_ text: String) -> Bool {
    (6...64).contains(text.utf8.count)
      && text.utf8.allSatisfy {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0)
          || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
          || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
      }
  }

  private static func looked(_ text: String, _ visit: Visit) async throws(DashboardError) -> [Hit] {
    let answer: JSONObject
    do throws(DashboardError) {
      answer = try await visit.ask(
        .get,
        ["v1", "orders", "lookup"],
        [("appStoreOrderId", text.uppercased())]
      )
    } catch {
      guard error.code != .notFound else { return [] }
      throw error
    }
    var hits: [Hit] = []
    for order in (answer["orders"]?.arrayValue ?? []).compactMap(\.objectValue) {
      guard let number = order["orderNumber"]?.stringValue else { continue }
      hits.append(
        Hit(kind: .order, name: number, environment: visit.scope.environment)
      )
    }
    for found in (answer["transactions"]?.arrayValue ?? []).compactMap(\.objectValue) {
      guard let original = found["originalTransactionId"]?.stringValue,
        let environment = found["environment"]?.stringValue
      else { continue }
      hits.append(
        Hit(
          kind: .purchase,
          name: original,
          environment: StoreEnvironment(rawValue: environment)
        )
      )
    }
    return hits
  }

  private static func target(_ hit: Hit, _ visit: Visit) -> MarkupTarget {
    let scope = [
      ("app", visit.scope.app.rawValue), ("environment", hit.environment.rawValue),
    ]
    switch hit.kind {
    case .customer: return MarkupTarget("/dashboard/customer", scope + [("id", hit.name)])
    case .order: return MarkupTarget("/dashboard/order", scope + [("number", hit.name)])
    case .purchase: return MarkupTarget("/dashboard/purchase", scope + [("original", hit.name)])
    }
  }

  private static func results(
    _ hits: [Hit],
    _ text: String,
    _ problem: DashboardError?,
    _ visit: Visit
  ) -> Markup {
    let viewer = visit.viewer
    if problem != nil {
      return .p(
        [
          Mark.warn.markup,
          visit.say(
            "The App Store did not answer. Nothing is known here; try again.",
            zh: "App Store 没有响应，此处也没有记录，请重试。"
          ),
        ],
        "notice warn"
      )
    }
    guard !hits.isEmpty else { return nothing(visit) }
    let items = hits.map { hit in
      let kind: Words =
        switch hit.kind {
        case .customer: Words("Customer", zh: "客户")
        case .order: Words("Order", zh: "订单")
        case .purchase: Words("Purchase", zh: "购买")
        }
      return Markup.element(
        "li",
        [],
        [
          .badge(.info, visit.say(kind)), " ",
          .link(target(hit, visit), [.foreign(hit.name)]), " · ",
          visit.say(hit.environment.words),
        ]
      )
    }
    return .card(
      viewer(Words("Found", zh: "找到")),
      id: "found",
      [.element("ul", [.class("reasons plain")], items)]
    )
  }

  private static func nothing(_ visit: Visit) -> Markup {
    let viewer = visit.viewer
    let canAsk = visit.site.server.canAsk(about: visit.scope.app)
    return .div(
      "card",
      [
        .empty(
          viewer(Words("Nothing found", zh: "未找到")),
          viewer(
            canAsk
              ? Words(
                "No account, order, token or transaction of this app has that name.",
                zh: "此 App 中没有该名称的账户、订单、令牌或交易。"
              )
              : Words(
                "No account, order, token or transaction of this app has that name. Order ids of "
                  + "the App Store need an App Store key in the configuration.",
                zh: "此 App 中没有该名称的账户、订单、令牌或交易。查询 App Store 订单号需在配置中"
                  + "提供 App Store 密钥。"
              )
          )
        )
      ]
    )
  }
}
