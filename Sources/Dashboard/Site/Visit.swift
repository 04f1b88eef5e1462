import EntitlementServer
import Foundation
import HTTPValues
import IAPModel
import ServerStorage

/// One request of somebody who is logged in, with everything that its page needs.
struct Visit: Sendable {
  let request: HTTPRequest
  let form: FormBody
  let site: DashboardSite
  let viewer: Viewer
  let session: SessionBook.Session
  /// The apps that the person sees.
  let apps: [ServerApp]
  /// The app and the environment that the page is about.
  let scope: LedgerScope
  let now: Date

  var person: OperatorRecord { session.person }

  /// The environments of the app.
  var environments: [StoreEnvironment] {
    apps.first { $0.bundleID == scope.app }.map { EntitlementServer.environments(of: $0) } ?? []
  }

  var mayAct: Bool { person.role == .act }
  var auditName: String { person.name.rawValue }
  var formToken: String { site.sessions.formToken(session.secret) }

  /// A text in the language of the visit.
  func say(_ english: String, zh: String) -> Markup { .text(viewer(Words(english, zh: zh))) }

  func say(_ words: Words) -> Markup { .text(viewer(words)) }

  /// The value of a parameter in the query; nil when it is empty or longer than anything real.
  func query(_ name: String) -> String? {
    request.queryValue(name).flatMap { $0.isEmpty || $0.utf8.count > 1024 ? nil : $0 }
  }

  /// The place behind which a list goes on.
  func place(_ name: String) -> Int64? {
    query(name).flatMap { Int64($0) }.flatMap { $0 < 0 ? nil : $0 }
  }

  /// A page of the dashboard, about the same app and environment.
  func link(_ path: StaticString, _ query: [(String, String)] = []) -> MarkupTarget {
    MarkupTarget(path, Self.query(scope) + query)
  }

  /// The same page, read in another way.
  func here(_ query: [(String, String)]) -> MarkupTarget {
    let names = Set(query.map(\.0)).union(["done", "language", "zone"])
    let kept = request.queryItems.filter { !names.contains($0.name) }
      .compactMap { item in item.value.map { (item.name, $0) } }
    return DashboardSite.page(request.path, kept + query) ?? link("/dashboard/overview", query)
  }

  static func query(_ scope: LedgerScope) -> [(String, String)] {
    [("app", scope.app.rawValue), ("environment", scope.environment.rawValue)]
  }

  /// Looks things up in the ledger.
  func read<Value: Sendable>(
    _ body: @escaping @Sendable (any LedgerReading) throws(StorageError) -> Value
  ) async throws(DashboardError) -> Value {
    try await site.accounts.read(body)
  }

  /// Asks a route of the server for this person.
  func ask(
    _ method: HTTPMethod,
    _ path: [String],
    _ query: [(String, String)] = [],
    body: JSONObject? = nil
  ) async throws(DashboardError) -> JSONObject {
    let items = (Self.query(scope) + query).map {
      "\(PercentCoding.encode($0.0))=\(PercentCoding.encode($0.1))"
    }
    let target =
      "/" + path.map { PercentCoding.encode($0) }.joined(separator: "/") + "?"
      + items.joined(separator: "&")
    let request = HTTPRequest(
      method: method,
      target: target,
      headers: body == nil ? [:] : ["Content-Type": "application/json"],
      body: body?.serialized ?? []
    )
    do throws(ServerError) {
      return try await site.server.answer(request, for: auditName)
    } catch {
      throw DashboardError(error)
    }
  }
}

/// What a page is, before it has its frame.
struct Page: Sendable {
  var title: Words
  var section: Section?
  var content: [Markup]
  /// After how many seconds the page is read again by who lets scripts run.
  var refreshSeconds: Int?
  var status = 200

  init(
    _ title: Words,
    _ section: Section?,
    refreshSeconds: Int? = nil,
    _ content: [Markup]
  ) {
    self.title = title
    self.section = section
    self.refreshSeconds = refreshSeconds
    self.content = content
  }
}

/// What comes of a request.
enum Outcome: Sendable {
  case page(Page)
  case redirect(MarkupTarget)
}

/// The parts of the dashboard, in the order of its menu.
enum Section: String, Hashable, Sendable, CaseIterable {
  case overview, customers, orders, purchases, notifications, reviews, webhooks, reconciliations
  case audit, health

  var title: Words {
    switch self {
    case .overview: Words("Overview", zh: "概览")
    case .customers: Words("Customers", zh: "客户")
    case .orders: Words("Orders", zh: "订单")
    case .purchases: Words("Purchases", zh: "购买与订阅")
    case .notifications: Words("Notifications", zh: "通知")
    case .reviews: Words("Review queue", zh: "待审队列")
    case .webhooks: Words("Webhooks", zh: "Webhook")
    case .reconciliations: Words("Reconciliation", zh: "对账")
    case .audit: Words("Audit log", zh: "审计日志")
    case .health: Words("Health", zh: "运行状况")
    }
  }

  var path: StaticString {
    switch self {
    case .overview: "/dashboard/overview"
    case .customers: "/dashboard/customers"
    case .orders: "/dashboard/orders"
    case .purchases: "/dashboard/purchases"
    case .notifications: "/dashboard/notifications"
    case .reviews: "/dashboard/reviews"
    case .webhooks: "/dashboard/webhooks"
    case .reconciliations: "/dashboard/reconciliations"
    case .audit: "/dashboard/audit"
    case .health: "/dashboard/health"
    }
  }
}
