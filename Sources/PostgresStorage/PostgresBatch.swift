internal import PostgresAdapter
internal import ServerStorage

/// Statements that are sent at once, in their order: what they do does not hang on what the ones
/// before them return.
///
/// Sending them one after another costs a way to the database and back for each, and while a
/// transaction goes to and fro the other servers wait for its apps.
struct PostgresBatch {
  private struct Step {
    let sql: String
    let values: [PostgresValue]
    let take: (PostgresResult) throws(StorageError) -> Void
  }

  private var steps: [Step] = []

  /// Adds a statement.
  mutating func add(_ sql: String, _ values: PostgresValue...) {
    steps.append(Step(sql: sql, values: values) { _ in })
  }

  /// Adds a statement of which it matters how many rows it changes.
  mutating func add(
    _ sql: String,
    _ values: PostgresValue...,
    counting count: @escaping (Int64) -> Void
  ) {
    steps.append(Step(sql: sql, values: values) { count(Int64($0.changedCount)) })
  }

  /// Adds a statement that returns rows, each of which is handed out.
  mutating func ask(
    _ sql: String,
    _ values: PostgresValue...,
    take: @escaping (PostgresRow) throws(StorageError) -> Void
  ) {
    let step = Step(sql: sql, values: values) { result throws(StorageError) in
      for row in result.rows { try take(row) }
    }
    steps.append(step)
  }

  /// Sends everything and hands out what comes back.
  func run(on database: PostgresDatabase) throws(StorageError) {
    let results = try database.run(steps.map { ($0.sql, $0.values) })
    for index in steps.indices { try steps[index].take(results[index]) }
  }
}
