import EntitlementServer
import Foundation
import HTTPValues
import IAPModel

// Logging in and out, and what a browser has to show.
extension DashboardSite {
  static let loginPath = MarkupTarget("/dashboard/login")
  private static let beforeLogin = "iap_before"

  /// Whether the browser came over this machine alone: then there may be no encryption.
  static func isPlain(_ request: HTTPRequest) -> Bool {
    guard request.headers["X-Forwarded-Proto"]?.lowercased() != "https",
      let authority = request.headers["Host"]?.lowercased()
    else { return false }
    let host =
      authority.hasPrefix("[")
      ? String(authority.dropFirst().prefix { $0 != "]" })
      : String(authority.prefix { $0 != ":" })
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return host == "localhost" || host == "::1"
      || parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
  }

  /// Whether a request comes from one of our own pages, as far as the browser says.
  static func isSameOrigin(_ request: HTTPRequest) -> Bool {
    if let site = request.headers["Sec-Fetch-Site"], site != "same-origin", site != "none" {
      return false
    }
    guard let origin = request.headers["Origin"] else { return true }
    guard let mark = origin.range(of: "://"), let host = request.headers["Host"] else {
      return false
    }
    return origin[mark.upperBound...].lowercased() == host.lowercased()
  }

  private func cookieName(_ request: HTTPRequest) -> String {
    // The longer name is only taken from where it cannot have been planted.
    Self.isPlain(request) ? "iap_session" : "__Host-iap_session"
  }

  func secret(_ request: HTTPRequest, _ cookies: Cookies) -> String? {
    cookies[cookieName(request)]
  }

  func sessionCookie(_ secret: String, _ request: HTTPRequest, seconds: Int) -> String {
    "\(cookieName(request))=\(secret); Path=/; Max-Age=\(seconds); HttpOnly; SameSite=Lax"
      + (Self.isPlain(request) ? "" : "; Secure")
  }

  func login(
    _ request: HTTPRequest,
    _ cookies: Cookies,
    _ viewer: Viewer,
    _ now: Date
  ) async throws(DashboardError) -> HTTPResponse {
    let next = Self.next(request.queryValue("next"))
    guard request.method == .post else {
      let secret =
        cookies[Self.beforeLogin].flatMap { Self.isSecret($0) ? $0 : nil }
        ?? Hex.text(server.chance(SessionBook.idBytes))
      return form(request, viewer, secret, next, nil, status: 200)
    }
    let form = FormBody(request)
    guard Self.isSameOrigin(request), let secret = cookies[Self.beforeLogin],
      Self.isSecret(secret), let token = form["token"],
      Hex.areEqual(Array(token.utf8), Array(sessions.formToken(secret).utf8))
    else { throw DashboardError(.formRefused, "the form does not show its token") }
    let address = request.remote ?? ""
    if let seconds = addresses.take(address, at: server.uptime()) {
      return tooMany(seconds, request, viewer, secret, next)
    }
    let entry = try await sessions.enter(
      OperatorName(form["name"] ?? ""),
      password: form["password"] ?? "",
      ending: self.secret(request, cookies),
      at: now
    )
    switch entry {
    case .entered(let session):
      var response = Self.redirect(next ?? MarkupTarget("/dashboard/overview"))
      response.headers.append(
        "Set-Cookie",
        sessionCookie(session.secret, request, seconds: Int(SessionBook.lifeSeconds))
      )
      response.headers.append(
        "Set-Cookie",
        "\(Self.beforeLogin)=; Path=/dashboard; Max-Age=0; HttpOnly; SameSite=Lax"
      )
      return response
    case .refused:
      let words = Words(
        "That name and password do not belong together.",
        zh: "用户名或密码不正确。"
      )
      return self.form(request, viewer, secret, next, words, status: 401)
    case .tooMany(let seconds): return tooMany(seconds, request, viewer, secret, next)
    }
  }

  private func tooMany(
    _ seconds: Int,
    _ request: HTTPRequest,
    _ viewer: Viewer,
    _ secret: String,
    _ next: MarkupTarget?
  ) -> HTTPResponse {
    let minutes = max(1, (seconds + 59) / 60)
    let words = Words(
      "There were too many attempts. Try again in \(minutes) min.",
      zh: "尝试次数过多，请在 \(minutes) 分钟后重试。"
    )
    var response = form(request, viewer, secret, next, words, status: 429)
    response.headers["Retry-After"] = "\(seconds)"
    return response
  }

  private func form(
    _ request: HTTPRequest,
    _ viewer: Viewer,
    _ secret: String,
    _ next: MarkupTarget?,
    _ problem: Words?,
    status: Int
  ) -> HTTPResponse {
    let page = LoginPage(
      viewer: viewer,
      token: sessions.formToken(secret),
      next: next,
      problem: problem,
      isSimulated: server.configured.isSimulated
    )
    var response = Self.html(status, page.markup(assets))
    response.headers.append(
      "Set-Cookie",
      "\(Self.beforeLogin)=\(secret); Path=/dashboard; Max-Age=3600; HttpOnly; SameSite=Lax"
        + (Self.isPlain(request) ? "" : "; Secure")
    )
    return response
  }

  private static func isSecret(_ text: String) -> Bool {
    text.utf8.count == SessionBook.idBytes * 2 && Hex.bytes(text) != nil
  }

  /// Where somebody wanted to go: one of our pages, taken apart and put together again.
  static func next(_ text: String?) -> MarkupTarget? {
    guard let text, text.utf8.count <= 2048 else { return nil }
    let request = HTTPRequest(method: .get, target: text)
    let query = request.queryItems.compactMap { item in item.value.map { (item.name, $0) } }
    return page(request.path, query) ?? short(request, query)
  }

  /// One of our pages; nil when there is none of that path.
  static func page(_ path: String, _ query: [(String, String)]) -> MarkupTarget? {
    let paths = Section.allCases.map(\.path) + detailPaths
    return paths.first { $0.description == path }.map { MarkupTarget($0, query) }
  }

  private static let detailPaths: [StaticString] = [
    "/dashboard/customer", "/dashboard/order", "/dashboard/purchase", "/dashboard/review",
    "/dashboard/webhook", "/dashboard/reconciliation", "/dashboard/settings",
  ]

  private static func short(_ request: HTTPRequest, _ query: [(String, String)]) -> MarkupTarget? {
    let parts = request.pathSegments
    guard parts.count == 3, parts[0] == "dashboard" else { return nil }
    switch parts[1] {
    case "customers": return MarkupTarget("/dashboard/customer", query + [("id", parts[2])])
    case "orders": return MarkupTarget("/dashboard/order", query + [("number", parts[2])])
    default: return nil
    }
  }
}
