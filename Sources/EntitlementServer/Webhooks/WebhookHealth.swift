package import Foundation
package import IAPModel
package import ServerStorage

/// How well an app's backend is told of events, for whoever examines a server.
package struct WebhookHealth: Hashable, Sendable {
  /// The endpoint's name.
  package let id: String
  /// The app.
  package let app: BundleID
  /// Whether events are sent there.
  package let isEnabled: Bool
  /// Why not, as a stable word; nil when somebody switched it off.
  package let reason: String?
  /// Events that were not told yet.
  package let pending: Int64
  /// When the oldest of them was recorded.
  package let oldest: Date?
  /// Events that were given up.
  package let deadLetters: Int64

  /// Looks at all endpoints of an app.
  ///
  /// - Parameters:
  ///   - app: The app.
  ///   - limits: How much is looked at.
  ///   - reader: The ledger.
  /// - Returns: What was found, in the order in which the endpoints were made.
  /// - Throws: ``StorageError``.
  package static func all(
    of app: BundleID,
    _ limits: WebhookLimits,
    _ reader: any LedgerReading
  ) throws(StorageError) -> [WebhookHealth] {
    var result: [WebhookHealth] = []
    for document in try reader.documents(
      .webhook,
      app: app,
      shelf: nil,
      after: 0,
      limit: limits.endpointsMax * 2
    ) {
      let endpoint = try WebhookEndpoint(document)
      let backlog = try WebhookBacklog.of(endpoint.id, app, limits, reader)
      result.append(
        WebhookHealth(
          id: endpoint.id.rawValue,
          app: app,
          isEnabled: endpoint.state == .enabled,
          reason: endpoint.reason,
          pending: backlog.pending,
          oldest: backlog.oldest,
          deadLetters: backlog.dead
        )
      )
    }
    return result
  }
}
