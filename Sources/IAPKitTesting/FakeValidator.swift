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
    /// It answers what the test says; throwing means that there is no answer.
    case script(@Sendable (TransactionEvidence) async throws -> ReceiptValidationResult)
  }

  private struct State {
    var mood = Mood.truthful
    var asked: [TransactionEvidence] = []
    var acknowledged: [String] = []
  }

  private let find: @Sendable (String) -> StoreTransaction?
  private let state = Locked(State())

  init(find: @escaping @Sendable (String) -> StoreTransaction?) { self.find = find }

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
    switch mood {
    case .truthful, .script: ReceiptValidationResult(isValid: !receiptData.isEmpty)
    case .rejecting: Self.refusal("told to refuse")
    case .unavailable: throw FakeStoreAdapter.noNetwork
    }
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
    switch mood {
    case .unavailable: throw FakeStoreAdapter.noNetwork
    case .rejecting: return Self.refusal("told to refuse")
    case .script(let answer): return try await answer(evidence)
    case .truthful: break
    }
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
    return result
  }

  /// Takes note that goods were handed over.
  ///
  /// - Parameter evidence: What is known of the transaction.
  /// - Throws: `IAPError.network` when the server is unavailable.
  public func acknowledge(_ evidence: TransactionEvidence) async throws {
    if case .unavailable = mood { throw FakeStoreAdapter.noNetwork }
    state.withLock { $0.acknowledged.append(evidence.transactionId) }
  }

  private static func refusal(_ reason: String) -> ReceiptValidationResult {
    ReceiptValidationResult(
      isValid: false,
      reasons: [RejectionReason(rule: "fake", reason: reason)]
    )
  }
}
