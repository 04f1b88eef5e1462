import HTTPClient
import HTTPValues
import MicroHTTP
import Testing

@Suite struct HTTPClientTests {
  private func withServer(
    _ handler: @escaping HTTPHandler,
    _ body: (HTTPServer) async throws -> Void
  ) async throws {
    let server = try HTTPServer.start(host: "127.0.0.1", port: 0, handler: handler)
    do {
      try await body(server)
    } catch {
      await server.stop()
      throw error
    }
    await server.stop()
  }

  private func failure(
    _ client: HTTPClient,
    _ request: HTTPOutgoingRequest
  ) async -> HTTPClientError? {
    do throws(HTTPClientError) {
      _ = try await client.send(request)
      return nil
    } catch {
      return error
    }
  }

  @Test(arguments: [HTTPMethod.get, .post, .put, .patch, .delete, .options])
  func everyMethodArrives(method: HTTPMethod) async throws {
    try await withServer({ .text(200, "\($0.method) \($0.body.count)") }) { server in
      for body in [[], Array("abc".utf8)] where method != .get || body.isEmpty {
        let response = try await HTTPClient().send(
          HTTPOutgoingRequest(method: method, url: server.address.url, body: body)
        )
        #expect(String(decoding: response.body, as: UTF8.self) == "\(method) \(body.count)")
      }
    }
  }

  @Test func aHeadRequestHasNoBody() async throws {
    try await withServer({ _ in .text(200, "abc") }) { server in
      let response = try await HTTPClient().send(
        HTTPOutgoingRequest(method: .head, url: server.address.url)
      )
      #expect(response.status == 200)
      #expect(response.body.isEmpty)
    }
  }

  @Test func headersTravelBothWays() async throws {
    let handler: HTTPHandler = { request in
      HTTPResponse(
        status: 200,
        headers: [
          "A": request.headers["x-one"] ?? "-",
          "B": request.headers["x-two"].map { "(\($0))" } ?? "-", "D": "first", "d": "second",
        ]
      )
    }
    try await withServer(handler) { server in
      let response = try await HTTPClient().send(
        HTTPOutgoingRequest(
          method: .get,
          url: server.address.url,
          headers: ["X-One": "1 and more", "X-Two": ""]
        )
      )
      #expect(response.headers["a"] == "1 and more")
      #expect(response.headers["b"] == "()")
      #expect(response.headers.values("d") == ["first", "second"])
    }
  }

  @Test func anErrorStatusIsAResponse() async throws {
    try await withServer({ _ in .text(503, "later") }) { server in
      let response = try await HTTPClient().send(
        HTTPOutgoingRequest(method: .get, url: server.address.url)
      )
      #expect(response.status == 503)
    }
  }

  @Test func redirectsAreNotFollowed() async throws {
    try await withServer({ _ in HTTPResponse(status: 302, headers: ["Location": "/else"]) }) {
      server in
      let response = try await HTTPClient().send(
        HTTPOutgoingRequest(method: .get, url: server.address.url)
      )
      #expect(response.status == 302)
    }
  }

  @Test func aResponseAtTheLimitIsTakenAndOneByteMoreIsRefused() async throws {
    try await withServer({ .text(200, String(repeating: "x", count: $0.body.count)) }) { server in
      let client = HTTPClient(limits: HTTPClientLimits(bodyBytesMax: 1000))
      func request(_ count: Int) -> HTTPOutgoingRequest {
        HTTPOutgoingRequest(
          method: .post,
          url: server.address.url,
          body: [UInt8](repeating: 0, count: count)
        )
      }
      let response = try await client.send(request(1000))
      #expect(response.body.count == 1000)
      #expect(await failure(client, request(1001)) == HTTPClientError(.responseTooLarge, ""))
    }
  }

  @Test func aHeadBeyondTheLimitIsRefused() async throws {
    let handler: HTTPHandler = { _ in
      HTTPResponse(status: 200, headers: ["X": String(repeating: "y", count: 2000)])
    }
    try await withServer(handler) { server in
      let client = HTTPClient(limits: HTTPClientLimits(headerBytesMax: 1000))
      let request = HTTPOutgoingRequest(method: .get, url: server.address.url)
      #expect(await failure(client, request) == HTTPClientError(.responseTooLarge, ""))
    }
  }

  @Test func aServerThatIsSilentTimesOut() async throws {
    let gate = Gate()
    try await withServer({ _ in
      await gate.pass()
      return .text(200, "late")
    }) { server in
      let request = HTTPOutgoingRequest(
        method: .get,
        url: server.address.url,
        timeout: .milliseconds(50)
      )
      let error = await failure(HTTPClient(), request)
      #expect(error == HTTPClientError(.timedOut, ""))
      #expect(error?.isRetryable == true)
      gate.open()
    }
  }

  @Test func cancellingTheTaskEndsTheTransfer() async throws {
    let gate = Gate()
    try await withServer({ _ in
      await gate.pass()
      return .text(200, "late")
    }) { server in
      let client = HTTPClient()
      let url = server.address.url
      let task = Task {
        await failure(client, HTTPOutgoingRequest(method: .get, url: url))
      }
      await gate.arrival()
      task.cancel()
      #expect(await task.value == HTTPClientError(.cancelled, ""))
      gate.open()
    }
  }

  @Test func aTaskCancelledBeforeSendsNothing() async throws {
    try await withServer({ _ in .text(200, "") }) { server in
      let client = HTTPClient()
      let url = server.address.url
      let gate = Gate()
      let task = Task {
        await gate.pass()
        return await failure(client, HTTPOutgoingRequest(method: .get, url: url))
      }
      task.cancel()
      gate.open()
      #expect(await task.value == HTTPClientError(.cancelled, ""))
    }
  }

  @Test func nobodyListeningIsAConnectionFailure() async throws {
    let server = try HTTPServer.start(host: "127.0.0.1", port: 0) { _ in .text(200, "") }
    await server.stop()
    let request = HTTPOutgoingRequest(method: .get, url: server.address.url)
    let error = await failure(HTTPClient(), request)
    #expect(error == HTTPClientError(.connectFailed, ""))
  }

  @Test(arguments: ["", "localhost", "/path", "file:///etc/hosts", "ftp://a/b", "http://a b/"])
  func anAddressThatIsNoHTTPAddressIsRefused(url: String) async {
    let error = await failure(HTTPClient(), HTTPOutgoingRequest(method: .get, url: url))
    #expect(error == HTTPClientError(.urlInvalid, ""))
  }

  @Test func blockedTransfersLeaveTheSharedPoolFree() async throws {
    let gate = Gate()
    try await withServer({ _ in
      await gate.pass()
      return .text(200, "released")
    }) { server in
      let client = HTTPClient()
      let url = server.address.url
      let answers = await withTaskGroup(of: Int.self) { group in
        for _ in 0..<40 {
          group.addTask {
            (try? await client.send(HTTPOutgoingRequest(method: .get, url: url)))?.status ?? 0
          }
        }
        // Runs although forty transfers wait, and lets them go.
        group.addTask {
          await gate.arrival()
          gate.open()
          return 0
        }
        return await group.reduce(into: 0) { $0 += $1 == 200 ? 1 : 0 }
      }
      #expect(answers == 40)
    }
  }
}
