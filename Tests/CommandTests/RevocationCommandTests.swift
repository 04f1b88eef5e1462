import AppStoreSimulator
import Foundation
import HTTPClient
import HTTPValues
import IAPModel
import IAPSignatures
import Testing

/// `iap serve --ocsp` and `iap store --ocsp` together, over real connections.
@Suite struct RevocationCommandTests {
  private let client = HTTPClient()

  private func port() async throws -> Int {
    // A store that takes any port says which one is free.
    let store = try await ServedProcess(["store"])
    defer { store.process.signal(SIGINT) }
    return try #require(store.url.split(separator: ":").last.flatMap { Int($0) })
  }

  private func send(
    _ method: HTTPMethod,
    _ url: String,
    _ body: JSONObject? = nil
  ) async throws -> HTTPResponse {
    try await client.send(
      HTTPOutgoingRequest(
        method: method,
        url: url,
        headers: body == nil ? [:] : ["Content-Type": "application/json"],
        body: body?.serialized ?? []
      )
    )
  }

  private func object(_ response: HTTPResponse) throws -> JSONObject {
    try JSONParser.parseObject(response.body, limits: .document)
  }

  private func transaction(_ url: String) async throws -> String {
    let bought = try object(
      try await send(
        .post,
        url + "/control/purchases",
        ["device": "phone", "productId": "com.example.demo.coins"]
      )
    )
    return try #require(bought["signedTransaction"]?.stringValue)
  }

  private func start(_ words: [String] = []) async throws -> (ServedProcess, String) {
    let port = try await port()
    let store = try await ServedProcess(
      ["store", "--listen", "127.0.0.1:\(port)", "--ocsp"] + words
    )
    _ = try await send(.post, store.url + "/control/accounts", ["account": "mia"])
    _ = try await send(
      .post,
      store.url + "/control/devices",
      ["device": "phone", "account": "mia"]
    )
    return (store, store.url)
  }

  @Test func theStoresCertificatesAreAskedAboutAndRevoked() async throws {
    let served = try ServedStore()
    defer { served.remove() }
    let (store, url) = try await start()
    defer { store.process.signal(SIGINT) }
    let root = try await send(.get, url + "/control/roots/jws.der")
    let file = served.folder.appendingPathComponent("store.der")
    try Data(root.body).write(to: file)
    let words = [
      "serve", "--listen", "127.0.0.1:0", "--database", served.folder.path + "/ocsp.sqlite",
      "--app", "com.example.demo=1234567890", "--simulated", "--root", file.path,
      "--insecure-no-keys", "--apple", url, "--ocsp",
    ]
    let server = try await ServedProcess(words)
    let body: JSONObject = ["signedTransaction": .string(try await transaction(url))]
    let accepted = try object(try await send(.post, server.url + "/v1/verify", body))
    #expect(accepted["verdict"] == "accepted", "\(accepted)")
    server.process.signal(SIGINT)

    // Another process has no answer in memory.
    _ = try await send(.put, url + "/control/faults", ["revokesCertificate": true])
    let second = try await ServedProcess(words)
    let refused = try object(try await send(.post, second.url + "/v1/verify", body))
    #expect(refused["verdict"] == "rejected", "\(refused)")
    let rules = refused["reasons"]?.arrayValue?.compactMap { $0.objectValue?["rule"] }
    #expect(rules == ["revocation"])
    second.process.signal(SIGINT)

    store.process.signal(SIGINT)
    _ = await store.process.exit()
    let third = try await ServedProcess(words)
    defer { third.process.signal(SIGINT) }
    let unknown = try await send(.post, third.url + "/v1/verify", body)
    #expect(unknown.status == 503)
    #expect(unknown.headers["Retry-After"] == "10")
  }

  /// Another implementation understands question and answer.
  @Test func opensslTakesTheStoresAnswers() async throws {
    let openssl = URL(fileURLWithPath: "/usr/bin/openssl")
    guard FileManager.default.isExecutableFile(atPath: openssl.path) else {
      print("SKIPPED: there is no openssl command on this machine")
      return
    }
    let served = try ServedStore()
    defer { served.remove() }
    let (store, url) = try await start()
    defer { store.process.signal(SIGINT) }
    let text = try await transaction(url)
    let header = try JSONParser.parseObject(
      try #require(Base64.decode(text.split(separator: ".")[0].utf8, .url)),
      limits: .document
    )
    var paths: [String] = []
    for (index, value) in (header["x5c"]?.arrayValue ?? []).enumerated() {
      let base64 = try #require(value.stringValue)
      let pem =
        "-----BEGIN CERTIFICATE-----\n"
        + stride(from: 0, to: base64.count, by: 64).map { start in
          String(base64.dropFirst(start).prefix(64))
        }.joined(separator: "\n") + "\n-----END CERTIFICATE-----\n"
      let path = served.folder.appendingPathComponent("\(index).pem")
      try Data(pem.utf8).write(to: path)
      paths.append(path.path)
    }
    for (place, word) in [(0, "good"), (1, "good"), (0, "revoked")] {
      if word == "revoked" {
        _ = try await send(.put, url + "/control/faults", ["revokesCertificate": true])
      }
      let process = try CommandProcess(
        [
          "ocsp", "-issuer", paths[place + 1], "-cert", paths[place], "-CAfile", paths[2],
          "-url", url + "/ocsp", "-partial_chain", "-no_nonce",
        ],
        tool: openssl
      )
      var output = ""
      for await line in process.lines { output += line + "\n" }
      _ = await process.exit()
      #expect(output.contains(": \(word)"), "\(output) \(process.errors)")
      #expect(process.errors.contains("Response verify OK"), "\(process.errors)")
    }
  }

  @Test func whatDoesNotGoTogetherIsSaid() async throws {
    let served = try ServedStore()
    defer { served.remove() }
    let serve = try await CommandProcess.run(served.words + ["--ocsp"])
    #expect(serve.status == 2)
    #expect(serve.errors.contains("ocsp with simulated asks the simulated store"))
    let store = try await CommandProcess.run(["store", "--ocsp"])
    #expect(store.status == 2)
    #expect(store.errors.contains("give a port with --listen"))
  }
}
