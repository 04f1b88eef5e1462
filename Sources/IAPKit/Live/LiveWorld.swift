package import Foundation
#if canImport(os)
import os
#endif

/// The real world: this device's clock, chance, disk and network.
package enum LiveWorld {
  /// Makes the world of an app.
  ///
  /// - Parameters:
  ///   - directory: The folder for the client's files; nil for a folder in Application Support.
  ///   - log: Receives every line.
  /// - Returns: The world.
  package static func make(
    directory: URL?,
    log: @escaping @Sendable (LogLine) -> Void
  ) -> IAPWorld {
    var world = IAPWorld(
      now: now,
      sleep: { seconds in
        try await Task.sleep(nanoseconds: UInt64(max(0, seconds) * 1_000_000_000))
      },
      uuid: uuid,
      random: { Double.random(in: 0..<1) },
      files: LiveFiles(directory: directory ?? LiveFiles.standardDirectory),
      http: http,
      log: log
    )
    #if canImport(CryptoKit) && canImport(Security)
    world.secrets = LiveSecrets()
    world.trust = .ofThisApp
    #endif
    world.networkReturns = LiveNetwork.returns
    world.trace = uuid
    return world
  }

  /// This device's clock.
  package static let now: @Sendable () -> Date = { Date() }

  /// Names that nothing else has.
  package static let uuid: @Sendable () -> UUID = { UUID() }

  /// Writes a line to the system's log; to standard error where there is none.
  package static func log(_ line: LogLine) {
    #if canImport(os)
    let logger = Logger(subsystem: "IAPKit", category: "client")
    switch line.level {
    case .debug: logger.debug("\(line.message, privacy: .public)")
    case .info: logger.info("\(line.message, privacy: .public)")
    case .warning: logger.warning("\(line.message, privacy: .public)")
    case .error: logger.error("\(line.message, privacy: .public)")
    }
    #else
    FileHandle.standardError.write(Data("IAPKit \(line.level): \(line.message)\n".utf8))
    #endif
  }

  /// Makes one HTTP call.
  package static let http: @Sendable (ClientRequest) async throws -> ClientResponse = { call in
    var call = call
    // A chain of work begins with each call: the server and the app's own backend write it down.
    if call.headers[TraceHeader.name] == nil {
      call.headers[TraceHeader.name] = TraceHeader.value(trace: uuid(), span: uuid())
    }
    return try await LiveHTTP.network.answer(to: call)
  }

  /// The app receipt where Apple's platforms keep it; nil when there is none.
  package static let receipt: @Sendable () -> [UInt8]? = {
    guard let url = Bundle.main.appStoreReceiptURL, let data = try? Data(contentsOf: url),
      !data.isEmpty
    else { return nil }
    return [UInt8](data)
  }
}
