import Dispatch
package import EntitlementServer
import Foundation
package import FuzzSupport
package import HTTPValues
import IAPModel
import IAPSignatures
import OpenSSLCrypto
import ServerStorage

/// A whole server on a ledger in memory.
package final class FuzzServer: Sendable {
  package let server: EntitlementServer
  private let settings: (ServerConfiguration, ServerVerifiers)

  package init(_ seeds: FuzzSeeds) throws {
    let app = ServerApp(
      bundleID: FuzzSeeds.bundleID,
      appAppleID: FuzzSeeds.appAppleID,
      environments: [.production]
    )
    var limits = ServerLimits.standard
    limits.requestsPerMinuteMax = .max
    let configuration = ServerConfiguration(apps: [app], isSimulated: true, limits: limits)
    let verifiers = ServerVerifiers(
      anchors: try .simulated([seeds.chain.root]),
      configuration: configuration,
      crypto: seeds.crypto,
      cache: BoundedChainCache()
    )
    settings = (configuration, verifiers)
    server = EntitlementServer(
      configuration: configuration,
      ledger: InMemoryLedger(),
      verifiers: verifiers,
      clock: ClosureClock { FuzzSeeds.now },
      world: ServerWorld(
        requestID: { "request" },
        uptime: { .zero },
        random: { [UInt8](repeating: 7, count: $0) },
        log: { _ in }
      )
    )
  }

  /// Answers a request, and waits for the answer.
  package func answer(_ request: HTTPRequest) -> HTTPResponse {
    let done = DispatchSemaphore(value: 0)
    let box = ResponseBox()
    Task { [server] in
      box.set(await server.answer(request))
      done.signal()
    }
    done.wait()
    return box.value ?? .text(500, "")
  }

  /// A server must answer whatever comes; its own mistake is a finding.
  package static func check(_ response: HTTPResponse) {
    precondition((100...599).contains(response.status), "no status: \(response.status)")
    precondition(response.status != 500, "the server made a mistake: \(response.status)")
  }
}

/// Where a task leaves its response.
private final class ResponseBox: @unchecked Sendable {  // The semaphore orders both accesses.
  private(set) var value: HTTPResponse?
  func set(_ response: HTTPResponse) { value = response }
}
