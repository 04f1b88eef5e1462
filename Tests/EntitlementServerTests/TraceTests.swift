import AppStoreSimulator
import EntitlementServer
import HTTPValues
import IAPModel
import Synchronization
import Testing

/// One trace id from the caller through the log to the webhook.
@Suite("Traces")
struct TraceTests {
  private static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
  private static let header = "00-\(trace)-00f067aa0ba902b7-01"

  @Test("a header of the specification is read, and everything else is none")
  func headers() throws {
    let context = try #require(TraceContext(header: Self.header))
    #expect(context.trace == Self.trace)
    #expect(context.span == "00f067aa0ba902b7")
    #expect(context.header == Self.header)
    #expect(TraceContext(header: "00-\(Self.trace)-00f067aa0ba902b7-00")?.isSampled == false)
    // A later version may have more behind it.
    #expect(TraceContext(header: "01-\(Self.trace)-00f067aa0ba902b7-01-more") != nil)
    for bad in [
      "", "00", "00-\(Self.trace)-00f067aa0ba902b7", "ff-\(Self.trace)-00f067aa0ba902b7-01",
      "00-\(Self.trace.uppercased())-00f067aa0ba902b7-01", Self.header + "-more",
      "00-\(String(repeating: "0", count: 32))-00f067aa0ba902b7-01",
      "00-\(Self.trace)-0000000000000000-01", "00-\(Self.trace)0-00f067aa0ba902b7-01",
      "00-\(Self.trace)-00f067aa0ba902b7-0g", "0-\(Self.trace)-00f067aa0ba902b7-01",
    ] {
      #expect(TraceContext(header: bad) == nil, "\(bad)")
    }
  }

  @Test func aPartNeedsEightBytesAndAChainTwentyFour() throws {
    let bytes = [UInt8](1...24)
    let context = try #require(TraceContext(bytes: bytes))
    #expect(context.header == "00-0102030405060708090a0b0c0d0e0f10-1112131415161718-01")
    #expect(TraceContext(bytes: Array(bytes.dropLast())) == nil)
    #expect(TraceContext(bytes: [UInt8](repeating: 0, count: 24)) == nil)
    let next = try #require(context.next(Array(repeating: 1, count: 8)))
    #expect(next.trace == context.trace)
    #expect(next.span == "0101010101010101")
    #expect(context.next([1, 2, 3]) == nil)
  }

  @Test func theLogNamesTheCallersTraceOrOneOfItsOwn() async throws {
    let test = try TestServer()
    let request = HTTPRequest(method: .get, target: "/healthz")
    var traced = request
    traced.headers["traceparent"] = Self.header
    var broken = request
    broken.headers["traceparent"] = "00-none"
    for request in [traced, request, broken] { _ = await test.server.answer(request) }
    let ids = test.logged.filter { $0.name == "request" }.compactMap { event in
      event.fields.first { $0.name == "trace_id" }?.value
    }
    #expect(ids.count == 3)
    #expect(ids.first == Self.trace)
    #expect(Set(ids).count == 3)
    #expect(ids.allSatisfy { $0.utf8.count == 32 })
  }

  @Test func aWebhookCarriesTheTraceOfTheRequestThatBroughtItAbout() async throws {
    let receiver = WebhookReceiver { _, count in count == 0 ? .broken : .ok }
    let test = try TestServer(receiver)
    try await test.addEndpoint(receiver)
    let coins = try test.buy(DemoCatalog.coins)
    let text = try test.store.signedTransaction(coins.transactionID)
    let body: JSONObject = [
      "signedTransaction": .string(text), "account": "mia", "sandbox": true,
    ]
    var request = HTTPRequest(
      method: .post,
      target: "/v1/verify",
      headers: ["Content-Type": "application/json"],
      body: body.serialized
    )
    request.headers["traceparent"] = Self.header
    #expect(await test.server.answer(request).status == 200)
    await test.sendAll()
    receiver.advance(60)
    await test.sendAll()
    let contexts = receiver.state.withLock(\.requests)
      .compactMap { $0.headers["traceparent"].flatMap { TraceContext(header: $0) } }
    #expect(contexts.count >= 2)
    #expect(Set(contexts.map(\.trace)) == [Self.trace])
    // Each attempt is a part of its own.
    #expect(Set(contexts.map(\.span)).count == contexts.count)
  }

  @Test func anEventWithoutACallersTraceHasOneOfItsOwn() async throws {
    let receiver = WebhookReceiver()
    let test = try TestServer(receiver)
    try await test.addEndpoint(receiver)
    try await test.buy(DemoCatalog.coins, as: "mia")
    try await test.buy(DemoCatalog.coins, as: "mia")
    await test.sendAll()
    let traces = receiver.state.withLock(\.requests)
      .compactMap { $0.headers["traceparent"].flatMap { TraceContext(header: $0) }?.trace }
    #expect(traces.count == receiver.received.count)
    #expect(Set(traces).count == Set(receiver.received.map(\.id)).count)
  }
}
