public import Foundation
public import IAPKit

/// A server that knows what a fake store has sold, and does what a test tells it.
///
/// Made by ``FakeStore``; hand it to the configuration as the validator.
public final class FakeValidator: ReceiptValidator {
  /// What the server does when it is asked.
  public enum Mood: Sendable {
    /// It answers from the store's books.
    case truthful
    /// It refuses everything, explicitly.
    case rejecting
    /// It gives no answer: the network is down, or it fails.
    case unavailable
    /// It fails with this error, which is no answer either.
    case failing(any Error)
    /// It gives no answer so many times, then answers from the books.
    case unavailableFor(Int)
    /// It answers from the books after so many seconds of the store's clock; see
    /// ``FakeStore/moveClock(by:)``.
    case slow(TimeInterval)
    /// It accepts, but speaks of another product, which is no answer to a signed transaction.
    case aboutAnotherProduct
    /// It finds the receipt older than the purchase (StoreKit 1).
    case receiptIsStale
    /// It accepts, and knows that the purchase belongs to another of the app's users.
    case belongsToAnother
    /// It accepts, and lets another installation hand the goods over.
    case claimedElsewhere
    /// It answers what the test says; throwing means that there is no answer.
    case script(@Sendable (TransactionEvidence) async throws -> ReceiptValidationResult)
  }

  private struct State {
    var mood = Mood.truthful
    var asked: [TransactionEvidence] = []
    var acknowledged: [String] = []
  }

  private let find: @Sendable (String) -> StoreTransaction?
  private let wait: @Sendable (TimeInterval) async throws -> Void
  private let state = Locked(State())

  init(
    find: @escaping @Sendable (String) -> StoreTransaction?,
    wait: @escaping @Sendable (TimeInterval) async throws -> Void
  ) {
    self.find = find
    self.wait = wait
  }

  /// What the server does.
  public var mood: Mood {
    get { state.withLock { $0.mood } }
    set { state.withLock { $0.mood = newValue } }
  }

  /// Everything that it was asked, oldest first.
  public var asked: [TransactionEvidence] { state.withLock { $0.asked } }

  /// The transactions whose goods were handed over, as the app said.
  public var acknowledgedTransactionIds: [String] { state.withLock { $0.acknowledged } }

  /// Judges everything as genuine, unless the mood says otherwise: there is nothing to look up.
  ///
  /// - Parameters:
  ///   - receiptData: The receipt.
  ///   - isSandbox: Is not looked at.
  /// - Returns: The verdict.
  /// - Throws: `IAPError.network` when the server is unavailable.
  public func validate(
    receiptData: Data,
    isSandbox: Bool
  ) async throws -> ReceiptValidationResult {
    if case .rejecting = mood { return Self.refusal("told to refuse") }
    try await answerOrFail(mood)
    return ReceiptValidationResult(isValid: !receiptData.isEmpty)
  }

  /// Judges one transaction.
  ///
  /// - Parameter evidence: What is known of it.
  /// - Returns: The verdict.
  /// - Throws: `IAPError.network` when the server is unavailable.
  public func validate(_ evidence: TransactionEvidence) async throws -> ReceiptValidationResult {
    let mood = state.withLock { state in
      state.asked.append(evidence)
      return state.mood
    }
    if case .script(let answer) = mood { return try await answer(evidence) }
    if case .rejecting = mood { return Self.refusal("told to refuse") }
    try await answerOrFail(mood)
    guard let sold = find(evidence.transactionId) else {
      return Self.refusal("the store sold no such transaction")
    }
    var result = ReceiptValidationResult(
      isValid: true,
      productId: sold.productID.rawValue,
      expiresDate: sold.expiresDate
    )
    result.transactionId = evidence.transactionId
    result.originalTransactionId = sold.originalTransactionID.rawValue
    result.environment = sold.environment
    result.revocationDate = sold.revocationDate
    switch mood {
    case .aboutAnotherProduct: result.productId = "com.example.another"
    case .belongsToAnother: result.belongsToAnother = true
    case .claimedElsewhere: result.claimedBy = "another-installation"
    case .truthful, .rejecting, .unavailable, .failing, .unavailableFor, .slow, .receiptIsStale,
      .script:
      break
    }
    return result
  }

  /// Throws, or waits, where the mood gives no answer at once.
  private func answerOrFail(_ mood: Mood) async throws {
    switch mood {
    case .unavailable: throw FakeStoreAdapter.noNetwork
    case .failing(let error): throw error
    case .receiptIsStale: throw IAPError.staleReceipt
    case .slow(let seconds): try await wait(seconds)
    case .unavailableFor(let times) where times > 0:
      self.mood = .unavailableFor(times - 1)
      throw FakeStoreAdapter.noNetwork
    case .truthful, .rejecting, .unavailableFor, .aboutAnotherProduct, .belongsToAnother,
      .claimedElsewhere, .script:
      break
    }
  }

  /// Takes note that goods were handed over.
  ///
  /// - Parameter evidence: What is known of the transaction.
  /// - Throws: `IAPError.network` when the server is unavailable.
  public func acknowledge(_ evidence: TransactionEvidence) async throws {
    if case .slow = mood {} else { try await answerOrFail(mood) }
    state.withLock { $0.acknowledged.append(evidence.transactionId) }
  }

  private static func refusal(_ reason: String) -> ReceiptValidationResult {
    ReceiptValidationResult(
      isValid: false,
      reasons: [RejectionReason(rule: "fake", reason: reason)]
    )
  }
}
