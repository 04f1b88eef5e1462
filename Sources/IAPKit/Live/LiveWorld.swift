package import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif
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
      uuid: { UUID() },
      random: { Double.random(in: 0..<1) },
      files: LiveFiles(directory: directory ?? LiveFiles.standardDirectory),
      http: http,
      log: log
    )
    #if canImport(CryptoKit) && canImport(Security)
    world.secrets = LiveSecrets()
    world.trust = .ofThisApp
    #endif
    return world
  }

  /// This device's clock.
  package static let now: @Sendable () -> Date = { Date() }

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
    var request = URLRequest(url: call.url, timeoutInterval: call.timeout)
    request.httpMethod = call.method
    request.cachePolicy = .reloadIgnoringLocalCacheData
    for (name, value) in call.headers { request.setValue(value, forHTTPHeaderField: name) }
    if !call.body.isEmpty { request.httpBody = Data(call.body) }
    return try await LiveHTTPCall().answer(to: request)
  }

  /// The app receipt where Apple's platforms keep it; nil when there is none.
  package static let receipt: @Sendable () -> [UInt8]? = {
    guard let url = Bundle.main.appStoreReceiptURL, let data = try? Data(contentsOf: url),
      !data.isEmpty
    else { return nil }
    return [UInt8](data)
  }

  /// Whether this build was installed from somewhere else than the App Store: a hint only.
  package static var isSandboxHint: Bool {
    Bundle.main.appStoreReceiptURL?.lastPathComponent == "sandboxReceipt"
  }
}

/// One HTTP call, which ends with its answer or with the cancelling of its task.
private final class LiveHTTPCall: Sendable {
  private struct State {
    var task: URLSessionDataTask?
    var isCancelled = false
  }

  private let state = Locked(State())

  func answer(to request: URLRequest) async throws -> ClientResponse {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let task = URLSession.shared.dataTask(with: request) { data, response, error in
          continuation.resume(with: Self.result(data, response, error))
        }
        let isCancelled = state.withLock { state in
          state.task = task
          return state.isCancelled
        }
        task.resume()
        if isCancelled { task.cancel() }
      }
    } onCancel: {
      let task = state.withLock { state in
        state.isCancelled = true
        return state.task
      }
      task?.cancel()
    }
  }

  private static func result(
    _ data: Data?,
    _ response: URLResponse?,
    _ error: (any Error)?
  ) -> Result<ClientResponse, any Error> {
    if let error { return .failure(IAPError.network(underlying: error)) }
    guard let response = response as? HTTPURLResponse else {
      return .failure(ServerAnswer.problem("the answer is not HTTP", status: 0))
    }
    var headers: [String: String] = [:]
    for (name, value) in response.allHeaderFields {
      headers["\(name)".lowercased()] = "\(value)"
    }
    return .success(
      ClientResponse(status: response.statusCode, headers: headers, body: [UInt8](data ?? Data()))
    )
  }
}
