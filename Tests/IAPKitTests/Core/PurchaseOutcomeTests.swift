import IAPKit
import Testing

@Suite("The throwing form of a purchase")
struct PurchaseOutcomeTests {
  @Test(
    "throws what kept the goods away",
    arguments: [
      (PurchaseOutcome.cancelled, IAPError.userCancelled),
      (.pending(orderNumber: "1"), .pending),
      (.failed(.paymentsNotAllowed), .paymentsNotAllowed),
      (.scheduled(nil), .pending),
    ]
  )
  func errors(outcome: PurchaseOutcome, error: IAPError) {
    #expect(throws: error) { try outcome.get() }
  }

  @Test("leaves the button usable after everything but an open sheet and a running check")
  func buttons() {
    let blocked: [PurchaseState] = [.inProgress, .verifying]
    let usable: [PurchaseState] = [
      .idle, .pending, .processing, .complete, .cancelled, .failed(.network), .failedVerification,
      .unknown,
    ]
    #expect(blocked.filter(\.canBuy) == [])
    #expect(usable.filter(\.canBuy) == usable)
  }

  @Test(
    "maps to a state",
    arguments: [
      (PurchaseOutcome.cancelled, PurchaseState.cancelled),
      (.pending(orderNumber: "1"), .pending),
      (.failed(.receiptValidationFailed), .failedVerification),
      (.failed(.unknown), .unknown),
      (.failed(.paymentsNotAllowed), .failed(.paymentsNotAllowed)),
    ]
  )
  func states(outcome: PurchaseOutcome, state: PurchaseState) {
    #expect(PurchaseState(outcome) == state)
  }
}
