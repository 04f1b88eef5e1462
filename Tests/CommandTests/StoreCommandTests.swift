import Foundation
import HTTPClient
import HTTPValues
import IAPModel
import IAPSignatures
import OpenSSLCrypto
import Testing

/// `iap store` as a process of its own.
struct StoreCommandTests {
  private func call(
    _ method: HTTPMethod,
    _ url: String,
    _ body: JSONValue? = nil
  ) async throws -> JSONValue {
    let response = try await HTTPClient().send(
      HTTPOutgoingRequest(
        method: method,
        url: url,
        headers: ["Authorization": "Bearer x"],
        body: body?.serialized ?? [],
        timeout: .seconds(60)
      )
    )
    return try JSONParser.parse(response.body, limits: .document)
  }

  @Test func servesUntilItIsInterrupted() async throws {
    let store = try CommandProcess([
      "store", "--start", "2026-01-01T00:00:00Z", "--rate", "0", "--seed", "5",
    ])
    var lines = store.lines.makeAsyncIterator()
    let first = try #require(await lines.next())
    #expect(first.hasPrefix("listening http://127.0.0.1:"))
    let url = String(first.dropFirst("listening ".count))
    let clock = try await call(.get, url + "/control/clock")
    #expect(clock.objectValue?["now"] == 1_767_225_600_000)
    _ = try await call(.post, url + "/control/accounts", ["account": "mia"])
    _ = try await call(.post, url + "/control/devices", ["device": "phone", "account": "mia"])
    let bought = try await call(
      .post,
      url + "/control/purchases",
      ["device": "phone", "productId": "com.example.demo.coins"]
    )
    let signed = try #require(bought.objectValue?["signedTransaction"]?.stringValue)
    let root = try await HTTPClient().send(
      HTTPOutgoingRequest(method: .get, url: url + "/control/roots/jws.der")
    ).body
    let verifier = JWSVerifier(
      anchors: try .simulated([root]),
      origin: ExpectedOrigin(apps: nil, environments: [.sandbox]),
      crypto: try OpenSSLPrimitives()
    )
    #expect(try verifier.transaction(signed, instant: .signedDate).failures == [])
    store.signal(SIGINT)
    #expect(await store.exit() == 0)
  }

  @Test(arguments: [
    (["--listen", "0.0.0.0:0"], Int32(2), "--insecure-no-keys"),
    (["--rate", "-1"], 2, "--rate is from 0 to 100000000"),
    (["--environment", "moon"], 2, "sandbox, production or xcode"),
    (["--catalog", "/nothing/here"], 1, "'/nothing/here' cannot be read"),
    (["--catalog", "/dev/null"], 1, "/dev/null: this is no .storekit file"),
    (["--notify", "nowhere"], 2, "--notify needs a URL"),
    (["--start", "yesterday"], 2, "--start needs a date"),
    (["--start", "9999-12-31T23:59:59Z"], 2, "--start is from 1970 to 9899"),
    (["--bundle", "a b"], 2, "--bundle needs an identifier such as com.example.app"),
    (["--bundle="], 2, "--bundle needs an identifier"),
    (
      ["--api-key", "/dev/null", "--api-key-id", "A", "--issuer", "B"], 1,
      "--api-key: expected a P-256 key"
    ),
  ])
  func aBadCallIsExplained(_ words: [String], _ status: Int32, _ text: String) async throws {
    let outcome = try await CommandProcess.run(["store"] + words)
    #expect(outcome.status == status)
    #expect(outcome.errors.contains(text), "\(outcome.errors)")
    #expect(outcome.output == "")
  }
}
