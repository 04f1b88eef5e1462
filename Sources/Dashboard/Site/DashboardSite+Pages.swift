import EntitlementServer
import HTTPValues
import IAPModel

// Every page and every act, by its path.
extension DashboardSite {
  static let pages: [String: Show] = [
    "/dashboard/choose": { visit async throws(DashboardError) in try choose(visit) },
    "/dashboard/overview": OverviewPage.show,
    "/dashboard/customers": CustomersPage.show,
    "/dashboard/customer": CustomerPage.show,
    "/dashboard/orders": OrdersPage.show,
    "/dashboard/order": OrderPage.show,
    "/dashboard/purchases": PurchasesPage.show,
    "/dashboard/purchase": PurchasePage.show,
    "/dashboard/notifications": NotificationsPage.show,
    "/dashboard/reviews": ReviewsPage.show,
    "/dashboard/review": ReviewPage.show,
    "/dashboard/webhooks": WebhooksPage.show,
    "/dashboard/webhook": WebhookPage.show,
    "/dashboard/reconciliations": ReconciliationsPage.show,
    "/dashboard/reconciliation": ReconciliationPage.show,
    "/dashboard/audit": AuditPage.show,
    "/dashboard/health": HealthPage.show,
    "/dashboard/settings": SettingsPage.show,
  ]

  static let acts: [String: Show] = [
    "/dashboard/review": ReviewPage.decide,
    "/dashboard/webhook": WebhookPage.act,
    "/dashboard/reconciliations": ReconciliationsPage.act,
    "/dashboard/settings": SettingsPage.save,
  ]

  /// Goes to another app and environment.
  private static func choose(_ visit: Visit) throws(DashboardError) -> Outcome {
    let words = (visit.query("scope") ?? "").split(separator: " ", maxSplits: 1)
    let section = visit.query("to").flatMap { Section(rawValue: $0) } ?? .overview
    guard words.count == 2,
      let app = visit.apps.first(where: { $0.bundleID.rawValue == words[1] }),
      let environment = EntitlementServer.environments(of: app).first(where: {
        $0.rawValue == words[0]
      })
    else { throw DashboardError(.notFound, "there is no such app") }
    return .redirect(
      MarkupTarget(
        section.path,
        [("app", app.bundleID.rawValue), ("environment", environment.rawValue)]
      )
    )
  }
}
