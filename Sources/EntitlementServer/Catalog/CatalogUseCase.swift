import HTTPValues
import IAPModel
import ServerStorage

/// Keeps what an app sells, and shows it to the app.
struct CatalogUseCase: Sendable {
  let parts: ServerParts

  var routes: [Route] {
    [
      Route(
        .get,
        "/v1/catalog",
        "Shows what the app sells, in the order in which it is shown.",
        access: .app,
        parameters: [.app, .header("If-None-Match", "The ETag that the app has.")],
        answers: [Route.Answer(200, ServerCatalog.answer), Route.Answer(304, nil)],
        errors: [404],
        run: { call async throws(ServerError) in try await show(call) }
      ),
      Route(
        .put,
        "/v1/catalog",
        "Puts another catalog in the place of the app's catalog.",
        access: .backend,
        body: .object(ServerCatalog.shape),
        parameters: [
          .app, .header("If-Match", "The ETag that is to be replaced; * for any."),
        ],
        answers: [Route.Answer(200, ServerCatalog.answer)],
        errors: [412, 428],
        repetition: .natural,
        run: { call async throws(ServerError) in try await replace(call) }
      ),
    ]
  }

  private func show(_ call: Call) async throws(ServerError) -> Reply {
    let app = try call.app().bundleID
    let current = try await parts.read { [catalogs = parts.catalogs] reader throws(StorageError) in
      try catalogs.current(app, reader)
    }
    guard let current else {
      throw ServerError(
        404,
        .notFound,
        .catalogMissing,
        "The app has no catalog yet: the backend gives it with PUT /v1/catalog."
      )
    }
    if Self.names(call.request.headers["If-None-Match"], current.tag) {
      return .whole(HTTPResponse(status: 304, headers: ["ETag": current.tag]))
    }
    return reply(current)
  }

  private func reply(_ current: CatalogShelf.Current) -> Reply {
    var object = current.catalog.object
    if parts.configuration.isSimulated { object["simulated"] = true }
    // Without the request's name: equal tags have equal bodies.
    var response = HTTPResponse.json(200, object.serialized)
    response.headers["ETag"] = current.tag
    response.headers["Cache-Control"] = "private, no-cache"
    return .whole(response)
  }

  private func replace(_ call: Call) async throws(ServerError) -> Reply {
    let app = try call.app().bundleID
    let catalog = try ServerCatalog(call.body)
    let content = Hexadecimal.text(parts.verifiers.digest(catalog.object.serialized))
    let before = try await parts.read { [catalogs = parts.catalogs] reader throws(StorageError) in
      try catalogs.current(app, reader)
    }
    // What stands already needs no second writing, whoever wrote it.
    if let before, before.content == content { return reply(before) }
    try check(call.request.headers["If-Match"], before)
    var write = LedgerWrite(date: call.now)
    write.documents = [
      DocumentWrite(
        CatalogShelf.currentKey(app),
        body: ["content": .string(content)],
        condition: before.map { .mustHaveVersion($0.version) } ?? .mustBeAbsent
      ),
      DocumentWrite(
        CatalogShelf.contentKey(app, content),
        body: catalog.object,
        condition: .ifAbsent
      ),
    ]
    write.documents += credits(catalog, before?.catalog, app)
    write.audit = [
      parts.audit(
        "catalog.replaced",
        call,
        app,
        ["content": .string(content), "products": .integer(Int64(catalog.rules.count))]
      )
    ]
    let outcome = try await parts.commit(write)
    guard !outcome.isRefused, let version = outcome.documents.first?.document?.version else {
      throw Self.mismatch
    }
    return reply(CatalogShelf.Current(catalog: catalog, content: content, version: version))
  }

  /// What the ledger has to know when it grants a consumable.
  private func credits(
    _ catalog: ServerCatalog,
    _ before: ServerCatalog?,
    _ app: BundleID
  ) -> [DocumentWrite] {
    let products = Set(catalog.credits.keys).union(before?.credits.keys.map { $0 } ?? [])
    return products.sorted().map { product in
      DocumentWrite(
        DocumentKey(.credit, app: app, name: product.rawValue),
        body: catalog.credits[product] ?? [:],
        condition: .always
      )
    }
  }

  private func check(
    _ condition: String?,
    _ current: CatalogShelf.Current?
  ) throws(ServerError) {
    guard let condition else {
      guard current == nil else {
        throw ServerError(
          428,
          .invalidRequest,
          .parameterMissing,
          "If-Match is missing: it names the ETag of the catalog that is to be replaced.",
          parameter: "If-Match"
        )
      }
      return
    }
    guard let current, Self.names(condition, current.tag) else { throw Self.mismatch }
  }

  private static let mismatch = ServerError(
    412,
    .conflict,
    .versionMismatch,
    "The catalog is not the one that If-Match names: read it again.",
    parameter: "If-Match"
  )

  /// Whether a list of tags names this one.
  private static func names(_ header: String?, _ tag: String) -> Bool {
    guard let header else { return false }
    return header.split(separator: ",").contains { part in
      var text = part.drop { $0 == " " }
      while text.last == " " { text.removeLast() }
      if text.hasPrefix("W/") { text = text.dropFirst(2) }
      return text == "*" || text == tag
    }
  }
}
