import Foundation
import HTTPValues
import IAPModel
import SimulatedApp
import Testing

@testable import IAPKit

@Suite("The name of a call", .timeLimit(.minutes(1)))
struct CallWatchTests {
  /// A server that answers all the same, and the headers that came.
  private final class Server: Sendable {
    let headers = Guarded<[String?]>([])
    let status: Int
    let body: String

    init(_ status: Int = 200, _ body: String = #"{"isValid":true}"#) {
      (self.status, self.body) = (status, body)
    }

    var transport: AppTransport {
      { [headers, status, body] call in
        headers.withLock { $0.append(call.headers["traceparent"]) }
        guard status > 0 else { throw IAPError.unknown }
        return ClientResponse(status: status, body: Array(body.utf8))
      }
    }

    /// The names that came, as the real server reads them.
    var names: [String?] {
      headers.withLock { $0 }.map { $0.flatMap { TraceContext(header: $0)?.trace } }
    }
  }

  /// Names that count up.
  private static func counted() -> @Sendable () -> UUID {
    let count = Guarded(0)
    return {
      let number = count.withLock { count in
        count += 1
        return count
      }
      return UUID(uuidString: "0000000A-0000-4000-8000-" + String(format: "%012d", number))!
    }
  }

  private func watch(_ told: Guarded<[NamedCall]>, isNaming: Bool = true) -> CallWatch {
    var world = ScriptedWorld().world()
    world.trace = isNaming ? Self.counted() : nil
    let watch = CallWatch(world)
    watch.tell { call in told.withLock { $0.append(call) } }
    return watch
  }

  private let evidence = TransactionEvidence(
    signedTransaction: "a.b.c",
    transactionId: "1",
    originalTransactionId: "1",
    productId: "coins",
    isSandbox: true
  )

  @Test("leads from an order's timeline to the server's log", arguments: generations)
  func timeline(generation: StoreGeneration) async throws {
    let server = Server()
    let app = try Shop(generation).install()
    let endpoint = try #require(URL(string: "https://example.test/v1/verify"))
    app.update {
      $0.judge = .server(endpoint: endpoint, transport: server.transport)
      $0.trace = Self.counted()
    }
    try await app.launch()
    _ = try await app.buy(Shop.coins)
    await app.waitUntilQueueIsEmpty()
    await app.events.wait { if case .finished = $0 { true } else { false } }
    let order = try #require(app.manager.store.orders.first)
    let calls = app.manager.timeline(ofOrder: order.displayNumber)
      .filter { $0.name == .serverCalled }
    // The question, and that the goods were handed over.
    #expect(calls.count == 2)
    #expect(calls.map { $0.details["trace"] } == server.names)
    #expect(Set(server.names.compactMap { $0 }).count == 2)
    for call in calls {
      #expect(call.details["call"] == "verify")
      #expect(call.details["status"] == "200")
      #expect(call.product == Shop.coins)
    }
    let bundle = String(decoding: try app.manager.supportBundle(), as: UTF8.self)
    for case let name? in server.names { #expect(bundle.contains(name)) }
  }

  @Test("is told with the status of an answer, and without one when there is none")
  func unanswered() async throws {
    let told = Guarded<[NamedCall]>([])
    let watch = watch(told)
    let url = try #require(URL(string: "https://example.test/v1/verify"))
    let servers = [Server(), Server(503, "<html>"), Server(0)]
    for server in servers {
      _ = try? await watch.watching(server.transport)(ClientRequest(method: "POST", url: url))
    }
    let calls = told.withLock { $0 }
    #expect(calls.map(\.status) == [200, 503, nil])
    #expect(calls.map(\.trace) == servers.flatMap(\.names))
    #expect(Set(calls.map(\.trace)).count == 3)
  }

  @Test("is given to calls of a validator or signer that the app made, within another too")
  func callers() async throws {
    let told = Guarded<[NamedCall]>([])
    let watch = watch(told)
    let server = Server()
    let access = ServerAccess(url: try #require(URL(string: "https://example.test")))
    let asking = ServerReceiptValidator(server: access, http: server.transport)
    let validators: [any ReceiptValidator] = [
      asking, CompositeReceiptValidator(server: asking, local: asking),
    ]
    for validator in validators {
      #expect(try await watch.watching(validator).validate(evidence).isValid)
    }
    let signer: any OfferSigner = ServerOfferSigner(server: access, http: server.transport)
    let request = OfferSignatureRequest(format: .promotional, productId: "coins", offerId: "x")
    _ = try? await watch.watching(signer).sign(request)
    let calls = told.withLock { $0 }
    #expect(calls.map(\.call) == ["verify", "verify", "signature"])
    #expect(calls.map(\.trace) == server.names)
    #expect(calls.first?.subject.transaction == "1")
  }

  @Test("is missing where there is no chance for it, and nothing is told")
  func unnamed() async throws {
    let told = Guarded<[NamedCall]>([])
    let server = Server()
    let url = try #require(URL(string: "https://example.test/v1/verify"))
    let asking: any ReceiptValidator = ServerReceiptValidator(
      endpoint: url,
      http: server.transport
    )
    let watch = watch(told, isNaming: false)
    #expect(try await watch.watching(asking).validate(evidence).isValid)
    _ = try await watch.watching(server.transport)(ClientRequest(method: "GET", url: url))
    #expect(server.headers.withLock { $0 } == [nil, nil])
    #expect(told.withLock { $0 }.isEmpty)
  }
}
