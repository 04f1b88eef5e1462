package import Foundation
package import HTTPValues
package import IAPEntitlements
package import IAPModel
package import ServerStorage

// What a face for people is built on: the routes of the interface, asked for by a person whom that
// face has let in, and the ledger to look at.
extension EntitlementServer {
  /// Answers a request of a person whom somebody else has let in and given the right.
  ///
  /// The route is the same that a backend asks; the audit log names the person. What a repetition
  /// does is left to the routes.
  ///
  /// - Parameters:
  ///   - request: The request, as a backend would send it, with its app in the query.
  ///   - person: The person's name in the audit log.
  /// - Returns: The object of the answer.
  /// - Throws: ``ServerError``, as for a backend.
  package func answer(
    _ request: HTTPRequest,
    for person: String
  ) async throws(ServerError) -> JSONObject {
    guard case .found(let route, let path) = table.match(request.method, request.pathSegments)
    else { throw ServerError(404, .notFound, .routeUnknown, "There is no such route.") }
    let call = try await gate.call(request, route, path, person: person)
    switch try await route.run(call) {
    case .object(_, let object, _): return object
    case .written(let written):
      let text = written.serialized(adding: [])
      guard let object = try? JSONParser.parseObject(text, limits: .document) else {
        preconditionFailure("what was written here can be read")
      }
      return object
    case .whole(let response):
      return ["text": .string(String(decoding: response.body, as: UTF8.self))]
    }
  }

  /// The ledger, for looking and for documents of other parts.
  package var ledger: any Ledger { parts.ledger }

  /// The apps and limits.
  package var configured: ServerConfiguration { parts.configuration }

  /// The present instant.
  package func now() async -> Date { await parts.clock.now() }

  /// The time on a clock that never jumps.
  package func uptime() -> Duration { parts.world.uptime() }

  /// So many bytes of chance that nobody can guess.
  package func chance(_ count: Int) -> [UInt8] { parts.world.random(count) }

  /// SHA-256.
  package func digest(_ bytes: [UInt8]) -> [UInt8] { parts.verifiers.digest(bytes) }

  /// Logs what happened.
  package func note(_ event: ServerEvent) { parts.world.log(event) }

  /// The environments of an app, real money first.
  package static func environments(of app: ServerApp) -> [StoreEnvironment] {
    app.orderedEnvironments
  }

  /// What an app's products open.
  package func catalog(
    of app: BundleID,
    _ reader: any LedgerReading
  ) throws(StorageError) -> EntitlementCatalog {
    try parts.catalogs.rules(app, reader)
  }

  /// Whether the App Store can be asked about an app.
  package func canAsk(about app: BundleID) -> Bool { parts.apple[app]?.client != nil }

  /// Whether the ledger can be compared with what the App Store knows of an app.
  package func canCompare(_ app: BundleID) -> Bool { parts.apple[app]?.canCompare == true }
}

extension DocumentKind {
  /// A comparison with the App Store, or a replay of notifications.
  package static let comparison = reconciliation
}
