import HTTPClient
import HTTPValues
import MicroHTTP
import Testing

private func withServer(
  limits: HTTPLimits,
  handler: @escaping HTTPHandler = { .text(200, "\($0.body.count)") },
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
}

private func post(_ bytes: Int) -> String {
  "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(bytes)\r\n\r\n"
    + String(repeating: "x", count: bytes)
}

private func chunked(_ bytes: Int) -> String {
  "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
    + String(bytes, radix: 16) + "\r\n" + String(repeating: "x", count: bytes) + "\r\n0\r\n\r\n"
}

@Suite struct HTTPServerLimitTests {
  private let limits = HTTPLimits(bodyBytesMax: 1000, discardedBodyBytesMax: 5000)

  @Test func aBodyAtTheLimitIsTakenAndOneByteMoreIsRefused() async throws {
    try await withServer(limits: limits) { server in
      let connection = try RawConnection(port: server.address.port)
      for text in [post(1000), chunked(1000)] {
        await connection.send(text)
        #expect(await connection.response()?.body == "1000")
      }
      // The connection outlives the refusal.
      for text in [post(1001), chunked(1001)] {
        await connection.send(text)
        #expect(await connection.response()?.status == 413)
      }
      await connection.send(post(3))
      #expect(await connection.response()?.body == "3")
    }
  }

  @Test func aBodyBeyondWhatIsThrownAwayEndsTheConnection() async throws {
    try await withServer(limits: limits) { server in
      let atLimit = try RawConnection(port: server.address.port)
      await atLimit.send(post(6000))
      #expect(await atLimit.response()?.status == 413)
      let head = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 6001\r\n\r\n"
      let beyond = try RawConnection(port: server.address.port)
      await beyond.send(head)
      #expect(await beyond.response()?.status == 413)
      #expect(await beyond.readToEnd().isEmpty)
      let unannounced = try RawConnection(port: server.address.port)
      await unannounced.send(chunked(200_000))
      #expect(await unannounced.readToEnd().isEmpty)
    }
  }

  @Test func whoAsksFirstIsToldBeforeSendingTooMuch() async throws {
    try await withServer(limits: limits) { server in
      let connection = try RawConnection(port: server.address.port)
      await connection.send(
        "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 1001\r\n\r\n"
      )
      #expect(await connection.response()?.status == 413)
      let other = try RawConnection(port: server.address.port)
      await other.send(
        "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n"
      )
      await other.send("xx")
      #expect(await other.response()?.body == "2")
    }
  }

  @Test func aHeadAtTheLimitIsTakenAndOneByteMoreIsRefused() async throws {
    try await withServer(limits: HTTPLimits(headerBytesMax: 500)) { server in
      func head(_ bytes: Int) -> String {
        let fixed = "GET / HTTP/1.1\r\nHost: a\r\nX: \r\n\r\n"
        let filler = String(repeating: "y", count: bytes - fixed.utf8.count)
        return "GET / HTTP/1.1\r\nHost: a\r\nX: \(filler)\r\n\r\n"
      }
      let connection = try RawConnection(port: server.address.port)
      await connection.send(head(500))
      #expect(await connection.response()?.status == 200)
      await connection.send(head(501))
      #expect(await connection.response()?.status == 431)
    }
  }

  @Test func aHeadThatIsFarTooLongIsRefusedInOurWords() async throws {
    try await withServer(limits: .standard) { server in
      let connection = try RawConnection(port: server.address.port)
      let filler = String(repeating: "y", count: 5 * HTTPLimits.standard.headerBytesMax)
      await connection.send("GET / HTTP/1.1\r\nHost: a\r\nX: \(filler)\r\n\r\n")
      let response = await connection.response()
      #expect(response?.status == 431)
      #expect(response?.body == "431\n")
    }
  }

  @Test func oneAddressHasSoManyConnectionsAndNotOneMore() async throws {
    let limits = HTTPLimits(connectionsMax: 10, connectionsPerAddressMax: 2)
    try await withServer(limits: limits) { server in
      let first = try RawConnection(port: server.address.port)
      let second = try RawConnection(port: server.address.port)
      for connection in [first, second] {
        await connection.send(post(1))
        #expect(await connection.response()?.status == 200)
      }
      let third = try RawConnection(port: server.address.port)
      await third.send(post(1))
      #expect(await third.response() == nil)
      await first.drop()
      // The server notices in its own time that there is room again.
      var isServed = false
      for _ in 0..<1000 where !isServed {
        let next = try RawConnection(port: server.address.port)
        await next.send(post(1))
        isServed = await next.response()?.status == 200
      }
      #expect(isServed)
    }
  }

