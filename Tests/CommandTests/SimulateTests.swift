import Foundation
import Testing

@Suite("iap simulate")
struct SimulateTests {
  @Test("the same seed gives the same run, byte for byte, in another process")
  func sameSeedSameBytes() async throws {
    let words = ["simulate", "--seed", "42", "--runs", "1", "--trace"]
    let first = try await CommandProcess.run(words)
    let second = try await CommandProcess.run(words)
    #expect(first.status == 0)
    #expect(first.output.count > 1000)
    #expect(first.output == second.output)
  }

  @Test("another seed gives another run")
  func otherSeedOtherBytes() async throws {
    let first = try await CommandProcess.run(["simulate", "--seed", "42", "--runs", "1", "--trace"])
    let second = try await CommandProcess.run([
      "simulate", "--seed", "43", "--runs", "1", "--trace",
    ])
    #expect(first.output != second.output)
  }

  @Test("a campaign counts its runs and says that nothing was lost")
  func campaign() async throws {
    let result = try await CommandProcess.run([
      "simulate", "--seed", "1", "--runs", "5", "--jobs", "2",
    ])
    let lines = result.output.split(separator: "\n").map { $0.split(separator: " ") }
    func value(_ name: String) -> String? {
      lines.first { $0.count == 2 && $0[0] == name }.map { String($0[1]) }
    }
    #expect(result.status == 0)
    #expect(value("runs") == "5")
    #expect(value("lost") == "0")
    #expect(value("doubled") == "0")
  }

  @Test("with --json the table is one object, and nothing else is printed")
  func json() async throws {
    let result = try await CommandProcess.run([
      "simulate", "--seed", "1", "--runs", "3", "--jobs", "1", "--json",
    ])
    let table = try #require(
      JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any]
    )
    #expect(result.status == 0)
    #expect(table["seed"] as? String == "1")
    #expect(table["runs"] as? Int == 3)
    #expect(table["lost"] as? Int == 0)
    #expect(table["doubled"] as? Int == 0)
    #expect((table["failures"] as? [Any])?.isEmpty == true)
    let points = try #require(table["crashPoints"] as? [String: Any])
    let missing = try #require(points["missing"] as? [String])
    #expect(points["exist"] as? Int == missing.count + (points["reached"] as? Int ?? 0))
  }

  @Test("with --json a traced run is one object with the lines of the trace")
  func tracedJSON() async throws {
    let words = ["simulate", "--seed", "42", "--runs", "1", "--trace"]
    let plain = try await CommandProcess.run(words)
    let result = try await CommandProcess.run(words + ["--json"])
    let run = try #require(
      JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any]
    )
    let lines = try #require(run["lines"] as? [String])
    #expect(lines == plain.output.split(separator: "\n").map(String.init))
  }

  @Test(
    "a call that cannot be understood is refused",
    arguments: [
      ["--seed", "x"], ["--runs", "0"], ["--jobs", "0"], ["--profile", "none"],
      ["--signatures", "none"], ["--for", "soon"],
    ]
  )
  func badCall(_ words: [String]) async throws {
    #expect(try await CommandProcess.run(["simulate"] + words).status == 2)
  }
}
