import HTTPClient
import HTTPValues
import MicroHTTP
import Testing

/// Answers with what the request said.
private let echo: HTTPHandler = { request in
  HTTPResponse(
    status: 200,
    headers: ["X-Method": request.method.rawValue, "X-Target": request.target],
    body: request.body
  )
}

private func withServer(
  limits: HTTPLimits = .standard,
  handler: @escaping HTTPHandler = echo,
  _ body: (HTTPServer) async throws -> Void
) async throws {
  let server = try HTTPServer.start(host: "127.0.0.1", port: 0, limits: limits, handler: handler)
  do {
    try await body(server)
  } catch {
    await server.stop()
    throw error
  }
  await server.stop()
  #expect(server.activeRequestCount == 0)
  #expect(server.connectionCount == 0)
}

@Suite struct HTTPServerTests {
  @Test func answersWithWhatTheHandlerReturns() async throws {
    try await withServer { server in
      let response = try await HTTPClient().send(
        HTTPOutgoingRequest(
          method: .post,
          url: server.address.url + "/a%20b/c?d=e%2Ff&g",
          body: Array("hello".utf8)
        )
      )
      #expect(response.status == 200)
      #expect(response.body == Array("hello".utf8))
      #expect(response.headers["x-method"] == "POST")
      #expect(response.headers["x-target"] == "/a%20b/c?d=e%2Ff&g")
    }
  }

  @Test func tellsWhereItListens() async throws {
    try await withServer { server in
      #expect(server.address.host == "127.0.0.1")
      #expect(server.address.port > 0)
      #expect(server.address.url == "http://127.0.0.1:\(server.address.port)")
    }
  }

  @Test func remoteAddressIsNumeric() async throws {
    try await withServer(handler: { .text(200, $0.remote ?? "none") }) { server in
      let response = try await HTTPClient().send(
        HTTPOutgoingRequest(method: .get, url: server.address.url + "/")
      )
      #expect(String(decoding: response.body, as: UTF8.self) == "127.0.0.1")
    }
  }

  @Test func manyRequestsAtOnceAreAllAnswered() async throws {
    try await withServer { server in
      let client = HTTPClient()
      let url = server.address.url + "/"
      let failures = await withTaskGroup(of: String?.self) { group in
        for index in 0..<500 {
          group.addTask {
            let body = Array("number \(index)".utf8)
            let request = HTTPOutgoingRequest(method: .post, url: url, body: body)
            do throws(HTTPClientError) {
              let response = try await client.send(request)
              return response.body == body ? nil : "another answer than the request's own"
            } catch {
              return error.description
            }
          }
        }
        return await group.reduce(into: [String]()) { list, failure in
          if let failure { list.append(failure) }
        }
      }
      #expect(failures == [])
    }
  }

  @Test func oneConnectionCarriesManyRequests() async throws {
    try await withServer { server in
      let connection = try RawConnection(port: server.address.port)
      for index in 0..<300 {
        let body = "request \(index)"
        await connection.send(
          "POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
        )
        let response = await connection.response()
        #expect(response?.body == body)
      }
      #expect(server.connectionCount == 1)
    }
  }

  @Test func aSlowHandlerHoldsUpNobodyElse() async throws {
    let gate = Gate()
    let handler: HTTPHandler = { request in
      if request.path == "/slow" { await gate.pass() }
      return .text(200, request.path)
    }
    try await withServer(handler: handler) { server in
      let slow = try RawConnection(port: server.address.port)
      await slow.send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n")
      await gate.arrival()
      let quick = try await HTTPClient().send(
        HTTPOutgoingRequest(method: .get, url: server.address.url + "/quick")
      )
      #expect(quick.body == Array("/quick".utf8))
      gate.open()
      #expect(await slow.response()?.body == "/slow")
    }
  }

  @Test func stopAnswersWhatWasBegunAndRefusesTheRest() async throws {
    let gate = Gate()
    let server = try HTTPServer.start(host: "127.0.0.1", port: 0) { _ in
      await gate.pass()
      return .text(200, "done")
    }
    let connection = try RawConnection(port: server.address.port)
    await connection.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    await gate.arrival()
    async let stopped: Void = server.stop()
    while (try? RawConnection(port: server.address.port)) != nil { await Task.yield() }
    gate.open()
    let response = await connection.response()
    #expect(response?.body == "done")
    #expect(response?.head.contains("Connection: close") == true)
    await stopped
    #expect(await connection.readToEnd().isEmpty)
    await server.stop()
  }

  @Test func stopDoesNotWaitForEverForAHandler() async throws {
    let gate = Gate()
    let limits = HTTPLimits(stopTimeout: .milliseconds(50))
    let server = try HTTPServer.start(host: "127.0.0.1", port: 0, limits: limits) { _ in
      await gate.pass()
      return .text(200, "too late")
    }
    let connection = try RawConnection(port: server.address.port)
    await connection.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    await gate.arrival()
    await server.stop()
    #expect(await connection.response()?.status == 503)
    gate.open()
  }

  @Test func aPortThatIsTakenIsNamed() async throws {
    try await withServer { server in
      #expect(throws: HTTPServerError(.addressInUse, "")) {
        try HTTPServer.start(host: "127.0.0.1", port: server.address.port, handler: echo)
      }
    }
  }

  @Test(arguments: [("not an address", 0), ("127.0.0.1", 65_536), ("127.0.0.1", -1)])
  func anAddressThatIsNoneIsNamed(host: String, port: Int) {
    #expect(throws: HTTPServerError(.addressInvalid, "")) {
      try HTTPServer.start(host: host, port: port, handler: echo)
    }
  }
}
