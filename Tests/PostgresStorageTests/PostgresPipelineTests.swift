import PostgresAdapter
import Testing

/// Statements that are sent at once.
@Suite(.enabled(if: PostgresTestServer.shared != nil, PostgresTestServer.absence))
struct PostgresPipelineTests {
  private let connection: PostgresConnection

  init() throws {
    let server = try #require(PostgresTestServer.shared)
    connection = try PostgresConnection(
      PostgresAddress(server.address),
      limits: PostgresConnection.Limits()
    )
    try connection.execute("CREATE TEMP TABLE numbers (n bigint PRIMARY KEY)")
  }

  private func insert(_ numbers: Int64...) -> (sql: String, values: [PostgresValue]) {
    ("INSERT INTO numbers SELECT * FROM unnest($1)", [.integers(numbers.map { $0 })])
  }

  private var sum: (sql: String, values: [PostgresValue]) {
    ("SELECT coalesce(sum(n), 0)::bigint FROM numbers", [])
  }

  private func sumNow() throws -> Int64? {
    try connection.run(sum.sql, sum.values).rows.first?.integer(0)
  }

  @Test func eachReturnsItsOwnAndSeesTheOnesBeforeIt() throws {
    #expect(try connection.run([]).isEmpty)
    #expect(try connection.run([insert(1)]).map(\.changedCount) == [1])
    let results = try connection.run([sum, insert(2, 3), sum, insert(4), sum])
    #expect(results.count == 5)
    #expect([0, 2, 4].map { results[$0].rows.first?.integer(0) } == [1, 6, 10])
    #expect(results[1].changedCount == 2)
  }

  @Test func behindOneThatFailsNoneIsRunAndTheConnectionGoesOn() throws {
    try connection.execute("BEGIN")
    let error = #expect(throws: PostgresError.self) {
      try connection.run([insert(1), insert(1), insert(2), sum])
    }
    #expect(error?.code == .conflict || error?.reason.contains("unique") == true)
    #expect(!connection.isLost)
    #expect(connection.isInTransaction)
    try connection.execute("ROLLBACK")
    #expect(try sumNow() == 0)
    #expect(try connection.run([insert(5), sum]).last?.rows.first?.integer(0) == 5)
  }

  @Test func manyAndLargeOnesComeBackInTheirOrder() throws {
    let text = String(repeating: "x", count: 200_000)
    let statements = (0..<200).map { number in
      (sql: "SELECT $1 || $2", values: [PostgresValue.text("\(number):"), .text(text)])
    }
    let results = try connection.run(statements)
    #expect(
      results.map { $0.rows.first?.text(0).prefix { $0 != ":" } } == (0..<200).map { "\($0)" }
    )
  }

  @Test func aConnectionThatIsCutInBetweenIsLost() throws {
    let kill = (sql: "SELECT pg_terminate_backend(pg_backend_pid())", values: [PostgresValue]())
    #expect(throws: PostgresError.self) { try connection.run([insert(1), kill, sum]) }
    #expect(connection.isLost)
    #expect(throws: PostgresError.self) { try connection.run([insert(1), sum]) }
  }
}
