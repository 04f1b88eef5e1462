import EntitlementServer
import HTTPValues
import IAPModel
import Testing

@Suite struct OpenAPITests {
  private func document() async throws -> JSONObject {
    let response = try await TestServer().server.answer(
      HTTPRequest(method: .get, target: "/openapi.json")
    )
    #expect(response.status == 200)
    return try JSONParser.parseObject(response.body, limits: .document)
  }

  @Test func everyPathAnswersTheMethodsThatAreWrittenDown() async throws {
    let test = try TestServer()
    let paths = try #require(try await document()["paths"]?.objectValue)
    #expect(paths.members.count > 8)
    for path in paths.members {
      let target = path.name.replacing("{id}", with: "x").replacing("{number}", with: "x")
        .replacing("{name}", with: "x")
      let known = Set((path.value.objectValue?.members ?? []).map { $0.name.uppercased() })
      let other = try await test.send(HTTPRequest(method: HTTPMethod("BREW"), target: target))
      #expect(other.status == 405)
      let allowed = Set(
        (other.headers["Allow"] ?? "").split(separator: ",").map {
          String($0).replacing(" ", with: "")
        }
      )
      #expect(allowed.subtracting(["HEAD"]) == known, "\(path.name)")
    }
  }

  @Test func everyOperationSaysWhoMayCallAndWhatComesBack() async throws {
    let document = try await document()
    #expect(document["openapi"] == "3.1.0")
    var names: Set<String> = []
    for path in document["paths"]?.objectValue?.members ?? [] {
      for member in path.value.objectValue?.members ?? [] {
        let operation = try #require(member.value.objectValue)
        #expect(names.insert(try #require(operation["operationId"]?.stringValue)).inserted)
        #expect(operation["summary"]?.stringValue?.isEmpty == false)
        let access = try #require(operation["x-access"]?.stringValue)
        let isOpen = ["open", "apple"].contains(access)
        #expect((operation["security"]?.arrayValue ?? []).isEmpty == isOpen)
        let responses = try #require(operation["responses"]?.objectValue)
        #expect(responses["200"] != nil)
        #expect((responses["401"] == nil) == isOpen)
        #expect((operation["requestBody"] == nil) == (responses["415"] == nil))
      }
    }
  }
}
