import HTTPClient
import HTTPValues
import MicroHTTP
import Testing

@Suite struct HTTPClientPinTests {
  @Test func aPinnedRequestGoesToItsAddressUnderTheNameOfItsHost() async throws {
    let server = try HTTPServer.start(host: "127.0.0.1", port: 0) { request in
      .text(200, request.headers["Host"] ?? "")
    }
    let port = server.address.port
    let response = try await HTTPClient().send(
      HTTPOutgoingRequest(
        method: .post,
        // A name that nobody knows: it is not looked up.
        url: "http://hooks.invalid:\(port)/in",
        body: [1],
        timeout: .seconds(10),
        pin: HTTPAddressPin(host: "hooks.invalid", port: port, address: "127.0.0.1")
      )
    )
    #expect(String(decoding: response.body, as: UTF8.self) == "hooks.invalid:\(port)")
    await server.stop()
  }

  @Test func aLaterPinOfTheSameHostCounts() async throws {
    let server = try HTTPServer.start(host: "127.0.0.1", port: 0) { _ in .text(200, "here") }
    let port = server.address.port
    let client = HTTPClient()
    func send(_ address: String) async throws -> String {
      let response = try await client.send(
        HTTPOutgoingRequest(
          method: .get,
          url: "http://hooks.invalid:\(port)/",
          timeout: .seconds(10),
          pin: HTTPAddressPin(host: "hooks.invalid", port: port, address: address)
        )
      )
      return String(decoding: response.body, as: UTF8.self)
    }
    // Nobody listens at the second address of this machine.
    await #expect(throws: HTTPClientError.self) { _ = try await send("127.0.0.2") }
    #expect(try await send("127.0.0.1") == "here")
    await server.stop()
  }

  @Test func namesBecomeNumericAddresses() async {
    #expect(await LiveNames.addresses(of: "127.0.0.1") == ["127.0.0.1"])
    #expect(await LiveNames.addresses(of: "::1") == ["::1"])
    #expect(await LiveNames.addresses(of: "no.such.name.invalid").isEmpty)
    #expect(await LiveNames.addresses(of: "").isEmpty)
  }
}
