import AppStoreServerAPI
import AppStoreSimulator
import EntitlementServer
import Foundation
import IAPEntitlements
import IAPModel
import IAPSignatures
import ServerStorage
import Testing

/// Answers of Apple's old service whose right meaning is known.
@Suite(.enabled(if: ReceiptAnswers.arePresent, "no test vectors: set IAP_VECTORS"))
struct VerifyReceiptVectorTests {
  private static let original: OriginalTransactionID = "1000000000000001"

  private static func day(_ month: Int, _ day: Int) -> Date {
    // 2025-01-01T00:00:00Z, and the days of January and February.
    let days = [1: 0, 2: 31, 3: 59][month] ?? 0
    return Date(timeIntervalSince1970: 1_735_689_600 + Double(days + day - 1) * 86_400)
  }

  /// A receipt of the kind that only Apple can judge.
  private static let receipt = Base64.encode(
    Array(#"{"signature"="c2ln";"purchase-info"="aW5mbw==";"pod"="100";}"#.utf8),
    .standard
  )

  /// Lets the server ask about a receipt, and Apple answer with the file.
  private func answer(
    _ file: String,
    times: Int = 1
  ) async throws -> (test: TestServer, answer: TestAnswer) {
    let apple = StandInApple(receipts: true, client: false)
    let test = try TestServer(receipts: true, apple: apple)
    let text = try ReceiptAnswers.text(file)
      .replacingOccurrences(of: "\"com.example\"", with: "\"\(DemoCatalog.bundleID)\"")
    let step = StandInApple.Step.answer(200, text)
    apple.plan(step, step, step, step)
    return (test, try await test.verify(["receipt": .string(Self.receipt)]))
  }

  private func history(_ test: TestServer) async throws -> StoreHistory {
    try await test.ledger.history(
      of: LedgerSubject(
        scope: LedgerScope(app: DemoCatalog.bundleID, environment: .production),
        original: Self.original
      )
    )
  }

  struct Row: Sendable, CustomTestStringConvertible {
    let file: String
    let at: Date
    let phase: SubscriptionState.Phase
    var testDescription: String { "\(file) at \(at)" }

    init(_ file: String, _ month: Int, _ day: Int, _ phase: SubscriptionState.Phase) {
      self.file = file
      at = VerifyReceiptVectorTests.day(month, day)
      self.phase = phase
    }
  }

  static let rows = [
    Row("active-newest-first", 2, 15, .subscribed), Row("active-newest-first", 3, 2, .expired),
    Row("active-oldest-first", 2, 15, .subscribed), Row("active-oldest-first", 3, 2, .expired),
    Row("billing-retry", 3, 3, .inBillingRetry), Row("expired-voluntary", 3, 3, .expired),
    Row("family-shared", 2, 15, .subscribed), Row("grace-period", 3, 3, .inGracePeriod),
    Row("grace-period", 3, 8, .inBillingRetry),
    Row("in-app-empty-but-latest-present", 2, 15, .subscribed),
    Row("offer-code", 2, 15, .subscribed), Row("price-consent-pending", 2, 15, .subscribed),
    Row("refunded-latest", 2, 15, .revoked), Row("upgraded", 3, 15, .subscribed),
  ]

  @Test(arguments: rows)
  func aSubscriptionIsInTheStateOfItsRow(row: Row) async throws {
    let (test, answer) = try await answer(row.file)
    #expect(answer.text("verdict") == "accepted")
    let states = try await history(test).subscriptions(at: row.at)
    #expect(states.map(\.phase) == [row.phase])
  }

  @Test func theRestOfWhatTheFilesSayIsKept() async throws {
    let shared = try await history(try await answer("family-shared").test)
    #expect(shared.transactions.last?.payload.ownershipType == .familyShared)
    let code = try await history(try await answer("offer-code").test)
    #expect(code.transaction("2")?.payload.offerType == .code)
    #expect(code.transaction("2")?.payload.offerIdentifier == "SPRING")
    let consent = try await history(try await answer("price-consent-pending").test)
    let state = consent.subscriptions(at: Self.day(2, 15)).first
    #expect(state?.priceIncreaseStatus?.rawValue == 0)
    let over = try await history(try await answer("expired-voluntary").test)
    #expect(over.subscriptions(at: Self.day(3, 3)).first?.reason == .cancelled)
    let upgraded = try await history(try await answer("upgraded").test)
    let yearly = upgraded.subscriptions(at: Self.day(3, 15))
    #expect(yearly.map(\.productID) == ["com.example.yearly"])
    #expect(!upgraded.unitEntries.contains { $0.kind == .clawback })
  }

  @Test func anotherAppsReceiptIsRefused() async throws {
    let (test, answer) = try await answer("other-apps-receipt")
    #expect(answer.rules == ["bundle"])
    #expect(try await test.ledger.counts().facts == 0)
  }

  @Test func nothingBoughtIsNothingGranted() async throws {
    let (test, answer) = try await answer("valid-receipt-nothing-bought")
    #expect(answer.status == 200)
    #expect(answer.rules == ["matchingTransaction"])
    #expect(try await test.ledger.counts().entries == 0)
  }

  @Test func anExpiredSubscriptionOfTheOldKindIsGenuine() async throws {
    let (_, answer) = try await answer("status-21006-ios6-style")
    #expect(answer.text("verdict") == "accepted")
    #expect(answer.text("productId") == "com.example.monthly")
    #expect(answer.entitlements.isEmpty)
  }

  @Test(arguments: [
    (21000, 503), (21001, 503), (21002, 200), (21003, 200), (21004, 503), (21005, 503),
    (21007, 503), (21008, 503), (21009, 503), (21010, 200), (21104, 503),
  ])
  func everyStatusMeansAcceptRejectOrRetry(status: Int, expected: Int) async throws {
    let (test, answer) = try await answer("status-\(status)")
    #expect(answer.status == expected)
    if expected == 200 {
      #expect(answer.rules == ["knownToStore"])
    } else {
      #expect(answer.errorCode == "storeUnavailable")
    }
    #expect(try await test.ledger.counts().facts == 0)
  }

  @Test func everyFileIsLookedAt() throws {
    let tested = Set(Self.rows.map(\.file)).union([
      "other-apps-receipt", "valid-receipt-nothing-bought", "status-21006-ios6-style",
    ]).union(
      [21000, 21001, 21002, 21003, 21004, 21005, 21007, 21008, 21009, 21010, 21104].map {
        "status-\($0)"
      }
    )
    #expect(tested == Set(try ReceiptAnswers.names()))
  }
}

/// The files, found through `IAP_VECTORS`, else at `../shared/vectors` from the working folder.
enum ReceiptAnswers {
  static let arePresent: Bool = {
    if (try? names()) != nil { return true }
    print("SKIPPED: no test vectors at \(folder.path); set IAP_VECTORS to their folder")
    return false
  }()

  private static var folder: URL {
    let root = ProcessInfo.processInfo.environment["IAP_VECTORS"] ?? "../shared/vectors"
    return URL(fileURLWithPath: root).appendingPathComponent("made-here-verify-receipt")
  }

  static func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { $0.hasSuffix(".json") }.map { String($0.dropLast(5)) }
  }

  static func text(_ name: String) throws -> String {
    try String(contentsOf: folder.appendingPathComponent(name + ".json"), encoding: .utf8)
  }
}
