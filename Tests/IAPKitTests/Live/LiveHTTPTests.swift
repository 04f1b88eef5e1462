import Foundation
import HTTPValues
import IAPKit
import IAPModel
import MicroHTTP
import Testing

@Suite("The real network", .timeLimit(.minutes(1)))
struct LiveHTTPTests {
  private func withServer(
    _ handler: @escaping HTTPHandler,
    _ body: (URL) async throws -> Void
  ) async throws {
    let server = try HTTPServer.start(host: "127.0.0.1", port: 0, handler: handler)
    let url = try #require(URL(string: server.address.url + "/v1/verify"))
    do {
      try await body(url)
    } catch {
      await server.stop()
      throw error
    }
    await server.stop()
  }

  @Test("carries a question to a server and its answer back")
  func roundTrip() async throws {
    try await withServer { request in
      let body = try? JSONParser.parseObject(request.body)
      let isAsked =
        request.method == .post && request.path == "/v1/verify"
        && body?["signedTransaction"] == "a.b.c"
        && request.headers["Content-Type"] == "application/json"
      return HTTPResponse(
        status: 200,
        body: Array(#"{"verdict":"\#(isAsked ? "accepted" : "rejected")"}"#.utf8)
      )
    } _: { url in
      let result = try await ServerReceiptValidator(endpoint: url).validate(
        TransactionEvidence(
          signedTransaction: "a.b.c",
          transactionId: "1",
          originalTransactionId: "1",
          productId: "coins",
          isSandbox: true
        )
      )
      #expect(result.isValid)
    }
  }

  @Test("tells a refusal of the gateway from a verdict")
  func gateway() async throws {
    try await withServer { _ in
      HTTPResponse(status: 502, body: Array(#"{"isValid":false}"#.utf8))
    } _: { url in
      await #expect(throws: IAPError.network(underlying: CancellationError())) {
        _ = try await ServerReceiptValidator(endpoint: url)
          .validate(receiptData: Data([1]), isSandbox: true)
      }
    }
  }

  @Test("says that nobody answers")
  func nobodyThere() async throws {
    let server = try HTTPServer.start(host: "127.0.0.1", port: 0) { _ in
      HTTPResponse(status: 200)
    }
    let url = try #require(URL(string: server.address.url))
    await server.stop()
    await #expect(throws: IAPError.network(underlying: CancellationError())) {
      _ = try await LiveWorld.http(ClientRequest(method: "GET", url: url))
    }
  }

  @Test("does not follow a redirect, which would carry the app's key elsewhere")
  func redirect() async throws {
    try await withServer { request in
      request.path == "/elsewhere"
        ? HTTPResponse(status: 200, body: Array(#"{"isValid":true}"#.utf8))
        : HTTPResponse(status: 302, headers: ["Location": "/elsewhere"])
    } _: { url in
      let answer = try await LiveWorld.http(ClientRequest(method: "GET", url: url))
      #expect(answer.status == 302)
      await #expect(throws: IAPError.network(underlying: CancellationError())) {
        _ = try await ServerReceiptValidator(endpoint: url)
          .validate(receiptData: Data([1]), isSandbox: true)
      }
    }
  }

  @Test("reads an answer up to the limit of the call and gives up a longer one")
  func longAnswers() async throws {
    try await withServer { _ in
      HTTPResponse(status: 200, body: [UInt8](repeating: 1, count: 100_000))
    } _: { url in
      let fits = ClientRequest(method: "GET", url: url, answerBytesMax: 100_000)
      let answer = try await LiveWorld.http(fits)
      #expect(answer.body.count == 100_000)
      let tooLong = ClientRequest(method: "GET", url: url, answerBytesMax: 99_999)
      await #expect(throws: IAPError.network(underlying: CancellationError())) {
        _ = try await LiveWorld.http(tooLong)
      }
    }
  }

  @Test("ends a call whose task is cancelled")
  func cancelling() async throws {
    let (asked, isAsked) = AsyncStream<Void>.makeStream()
    let (release, isReleased) = AsyncStream<Void>.makeStream()
    try await withServer { _ in
      isAsked.finish()
      for await _ in release {}
      return HTTPResponse(status: 200)
    } _: { url in
      let call = Task { try await LiveWorld.http(ClientRequest(method: "GET", url: url)) }
      for await _ in asked {}
      call.cancel()
      await #expect(throws: IAPError.network(underlying: CancellationError())) {
        _ = try await call.value
      }
      isReleased.finish()
    }
  }
}
