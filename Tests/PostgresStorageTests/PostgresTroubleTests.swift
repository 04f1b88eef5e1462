import Foundation
import IAPEntitlements
import IAPModel
import PostgresStorage
import ServerStorage
import Testing

/// A database that is away, goes away, or must not be written.
@Suite(.enabled(if: PostgresTestServer.shared != nil, PostgresTestServer.absence))
struct PostgresTroubleTests {
  private let server: PostgresTestServer
  private let schema: String

  init() throws {
    server = try #require(PostgresTestServer.shared)
    schema = server.newSchema()
  }

  private func failure(at address: String) -> StorageError? {
    do {
      _ = try server.ledger(schema, at: address)
      return nil
    } catch {
      return error as? StorageError
    }
  }

  @Test(
    arguments: [
      "postgres://someone:s3cret@127.0.0.1:1/ledger",
      "postgres://someone:s3cret@127.0.0.1:1/ledger?sslmode=require",
      "postgres://someone:s3cret@/s3cret?host=/nowhere/s3cret",
      "postgres://someone:s3cret@127.0.0.1:notaport/ledger",
      "postgres://someone:s3cret@127.0.0.1:1/ledger?what=s3cret",
      "postgres://someone:s3cret%ZZ@127.0.0.1/ledger",
      "mysql://someone:s3cret@127.0.0.1/ledger",
    ]
  )
  func noErrorQuotesACredential(_ address: String) throws {
    let error = try #require(failure(at: address))
    #expect(error == StorageError(.unavailable, ""))
    let words = "\(error) \(String(reflecting: error)) \(PostgresLedger.description(of: address))"
    #expect(!words.contains("s3cret"))
    #expect(!words.contains("someone"))
  }

  @Test func anAddressDescribesItselfByPlace() {
    #expect(
      PostgresLedger.description(of: "postgres://someone:s3cret@db.example:5433/ledger")
        == "PostgreSQL at db.example:5433, database ledger"
    )
  }

  @Test(arguments: ["", "A", "1a", "a-b", "a;b", String(repeating: "a", count: 64)])
  func aSchemaIsAWord(_ name: String) {
    #expect(throws: StorageError(.unavailable, "")) { try server.ledger(name) }
  }

  @Test func lostConnectionsAreMadeAgain() async throws {
    let ledger = try server.ledger(schema) { options in options.connectSecondsMax = 4 }
    for id in 1...3 {
      _ = try await ledger.commit(Make.purchase(id))
      #expect(try await ledger.counts().facts == id)
      try server.sql(
        """
        SELECT count(pg_terminate_backend(pid, 5000))::text FROM pg_stat_activity
        WHERE application_name = 'iap' AND pid <> pg_backend_pid()
        """
      )
    }
    await ledger.close()
  }

  @Test func aTransactionWhoseConnectionIsLostAtItsEndIsDoneAgain() async throws {
    let ledger = try server.ledger(schema)
    // The first commit that writes an entry loses its connection before it takes effect.
    try server.sql("CREATE TABLE \(schema).killed (n bigint)")
    try server.sql("CREATE SEQUENCE \(schema).kills")
    try server.sql(
      """
      CREATE FUNCTION \(schema).kill() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF nextval('\(schema).kills') = 1 THEN PERFORM pg_terminate_backend(pg_backend_pid());
        END IF;
        RETURN NULL;
      END $$
      """
    )
    try server.sql(
      """
      CREATE CONSTRAINT TRIGGER kill AFTER INSERT ON \(schema).entries
      DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION \(schema).kill()
      """
    )
    let outcome = try await ledger.commit(Make.purchase(1))
    #expect(outcome.newEntries.map(\.entry.key) == ["grant:tx:1"])
    #expect(try server.number("SELECT last_value FROM kills", schema: schema) == 2)
    #expect(try await ledger.counts().entries == 1)
    await ledger.close()
  }

  @Test func aDatabaseThatMustNotBeWrittenIsReadAndSaysSo() async throws {
    let ledger = try server.ledger(schema)
    _ = try await ledger.commit(Make.purchase(1))
    await ledger.close()
    let address = server.address + "&options=-cdefault_transaction_read_only%3Don"
    let readOnly = try server.ledger(schema, at: address)
    await #expect(throws: StorageError(.readOnly, "")) {
      try await readOnly.commit(Make.purchase(2))
    }
    // What asks whether requests can be answered writes nothing, and is refused as well.
    await #expect(throws: StorageError(.readOnly, "")) {
      try await readOnly.commit(LedgerWrite(date: Make.date(0)))
    }
    #expect(try await readOnly.counts().facts == 1)
    await readOnly.close()
    #expect(throws: StorageError(.readOnly, "")) {
      try server.ledger(server.newSchema(), at: address)
    }
  }

  @Test func whoWaitsTooLongForAnotherServerIsToldSo() async throws {
    let ledger = try server.ledger(schema) { $0.lockMillisecondsMax = 50 }
    try await server.withLock(on: Make.app, schema: schema) {
      await #expect(throws: StorageError(.busy, "")) { try await ledger.commit(Make.purchase(1)) }
      // Other apps are not held up.
      var write = LedgerWrite(date: Make.date(0))
      write.documents = [
        DocumentWrite(
          DocumentKey(.secret, app: "other", name: "a"),
          body: [:],
          condition: .always
        )
      ]
      let outcome = try await ledger.commit(write)
      #expect(!outcome.isRefused)
    }
    _ = try await ledger.commit(Make.purchase(1))
    await ledger.close()
  }
}
