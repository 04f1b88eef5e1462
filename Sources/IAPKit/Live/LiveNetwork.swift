#if canImport(Network)
import Dispatch
import Network
#endif

/// What the system says about the network.
package enum LiveNetwork {
  /// Tells each time that the network is back after it was away.
  ///
  /// Where the system does not tell (Linux) the stream ends at once.
  package static let returns: @Sendable () -> AsyncStream<Void> = {
    AsyncStream { continuation in
      #if canImport(Network)
      let monitor = NWPathMonitor()
      let wasAway = Locked(false)
      monitor.pathUpdateHandler = { path in
        let isBack = wasAway.withLock { wasAway in
          defer { wasAway = path.status != .satisfied }
          return wasAway && path.status == .satisfied
        }
        if isBack { continuation.yield() }
      }
      continuation.onTermination = { _ in monitor.cancel() }
      // The framework asks for a queue; nothing but the yield above runs on it.
      monitor.start(queue: DispatchQueue(label: "IAPKit.network"))
      #else
      continuation.finish()
      #endif
    }
  }
}