  @Test func connectionsBeyondTheLimitWaitOrAreClosed() async throws {
    try await withServer(limits: HTTPLimits(connectionsMax: 2)) { server in
      let first = try RawConnection(port: server.address.port)
      let second = try RawConnection(port: server.address.port)
      for connection in [first, second] {
        await connection.send(post(1))
        #expect(await connection.response()?.status == 200)
      }
      let third = try RawConnection(port: server.address.port)
      await third.send(post(1))
      #expect(server.connectionCount == 2)
      await first.drop()
      // Either it was closed, or its turn comes now; the next one is served in any case.
      let answer = await third.response()
      #expect(answer == nil || answer?.status == 200)
      let fourth = try RawConnection(port: server.address.port)
      await third.drop()
      await fourth.send(post(1))
      #expect(await fourth.response()?.status == 200)
    }
  }

  @Test func aRequestThatTricklesIsDisconnected() async throws {
    let limits = HTTPLimits(idleTimeout: .seconds(1), transferTimeout: .milliseconds(300))
    try await withServer(limits: limits) { server in
      let connection = try RawConnection(port: server.address.port)
      await connection.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n")
      var sent = 0
      while await !connection.isReadable(within: 10), sent < 2000 {
        await connection.send("x")
        sent += 1
      }
      #expect(sent < 2000)
      #expect(await connection.readToEnd().isEmpty)
    }
  }

  @Test func aSilentConnectionIsDisconnected() async throws {
    let limits = HTTPLimits(idleTimeout: .seconds(1), transferTimeout: .milliseconds(200))
    try await withServer(limits: limits) { server in
      let connection = try RawConnection(port: server.address.port)
      await connection.send("GET / HT")
      #expect(await connection.readToEnd().isEmpty)
    }
  }

  @Test func aDroppedConnectionHarmsNothing() async throws {
    let gate = Gate()
    let handler: HTTPHandler = { request in
      if request.path == "/slow" { await gate.pass() }
      return .text(200, String(repeating: "z", count: 100_000))
    }
    try await withServer(limits: .standard, handler: handler) { server in
      for _ in 0..<20 {
        let connection = try RawConnection(port: server.address.port)
        await connection.send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n")
      }
      let halfway = try RawConnection(port: server.address.port)
      await halfway.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc")
      await halfway.drop()
      await gate.arrival()
      gate.open()
      let response = try await HTTPClient().send(
        HTTPOutgoingRequest(method: .get, url: server.address.url + "/")
      )
      #expect(response.body.count == 100_000)
    }
  }

  @Test func stopDoesNotWaitForSomebodyWhoStoppedTalking() async throws {
    // On a busy machine the request may be sent late: the connection must still be there then.
    let patient = HTTPLimits(idleTimeout: .seconds(600), transferTimeout: .seconds(600))
    let server = try HTTPServer.start(host: "127.0.0.1", port: 0, limits: patient) { _ in
      .text(200, "")
    }
    let connection = try RawConnection(port: server.address.port)
    await connection.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc")
    while server.activeRequestCount == 0 { await Task.yield() }
    let begin = ContinuousClock.now
    await server.stop()
    #expect(ContinuousClock.now - begin < .seconds(10))
    #expect(await connection.readToEnd().isEmpty)
  }

  @Test(arguments: [
    "Content-Length: 2\r\nContent-Length: 5\r\n\r\nab",
    "Content-Length: 5\r\nContent-Length: 5\r\n\r\nabcde",
    "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n",
    "Transfer-Encoding: gzip, chunked\r\n\r\n1\r\na\r\n0\r\n\r\n",
  ])
  func aBodyWhoseEndTwoReadersMaySeeElsewhereIsRefused(fields: String) async throws {
    try await withServer(limits: limits) { server in
      let connection = try RawConnection(port: server.address.port)
      await connection.send("POST / HTTP/1.1\r\nHost: a\r\n\(fields)")
      let response = await connection.response()
      #expect(response?.status == 400)
      #expect(response?.head.contains("Connection: close") == true)
    }
  }

  @Test(arguments: [
    "nonsense", "\r\n\r\n\r\n\r\n", "GET", "GET /", "GET / HTTP/9.9\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: many\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999999\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\nX: a\u{1}b\r\n\r\n", "GET / HTTP/1.1\r\nHo st: a\r\n\r\n",
    "GET /\u{0}x HTTP/1.1\r\nHost: a\r\n\r\n", "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}",
    "GET /%zz%f HTTP/1.1\r\nHost: a\r\n: empty\r\n\r\n", "GET /ü HTTP/1.1\r\nHost: ü\r\n\r\n",
  ])
  func aMalformedRequestHarmsNothing(text: String) async throws {
    try await withServer(limits: limits) { server in
      let connection = try RawConnection(port: server.address.port)
      await connection.send(text)
      await connection.send("\r\n\r\n")
      if await connection.isReadable(within: 50) { _ = await connection.response() }
      let next = try RawConnection(port: server.address.port)
      await next.send(post(5))
      #expect(await next.response()?.body == "5")
    }
  }
}
