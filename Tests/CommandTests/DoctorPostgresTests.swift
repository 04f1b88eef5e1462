import Foundation
import IAPModel
import Testing

/// `iap doctor` on a database that servers share.
@Suite("iap doctor on PostgreSQL", .enabled(if: PostgresServer.isWanted, PostgresServer.absence))
struct DoctorPostgresTests {
  private func codes(_ address: String) async throws -> (status: Int32, codes: [String: String]) {
    let outcome = try await CommandProcess.run([
      "doctor", "--json", "--app", "com.example.app=1", "--database", address,
    ])
    let object = try JSONParser.parseObject(Array(outcome.output.utf8), limits: .document)
    let findings = (object["findings"]?.arrayValue ?? []).compactMap(\.objectValue)
    return (
      outcome.status,
      Dictionary(
        findings.compactMap { finding in
          finding["code"]?.stringValue.map { ($0, finding["severity"]?.stringValue ?? "") }
        },
        uniquingKeysWith: { first, _ in first }
      )
    )
  }

  @Test func tablesOfEveryVersionReadOnlyAndSilenceAreToldApart() async throws {
    try await PostgresServer.with { database in
      let empty = try await codes(database.address)
      #expect(empty.codes["database.older"] == "note")
      #expect(empty.codes["clock"] == "good")
      #expect(empty.status == 0)
      let made = try await CommandProcess.run([
        "keys", "create", "--database", database.address, "--app", "com.example.app",
      ])
      #expect(made.status == 0)
      #expect(try await codes(database.address).codes["database"] == "good")
      try database.sql("ALTER ROLE iap SET default_transaction_read_only = on")
      #expect(try await codes(database.address).codes["database.readOnly"] == "error")
      try database.sql("ALTER ROLE iap SET default_transaction_read_only = off")
      try database.sql(
        "INSERT INTO iap.schema_version (version, works_with, name) VALUES (1000, 1000, 'later')"
      )
      let newer = try await codes(database.address)
      #expect(newer.codes["database.newer"] == "error")
      #expect(newer.status == 1)
      try database.kill()
      #expect(try await codes(database.address).codes["database.unreachable"] == "error")
    }
  }
}
