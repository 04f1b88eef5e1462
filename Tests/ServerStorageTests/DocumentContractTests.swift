import Foundation
import IAPModel
import ServerStorage
import Testing

@Suite struct DocumentContractTests {
  private static let key = DocumentKey(.review, app: "com.example.app", name: "one")

  private func write(_ documents: DocumentWrite..., at seconds: TimeInterval = 0) -> LedgerWrite {
    var write = LedgerWrite(date: Make.date(seconds))
    write.documents = documents
    return write
  }

  private func read(_ ledger: any Ledger, _ key: DocumentKey) async throws -> LedgerDocument? {
    try await ledger.read { reader throws(StorageError) in try reader.document(key) }
  }

  private func list(
    _ ledger: any Ledger,
    shelf: String? = nil,
    after: Int64 = 0,
    limit: Int = 100
  ) async throws -> [String] {
    try await ledger.read { reader throws(StorageError) in
      try reader.documents(
        .review,
        app: "com.example.app",
        shelf: shelf,
        after: after,
        limit: limit
      )
    }.map(\.key.name)
  }

  @Test(arguments: Backend.allCases)
  func aDocumentIsReplacedAndKeepsItsPlace(backend: Backend) async throws {
    try await backend.withLedger { ledger in
      let first = DocumentWrite(Self.key, shelf: "open", body: ["a": 1], condition: .always)
      let second = DocumentWrite(Self.key, shelf: nil, body: ["a": 2], condition: .always)
      let made = try await ledger.commit(write(first, at: 1)).documents
      let changed = try await ledger.commit(write(second, at: 2)).documents
      let expected = LedgerDocument(
        key: Self.key,
        sequence: 1,
        shelf: nil,
        body: ["a": 2],
        version: 2,
        createdDate: Make.date(1),
        changedDate: Make.date(2)
      )
      #expect(made.first?.document?.version == 1)
      #expect(made.first?.document?.shelf == "open")
      #expect(changed == [.written(expected)])
      #expect(try await read(ledger, Self.key) == expected)
    }
  }

  @Test(arguments: Backend.allCases)
  func kindsAppsAndNamesAreKeptApart(backend: Backend) async throws {
    try await backend.withLedger { ledger in
      let keys = [
        Self.key, DocumentKey(.nonce, app: "com.example.app", name: "one"),
        DocumentKey(.review, app: nil, name: "one"),
        DocumentKey(.review, app: "com.example.other", name: "one"),
        DocumentKey(.review, app: "com.example.app", name: "One"),
        DocumentKey(.review, app: "com.example.app", name: "o'; DROP TABLE documents; --"),
        DocumentKey(.review, app: "com.example.app", name: "\u{0}one"),
      ]
      for (number, key) in keys.enumerated() {
        let document = DocumentWrite(
          key,
          body: ["n": .integer(Int64(number))],
          condition: .mustBeAbsent
        )
        let outcome = try await ledger.commit(write(document))
        #expect(!outcome.isRefused)
      }
      for (number, key) in keys.enumerated() {
        let document = try await read(ledger, key)
        #expect(document?.body["n"] == .integer(Int64(number)))
      }
    }
  }

  @Test(arguments: Backend.allCases)
  func aConditionThatIsNotMetForbidsTheWholeWrite(backend: Backend) async throws {
    try await backend.withLedger { ledger in
      let first = DocumentWrite(Self.key, body: ["a": 1], condition: .mustBeAbsent)
      _ = try await ledger.commit(write(first))
      let other = DocumentWrite(
        DocumentKey(.review, app: "com.example.app", name: "two"),
        body: [:],
        condition: .always
      )
      for condition in [
        DocumentWrite.Condition.mustBeAbsent, .mustHaveVersion(0), .mustHaveVersion(2),
      ] {
        var attempt = write(
          other,
          DocumentWrite(Self.key, body: ["a": 2], condition: condition)
        )
        attempt.facts = Make.write(Make.payload("1")).facts
        attempt.orders = [Make.order(1, customer: "ann")]
        attempt.audit = [AuditRecord(app: nil, action: "x", date: Make.date(0))]
        let outcome = try await ledger.commit(attempt)
        #expect(outcome.isRefused)
        #expect(outcome.facts == [])
        #expect(outcome.documents.map(\.document?.body) == [["a": 1]])
      }
      #expect(try await list(ledger) == ["one"])
      #expect(try await ledger.counts() == LedgerCounts())
      let met = DocumentWrite(Self.key, body: ["a": 2], condition: .mustHaveVersion(1))
      #expect(try await ledger.commit(write(met)).isRefused == false)
      let missing = DocumentWrite(
        DocumentKey(.review, app: nil, name: "none"),
        body: [:],
        condition: .mustHaveVersion(1)
      )
      #expect(try await ledger.commit(write(missing)).documents == [.kept(nil)])
    }
  }

