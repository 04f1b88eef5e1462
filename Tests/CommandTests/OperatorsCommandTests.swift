import Foundation
import HTTPClient
import HTTPValues
import IAPModel
import Testing

@Suite("iap operators")
struct OperatorsCommandTests {
  private func operators(
    _ served: ServedStore,
    _ words: [String],
    input: [UInt8] = []
  ) async throws -> CommandProcess.Outcome {
    try await CommandProcess.run(
      ["operators"] + words + ["--database", served.folder.path + "/ledger.sqlite"],
      input: input
    )
  }

  /// Logs in at a served dashboard as a browser does; the status of the overview afterwards.
  private func logIn(
    _ server: ServedProcess,
    _ name: String,
    _ password: String
  ) async throws
    -> Int
  {
    let client = HTTPClient()
    let door = try await client.send(
      HTTPOutgoingRequest(method: .get, url: server.url + "/dashboard/login")
    )
    let page = String(decoding: door.body, as: UTF8.self)
    let token = page.components(separatedBy: "name=\"token\" value=\"").dropFirst().first?
      .prefix { $0 != "\"" }
    var request = HTTPOutgoingRequest(method: .post, url: server.url + "/dashboard/login")
    request.headers["Cookie"] = door.headers["Set-Cookie"].map { String($0.prefix { $0 != ";" }) }
    request.headers["Content-Type"] = "application/x-www-form-urlencoded"
    request.body = Array("token=\(token ?? "")&name=\(name)&password=\(password)".utf8)
    let entered = try await client.send(request)
    guard entered.status == 303, let cookie = entered.headers["Set-Cookie"] else {
      return entered.status
    }
    var overview = HTTPOutgoingRequest(method: .get, url: server.url + "/dashboard/overview")
    overview.headers["Cookie"] = String(cookie.prefix { $0 != ";" })
    return try await client.send(overview).status
  }

  @Test func aPasswordIsShownOnceAndOpensTheDashboardOfARunningServer() async throws {
    let served = try ServedStore()
    defer { served.remove() }
    let server = try await ServedProcess(served.words)
    let made = try await operators(served, ["add", "ada", "--role", "act"])
    #expect(made.status == 0)
    let password = made.output.trimmingCharacters(in: .newlines)
    #expect(password.count == 23)
    #expect(try await logIn(server, "ada", password) == 200)
    #expect(try await logIn(server, "ada", "wrong-password") == 401)
    let listed = try await operators(served, ["list"])
    #expect(listed.output == "ada\tact\t*")
    #expect(try await operators(served, ["add", "ada"]).status == 1)
    let changed = try await operators(
      served,
      ["password", "ada", "--password-file", "-"],
      input: Array("another password\n".utf8)
    )
    #expect(changed.status == 0 && changed.output.isEmpty)
    #expect(try await logIn(server, "ada", password) == 401)
    #expect(try await logIn(server, "ada", "another+password") == 200)
    #expect(try await operators(served, ["remove", "ada"]).status == 0)
    #expect(try await logIn(server, "ada", "another+password") == 401)
    #expect(try await operators(served, ["remove", "ada"]).status == 1)
    server.process.signal(SIGTERM)
    #expect(await server.process.exit() == 0)
  }

  @Test(arguments: [
    ["add"], ["add", "a b"], ["add", "ada", "--role", "king"], ["dance"],
  ])
  func aCallThatCannotBeUsedSaysSo(_ words: [String]) async throws {
    let served = try ServedStore()
    defer { served.remove() }
    #expect(try await operators(served, words).status == 2)
  }

  @Test func aShortPasswordIsRefused() async throws {
    let served = try ServedStore()
    defer { served.remove() }
    let call = ["add", "ada", "--password-file", "-"]
    #expect(try await operators(served, call, input: Array("123456789\n".utf8)).status == 2)
    #expect(try await operators(served, call, input: Array("1234567890\n".utf8)).status == 0)
  }

  @Test func aProgramReadsJSON() async throws {
    let served = try ServedStore()
    defer { served.remove() }
    let made = try await operators(served, ["add", "eve", "--app", "com.example.app", "--json"])
    let object = try JSONParser.parseObject(Array(made.output.utf8), limits: .document)
    #expect(object["name"] == "eve" && object["password"]?.stringValue?.count == 23)
    let listed = try await operators(served, ["list", "--json"])
    let list = try JSONParser.parseObject(Array(listed.output.utf8), limits: .document)
    let eve = list["operators"]?.arrayValue?.first?.objectValue
    #expect(eve?["apps"] == ["com.example.app"] && eve?["role"] == "read")
    #expect(!listed.output.contains("password"))
  }
}
