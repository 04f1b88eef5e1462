package import AppStoreSimulator
package import IAPKit
package import SimulatedApp

/// What stands around the demo's telephones, as values.
package struct DemoWorld: Sendable {
  /// The app's server.
  package struct Server: Sendable {
    /// Starts it again where it was.
    package var start: @Sendable () async throws -> Void
    /// Stops it: connections are refused.
    package var stop: @Sendable () async -> Void

    package init(
      start: @escaping @Sendable () async throws -> Void,
      stop: @escaping @Sendable () async -> Void
    ) {
      self.start = start
      self.stop = stop
    }
  }

  /// The server's dashboard, and who may look at it.
  package struct Dashboard: Hashable, Sendable {
    /// Its address without a slash at the end.
    package var address: String
    /// The operator's name.
    package var name: String
    /// The operator's password; made for this run.
    package var password: String

    package init(address: String, name: String, password: String) {
      self.address = address
      self.name = name
      self.password = password
    }
  }

  /// The store; its clock is everybody's.
  package var store: SimulatedAppStore
  /// How the app is built for an account.
  package var makeSetup: @Sendable (StoreGeneration, AccountID) -> AppSetup
  /// The app's server.
  package var server: Server
  /// The server's dashboard; nil for none.
  package var dashboard: Dashboard?
  /// What forms have to know: made for this run, from chance.
  package var formToken: String
  /// Lets what is under way on sockets come to rest, while the store's clock is moved.
  package var rest: @Sendable () async -> Void

  package init(
    store: SimulatedAppStore,
    makeSetup: @escaping @Sendable (StoreGeneration, AccountID) -> AppSetup,
    server: Server,
    dashboard: Dashboard? = nil,
    formToken: String,
    rest: @escaping @Sendable () async -> Void
  ) {
    self.store = store
    self.makeSetup = makeSetup
    self.server = server
    self.dashboard = dashboard
    self.formToken = formToken
    self.rest = rest
  }
}