  @Test(arguments: Backend.allCases)
  func whatIsThereMayStayWhileTheRestGoesOn(backend: Backend) async throws {
    try await backend.withLedger { ledger in
      let first = DocumentWrite(Self.key, body: ["a": 1], condition: .ifAbsent)
      var second = write(DocumentWrite(Self.key, body: ["a": 2], condition: .ifAbsent))
      second.orders = [Make.order(1, customer: "ann")]
      _ = try await ledger.commit(write(first))
      let outcome = try await ledger.commit(second)
      #expect(outcome.isRefused == false)
      #expect(outcome.ordersOpened == [true])
      #expect(outcome.documents.first?.document?.body == ["a": 1])
    }
  }

  @Test(arguments: Backend.allCases)
  func shelvesAndPlacesBoundAList(backend: Backend) async throws {
    try await backend.withLedger { ledger in
      for number in 1...5 {
        let key = DocumentKey(.review, app: "com.example.app", name: "\(number)")
        let shelf = number.isMultiple(of: 2) ? "even" : "odd"
        _ = try await ledger.commit(
          write(DocumentWrite(key, shelf: shelf, body: [:], condition: .always))
        )
      }
      #expect(try await list(ledger) == ["1", "2", "3", "4", "5"])
      #expect(try await list(ledger, shelf: "odd") == ["1", "3", "5"])
      #expect(try await list(ledger, shelf: "odd", after: 1, limit: 1) == ["3"])
      #expect(try await list(ledger, after: 5) == [])
      #expect(try await list(ledger, shelf: "none") == [])
    }
  }

  @Test(arguments: Backend.allCases)
  func oldDocumentsAreForgottenOldestFirstAndNotAllAtOnce(backend: Backend) async throws {
    try await backend.withLedger { ledger in
      for number in 0..<(DocumentPruning.documentsMax + 2) {
        let key = DocumentKey(.review, app: "com.example.app", name: "\(number)")
        _ = try await ledger.commit(
          write(DocumentWrite(key, body: [:], condition: .always), at: TimeInterval(number))
        )
      }
      let other = DocumentKey(.nonce, app: nil, name: "old")
      _ = try await ledger.commit(write(DocumentWrite(other, body: [:], condition: .always)))
      var prune = LedgerWrite(date: Make.date(1000))
      let last = TimeInterval(DocumentPruning.documentsMax + 1)
      prune.pruning = [DocumentPruning(.review, changedBefore: Make.date(last))]
      _ = try await ledger.commit(prune)
      let names = (DocumentPruning.documentsMax...DocumentPruning.documentsMax + 1).map { "\($0)" }
      #expect(try await list(ledger) == names)
      _ = try await ledger.commit(prune)
      // What was written at the instant itself stays.
      #expect(try await list(ledger) == [names[1]])
      #expect(try await read(ledger, other) != nil)
      // A place that was given is not given again.
      let document = DocumentWrite(Self.key, body: [:], condition: .always)
      let outcome = try await ledger.commit(write(document))
      #expect(
        outcome.documents.first?.document?.sequence == Int64(DocumentPruning.documentsMax + 4)
      )
    }
  }

  @Test(arguments: Backend.allCases)
  func documentsAreBoundedAtTheLimit(backend: Backend) async throws {
    let limits = LedgerLimits(documentSizeBytesMax: 20, documentsPerWriteMax: 2)
    try await backend.withLedger(limits: limits) { ledger in
      func document(_ size: Int, _ name: String = "one") -> DocumentWrite {
        DocumentWrite(
          DocumentKey(.review, app: nil, name: name),
          body: ["a": .string(String(repeating: "x", count: size - 8))],
          condition: .always
        )
      }
      _ = try await ledger.commit(write(document(20), document(20, "two")))
      await #expect(throws: StorageError(.tooLarge, "")) {
        _ = try await ledger.commit(write(document(21)))
      }
      await #expect(throws: StorageError(.tooLarge, "")) {
        _ = try await ledger.commit(
          write(document(9), document(9, "two"), document(9, "three"))
        )
      }
    }
  }
}
