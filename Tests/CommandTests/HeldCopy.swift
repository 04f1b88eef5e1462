import Foundation

/// Holds a copy into a PostgreSQL still in its middle: facts and items are there, entries wait.
struct HeldCopy {
  /// The advisory lock that the copy waits for.
  private static let lock = 7

  private let server: PostgresServer
  private let holder: Process
  private let input = Pipe()

  /// Makes the next copy into a database stop; the tables have to be there.
  init(_ server: PostgresServer) throws {
    self.server = server
    try server.sql(
      """
      CREATE FUNCTION iap.held() RETURNS trigger LANGUAGE plpgsql AS
      'BEGIN PERFORM pg_advisory_xact_lock(\(Self.lock)); RETURN NULL; END'
      """,
      """
      CREATE TRIGGER held BEFORE INSERT ON iap.entries
      FOR EACH STATEMENT EXECUTE FUNCTION iap.held()
      """
    )
    holder = server.session(reading: input)
    let output = Pipe()
    holder.standardOutput = output
    try holder.run()
    let words = "SELECT 'held' FROM pg_advisory_lock(\(Self.lock));\n"
    try input.fileHandleForWriting.write(contentsOf: Data(words.utf8))
    // It answers when it has the lock.
    _ = output.fileHandleForReading.availableData
  }

  /// Returns when a copy has come to where it is held.
  func arrival() throws {
    try server.sql(
      """
      DO $$ BEGIN
        WHILE NOT EXISTS (SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted) LOOP
          PERFORM pg_sleep(0.02);
        END LOOP;
      END $$
      """
    )
  }

  /// Lets it go on, and holds none from then on.
  func release() throws {
    try input.fileHandleForWriting.close()
    holder.waitUntilExit()
    try server.sql("DROP FUNCTION iap.held() CASCADE")
  }
}

extension PostgresServer {
  /// A session whose statements come from a pipe, and which prints what they return.
  func session(reading input: Pipe) -> Process {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["psql", "-q", "-A", "-t", "-h", folder, "-U", "iap", "postgres"]
    process.standardInput = input
    return process
  }
}
