import AppStoreServerAPI
import AppStoreSimulator
import Foundation
import HTTPValues
import IAPModel
import IAPSignatures
import Testing

struct VerifyReceiptClientTests {
  let apple: SimulatedApple

  init() throws { apple = try SimulatedApple() }

  private func answer(_ text: String) -> SimulatedApple.Step {
    .answer(.json(200, Array(text.utf8)))
  }

  private func code(of status: Int, flag: String = "") async -> String {
    let steps = answer(#"{"status":\#(status)\#(flag)}"#)
    apple.plan(steps, steps, steps, steps, steps, steps, steps, steps)
    do throws(AppStoreServerError) {
      switch try await apple.receiptClient().verify(receipt: "AA==") {
      case .accepted: return "accepted"
      case .rejected(let status): return "rejected \(status)"
      }
    } catch {
      return error.code.rawValue
    }
  }

  @Test func aReceiptOfTheSandboxIsAskedForThere() async throws {
    try apple.buy(DemoCatalog.coins)
    let receipt = Base64.encode(
      try #require(try apple.store.receipt(on: SimulatedApple.phone)),
      .standard
    )
    let verdict = try await apple.receiptClient().verify(receipt: receipt)
    guard case .accepted(let object, let environment) = verdict else {
      Issue.record("rejected")
      return
    }
    #expect(environment == .sandbox)
    #expect(
      object["receipt"]?.objectValue?["bundle_id"]?.stringValue == DemoCatalog.bundleID.rawValue
    )
    #expect(apple.sent.map { $0.url.contains("sandbox") } == [false, true])
  }

  @Test(arguments: [
    (0, "accepted", 1), (21000, "unauthorized", 1), (21001, "serverFailed", 4),
    (21002, "rejected 21002", 4), (21003, "rejected 21003", 1), (21004, "unauthorized", 1),
    (21005, "serverFailed", 4), (21006, "accepted", 1), (21007, "serverFailed", 2),
    (21008, "serverFailed", 1), (21009, "serverFailed", 4), (21010, "rejected 21010", 1),
    (21100, "rejected 21100", 1), (21199, "rejected 21199", 1), (21200, "serverFailed", 4),
    (99, "serverFailed", 4),
  ])
  func everyStatusMeansOneThing(status: Int, outcome: String, requests: Int) async {
    #expect(await code(of: status) == outcome)
    #expect(apple.sent.count == requests)
  }

  @Test(arguments: ["true", "\"1\"", "1", "\"true\""])
  func anInternalFailureThatIsRetryableIsNoRejection(flag: String) async {
    #expect(await code(of: 21104, flag: #","is_retryable":\#(flag)"#) == "serverFailed")
  }

  @Test func aSandboxThatFailsAfter21007IsNoRejection() async {
    apple.plan(
      answer(#"{"status":21007}"#),
      .breakOff,
      .answer(HTTPResponse(status: 503)),
      answer("<html>"),
      answer(#"{"status":21008}"#)
    )
    await #expect(throws: AppStoreServerError(.serverFailed, "")) {
      try await apple.receiptClient().verify(receipt: "AA==")
    }
    #expect(apple.sent.count == 5)
  }

  @Test(arguments: [(0, true), (1, false)])
  func aReceiptHasALongestLength(excess: Int, isAllowed: Bool) async {
    let text = String(repeating: "A", count: VerifyReceiptClient.receiptBytesMax + excess)
    apple.plan(answer(#"{"status":21003}"#))
    let verdict = try? await apple.receiptClient().verify(receipt: text)
    #expect((verdict == .rejected(.notAuthentic)) == isAllowed)
  }
}
