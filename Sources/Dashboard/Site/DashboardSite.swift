package import EntitlementServer
import Foundation
package import HTTPValues
import IAPModel
import ServerStorage

/// The dashboard: pages for people over the server's ledger and routes.
///
/// Every page is whole without a script. Whoever asks has to be logged in; whoever changes
/// something has to show the token of the form, and its name stands in the audit log.
package struct DashboardSite: Sendable {
  let server: EntitlementServer
  package let accounts: OperatorAccounts
  let sessions: SessionBook
  let assets: Assets
  /// How often one address may try to log in.
  let addresses: RateBuckets<String>

  /// How often one address may try to log in within a minute.
  static let triesPerMinuteMax = 20
  /// The most addresses that are told apart.
  static let addressesMax = 10_000

  typealias Show = @Sendable (Visit) async throws(DashboardError) -> Outcome

  /// Makes the dashboard of a server.
  ///
  /// - Parameters:
  ///   - server: The server.
  ///   - mill: Derives keys from passwords.
  package init(server: EntitlementServer, mill: PasswordMill) {
    self.server = server
    accounts = OperatorAccounts(
      ledger: server.ledger,
      mill: mill,
      chance: { server.chance($0) }
    )
    sessions = SessionBook(accounts: accounts, digest: { server.digest($0) })
    assets = Assets(digest: { server.digest($0) })
    addresses = RateBuckets(perMinute: Self.triesPerMinuteMax, namesMax: Self.addressesMax)
  }

  /// Answers what is the dashboard's, and leaves the rest to another handler.
  ///
  /// - Parameter next: The other handler.
  /// - Returns: Both.
  package func handler(before next: @escaping HTTPHandler) -> HTTPHandler {
    { request in
      guard request.pathSegments.first == "dashboard" else { return await next(request) }
      return await answer(request)
    }
  }

  /// Answers a request for a page.
  ///
  /// - Parameter request: The request.
  /// - Returns: The response, with the headers that keep a page safe.
  package func answer(_ request: HTTPRequest) async -> HTTPResponse {
    var response = await inner(request)
    for (name, value) in Self.safety { response.headers[name] = value }
    if response.headers["Cache-Control"] == nil { response.headers["Cache-Control"] = "no-store" }
    if request.method == .head { response.body = [] }
    return response
  }

  /// What keeps pages from being framed, scripted or leaked.
  static let safety: [(String, String)] = [
    (
      "Content-Security-Policy",
      "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; "
        + "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    ("X-Frame-Options", "DENY"), ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "same-origin"), ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=()"),
  ]

  private func inner(_ request: HTTPRequest) async -> HTTPResponse {
    if let response = assets.answer(request) { return response }
    let cookies = Cookies(request)
    let viewer = Viewer(request, cookies)
    let now = await server.now()
    var response: HTTPResponse
    do throws(DashboardError) {
      if request.path == Self.loginPath.text {
        response = try await login(request, cookies, viewer, now)
      } else if let session = try await sessions.session(secret(request, cookies), at: now) {
        response = try await visit(request, viewer, session, now)
      } else {
        response = Self.redirect(
          MarkupTarget("/dashboard/login", [("next", request.method == .get ? request.target : "")])
        )
      }
    } catch {
      server.note(ServerEvent(.notice, "dashboard", [.init("code", error.code.rawValue)]))
      response = failure(error, viewer)
    }
    keepChoices(request, viewer, &response)
    return response
  }

  /// A choice of language or time zone stays with the browser.
  private func keepChoices(
    _ request: HTTPRequest,
    _ viewer: Viewer,
    _ response: inout HTTPResponse
  ) {
    if let wanted = request.queryValue("language"), wanted == viewer.language.rawValue {
      response.headers.append("Set-Cookie", cookie(Viewer.languageCookie, wanted, request))
    }
    if let wanted = request.queryValue("zone"), Viewer.zone(wanted) != nil {
      response.headers.append("Set-Cookie", cookie(Viewer.zoneCookie, wanted, request))
    }
  }

  private func cookie(_ name: String, _ value: String, _ request: HTTPRequest) -> String {
    "\(name)=\(value); Path=/dashboard; Max-Age=31536000; SameSite=Lax"
      + (Self.isPlain(request) ? "" : "; Secure")
  }

  // MARK: Pages

  private func visit(
    _ request: HTTPRequest,
    _ viewer: Viewer,
    _ session: SessionBook.Session,
    _ now: Date
  ) async throws(DashboardError) -> HTTPResponse {
    let form = FormBody(request)
    if request.method == .post {
      guard Self.isSameOrigin(request), let token = form["token"],
        Hex.areEqual(Array(token.utf8), Array(sessions.formToken(session.secret).utf8))
      else { throw DashboardError(.formRefused, "the form does not show its token") }
    }
    if request.path == "/dashboard/logout", request.method == .post {
      try await sessions.leave(session, at: now)
      var response = Self.redirect(MarkupTarget("/dashboard/login"))
      response.headers.append("Set-Cookie", sessionCookie("", request, seconds: 0))
      return response
    }
    let apps = server.configured.apps.filter { session.person.sees($0.bundleID) }
    guard !apps.isEmpty else {
      throw DashboardError(.forbidden, "this person sees no app of this server")
    }
    if let place = try await redirected(request, apps) { return Self.redirect(place) }
    let visit = Visit(
      request: request,
      form: form,
      site: self,
      viewer: viewer,
      session: session,
      apps: apps,
      scope: try await scope(request, apps),
      now: now
    )
    switch try await outcome(visit) {
    case .page(let page):
      return Self.html(page.status, Frame(visit: visit, page: page, assets: assets).markup)
    case .redirect(let target): return Self.redirect(target)
    }
  }

  private func outcome(_ visit: Visit) async throws(DashboardError) -> Outcome {
    let path = visit.request.path
    let isPost = visit.request.method == .post
    guard isPost || visit.request.method == .get || visit.request.method == .head,
      let show = isPost ? Self.acts[path] : Self.pages[path]
    else { throw DashboardError(.notFound, "there is no such page") }
    if isPost, !visit.mayAct {
      throw DashboardError(.forbidden, "this person may look and not act")
    }
    return try await show(visit)
  }

  /// The app and the environment that a request is about: never one that the person may not see.
  private func scope(
    _ request: HTTPRequest,
    _ apps: [ServerApp]
  ) async throws(DashboardError) -> LedgerScope {
    var app = apps[0]
    if let name = request.queryValue("app") {
      guard let found = apps.first(where: { $0.bundleID.rawValue == name }) else {
        throw DashboardError(.notFound, "there is no such app")
      }
      app = found
    }
    let environments = EntitlementServer.environments(of: app)
    if let name = request.queryValue("environment") {
      guard let found = environments.first(where: { $0.rawValue == name }) else {
        throw DashboardError(.notFound, "there is no such environment")
      }
      return LedgerScope(app: app.bundleID, environment: found)
    }
    let scopes = environments.map { LedgerScope(app: app.bundleID, environment: $0) }
    // Where nobody chose, the first in which something was bought.
    let used = try await accounts.read { reader throws(StorageError) -> LedgerScope? in
      for scope in scopes where try !reader.subjects(in: scope, after: nil, limit: 1).isEmpty {
        return scope
      }
      return nil
    }
    return used ?? scopes[0]
  }

  /// Short addresses that other programs link to: `/dashboard/orders/NUMBER` and
  /// `/dashboard/customers/NAME`.
  private func redirected(
    _ request: HTTPRequest,
    _ apps: [ServerApp]
  ) async throws(DashboardError) -> MarkupTarget? {
    let parts = request.pathSegments
    let query = request.queryItems.compactMap { item in item.value.map { (item.name, $0) } }
    if parts.count == 1 { return MarkupTarget("/dashboard/overview", query) }
    guard parts.count == 3 else { return nil }
    if parts[1] == "customers" {
      return MarkupTarget("/dashboard/customer", query + [("id", parts[2])])
    }
    guard parts[1] == "orders", let number = OrderNumber(parts[2]) else { return nil }
    let named = request.queryValue("app")
    let candidates = apps.map(\.bundleID).filter { named == nil || $0.rawValue == named }
    let home = try await accounts.read { reader throws(StorageError) -> BundleID? in
      for app in candidates where try reader.order(number, app: app) != nil { return app }
      return nil
    }
    let app = query.contains { $0.0 == "app" } ? [] : (home.map { [("app", $0.rawValue)] } ?? [])
    return MarkupTarget("/dashboard/order", query + app + [("number", parts[2])])
  }

  // MARK: Answers

  static func html(_ status: Int, _ markup: Markup) -> HTTPResponse {
    HTTPResponse(
      status: status,
      headers: ["Content-Type": "text/html; charset=utf-8"],
      body: Markup.page(markup)
    )
  }

  static func redirect(_ target: MarkupTarget) -> HTTPResponse {
    HTTPResponse(status: 303, headers: ["Location": target.text])
  }

  private func failure(_ error: DashboardError, _ viewer: Viewer) -> HTTPResponse {
    Self.html(error.status, LoginPage.failure(error, viewer, assets))
  }
}
