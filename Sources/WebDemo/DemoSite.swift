package import HTTPValues
import Foundation
import IAPKit
import IAPModel

/// The web server of the demo: what may come in, and what goes out.
package struct DemoSite: Sendable {
  private let demo: WebDemo
  private let formToken: String
  private let dashboard: DemoWorld.Dashboard?

  /// The longest body of a form, in bytes; longer ones get 413.
  package static let formBytesMax = 4096

  /// Makes the site of a demo.
  @MainActor
  package init(_ demo: WebDemo) {
    self.demo = demo
    formToken = demo.world.formToken
    dashboard = demo.world.dashboard
  }

  /// Answers requests.
  package var handler: HTTPHandler {
    { request in
      var response = await answer(request)
      for (name, value) in Self.protection { response.headers[name] = value }
      return response
    }
  }

  /// What every response says: nothing from elsewhere, nothing inline, no frame, nothing kept.
  ///
  /// - Source: Content Security Policy Level 3; the Fetch standard.
  private static let protection = [
    (
      "Content-Security-Policy",
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        + "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "same-origin"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"), ("X-Frame-Options", "DENY"),
    ("Cache-Control", "no-store"),
  ]

  private func answer(_ request: HTTPRequest) async -> HTTPResponse {
    // Only this machine's own names: another name that leads here is somebody's trick.
    guard Self.isLocal(request.headers["Host"]) else { return .text(421, "Not here.\n") }
    switch (request.method, request.path) {
    case (.get, "/"), (.head, "/"): return await page(request)
    case (.get, "/state"): return await state(request)
    case (.post, "/act"): return await act(request)
    case (.get, "/demo.css"): return Self.file("text/css; charset=utf-8", DemoStyle.text)
    case (.get, "/demo.js"): return Self.file("text/javascript; charset=utf-8", DemoScript.text)
    case (.get, "/icon.svg"): return Self.file("image/svg+xml", DemoStyle.icon)
    case (_, "/"), (_, "/state"), (_, "/act"): return .text(405, "Not so.\n")
    default: return .text(404, "There is nothing here.\n")
    }
  }

  private static func file(_ type: String, _ text: String) -> HTTPResponse {
    HTTPResponse(status: 200, headers: ["Content-Type": type], body: Array(text.utf8))
  }

  /// Whether a `Host` field names this machine for itself.
  static func isLocal(_ host: String?) -> Bool {
    guard let host, host.count < 64 else { return false }
    let names = ["127.0.0.1", "localhost", "[::1]"]
    guard let name = names.first(where: { host.lowercased().hasPrefix($0) }) else { return false }
    let port = host.dropFirst(name.count)
    return port.isEmpty || (port.first == ":" && port.dropFirst().allSatisfy(\.isNumber))
  }

  // MARK: Reading

  private func page(_ request: HTTPRequest) async -> HTTPResponse {
    let view = Self.view(request)
    await demo.speak(view.language)
    let page = await demo.page(view)
    var response = HTTPResponse(
      status: 200,
      headers: [
        "Content-Type": "text/html; charset=utf-8", "Content-Language": view.language.rawValue,
      ],
      body: page.document
    )
    if request.queryValue("lang") != nil {
      response.headers["Set-Cookie"] =
        "lang=\(view.language.rawValue); Path=/; SameSite=Strict; HttpOnly; Max-Age=31536000"
    }
    return response
  }

  /// The page's areas as soon as they differ from those of a version.
  private func state(_ request: HTTPRequest) async -> HTTPResponse {
    let known = request.queryValue("since").flatMap { Int($0) } ?? 0
    await demo.change(after: known, ticks: WebDemo.waitTicksMax)
    let page = await demo.page(Self.view(request))
    let body: JSONObject = [
      "version": .integer(Int64(page.version)),
      "phone": .string(page.written(page.phoneArea)),
      "world": .string(page.written(page.worldArea)),
      "life": .string(page.written(page.lifeArea)),
    ]
    return .json(200, body.serialized)
  }

  /// What a visitor looks at: by the address, the cookie and the browser's languages.
  static func view(_ request: HTTPRequest) -> DemoPage.View {
    var view = DemoPage.View()
    view.phone = request.queryValue("on").flatMap { .init(rawValue: $0) } ?? .first
    view.tab = request.queryValue("tab").flatMap { .init(rawValue: $0) } ?? .shop
    view.language = language(request)
    return view
  }

  private static func language(_ request: HTTPRequest) -> IAPError.Language {
    if let asked = request.queryValue("lang"), let language = IAPError.Language(rawValue: asked) {
      return language
    }
    let cookies = request.headers.values("Cookie").flatMap { $0.split(separator: ";") }
    for cookie in cookies.map({ $0.trimmingCharacters(in: .whitespaces) }) {
      guard cookie.hasPrefix("lang=") else { continue }
      if let language = IAPError.Language(rawValue: String(cookie.dropFirst(5))) {
        return language
      }
    }
    return .best(of: wanted(request.headers["Accept-Language"] ?? ""))
  }

  /// The languages of the field, most wanted first.
  ///
  /// - Source: RFC 9110, section 12.5.4.
  static func wanted(_ field: String) -> [String] {
    let ranges = field.split(separator: ",").prefix(20).enumerated().map { place, part in
      let parts = part.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }
      let weight =
        parts.dropFirst().first { $0.hasPrefix("q=") }
        .flatMap { Double($0.dropFirst(2)) } ?? 1
      return (tag: parts.first ?? "", weight: weight, place: place)
    }
    return ranges.filter { $0.weight > 0 }
      .sorted { ($1.weight, $0.place) < ($0.weight, $1.place) }.map(\.tag)
  }

  // MARK: Acting

  private func act(_ request: HTTPRequest) async -> HTTPResponse {
    guard request.body.count <= Self.formBytesMax else { return .text(413, "Too long.\n") }
    guard request.mediaType == "application/x-www-form-urlencoded" else {
      return .text(415, "Send a form.\n")
    }
    let form = HTTPRequest(
      method: .get,
      target: "/?" + String(decoding: request.body, as: UTF8.self)
    )
    guard isOurs(request, form) else { return .text(403, "This form is not from this page.\n") }
    let action: DemoAction
    do throws(DemoError) {
      action = try DemoAction(form.queryValue("do") ?? "")
    } catch {
      return .text(400, error.reason + "\n")
    }
    var view = Self.view(form)
    await demo.perform(action, on: view.phone)
    if request.headers["X-Demo"] != nil { return HTTPResponse(status: 204) }
    await demo.settle()
    if action == .secondPhone { view.phone = .second }
    if action == .startOver { view.phone = .first }
    let place = MarkupTarget("/", [("on", view.phone.rawValue), ("tab", view.tab.rawValue)])
    return HTTPResponse(status: 303, headers: ["Location": place.text])
  }

  /// Whether a form was sent by this page: it knows the token, and the browser says no other
  /// origin.
  private func isOurs(_ request: HTTPRequest, _ form: HTTPRequest) -> Bool {
    let token = Array((form.queryValue("token") ?? "").utf8)
    let expected = Array(formToken.utf8)
    guard token.count == expected.count,
      zip(token, expected).reduce(0, { $0 | ($1.0 ^ $1.1) }) == 0
    else { return false }
    if let site = request.headers["Sec-Fetch-Site"], site != "same-origin", site != "none" {
      return false
    }
    guard let origin = request.headers["Origin"] else { return true }
    return origin == "http://" + (request.headers["Host"] ?? "")
  }
}

extension WebDemo {
  /// The page as somebody sees it now.
  func page(_ view: DemoPage.View) -> DemoPage {
    look()
    return DemoPage(
      snapshot: snapshot,
      view: view,
      version: version,
      formToken: world.formToken,
      dashboard: world.dashboard
    )
  }
}

extension DemoPage {
  func written(_ area: [Markup]) -> String {
    String(decoding: Markup.many(area).written, as: UTF8.self)
  }
}
