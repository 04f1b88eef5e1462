import IAPKit
import IAPModel

/// The App Store's sheets beside the payment sheet, and what they showed.
final class FakeSheets: Sendable {
  struct State {
    /// What the next requests for money back come to; after that, the App Store takes them.
    var refundAnswers: [RefundOutcome] = []
    var refundRequests: [String] = []
    var managedGroups: [String?] = []
    /// What is entered into the next sheets for codes.
    var codes: [FakeSale] = []
    var shownMessages: [StoreMessage] = []
    /// Why every offer is refused, when it is.
    var offerProblem: OfferProblem?
    var statuses = FakeFeed<StoreSubscriptionStatus>()
    var messages = FakeFeed<HeldMessage>()
  }

  let state = Locked(State())

  /// A process begins: what the one before listened to is over.
  func beginProcess() {
    let (statuses, messages) = state.withLock { state in
      defer { (state.statuses, state.messages) = (FakeFeed(), FakeFeed()) }
      return (state.statuses, state.messages)
    }
    statuses.close()
    messages.close()
  }

  var statuses: FakeFeed<StoreSubscriptionStatus> { state.withLock { $0.statuses } }
  var messages: FakeFeed<HeldMessage> { state.withLock { $0.messages } }

  func answerRefundRequest(for id: String) -> RefundOutcome {
    state.withLock { state in
      let isSecond = state.refundRequests.contains(id)
      if !state.refundAnswers.isEmpty {
        let answer = state.refundAnswers.removeFirst()
        if answer == .success { state.refundRequests.append(id) }
        return answer
      }
      if !isSecond { state.refundRequests.append(id) }
      return isSecond ? .duplicate : .success
    }
  }

  func show(_ message: StoreMessage) { state.withLock { $0.shownMessages.append(message) } }
}
