package import Foundation

/// What a database says of itself without being changed: for whoever examines it.
package struct LedgerProbe: Sendable {
  /// The database's own name and version.
  package var engine: String
  /// The version of its tables; 0 when there are none yet.
  package var version: Int
  /// The newest version that this software knows.
  package var newestVersion: Int
  /// Whether it may only be read.
  package var isReadOnly: Bool
  /// Its clock; nil when it has none of its own.
  package var clock: Date?
  /// How many connections it has; nil when nobody counts.
  package var connections: Int?
  /// How many it takes.
  package var connectionsMax: Int?

  /// Names the facts.
  package init(
    engine: String,
    version: Int,
    newestVersion: Int,
    isReadOnly: Bool,
    clock: Date? = nil,
    connections: Int? = nil,
    connectionsMax: Int? = nil
  ) {
    self.engine = engine
    self.version = version
    self.newestVersion = newestVersion
    self.isReadOnly = isReadOnly
    self.clock = clock
    self.connections = connections
    self.connectionsMax = connectionsMax
  }
}
