public import Foundation

/// Asks the server, and while that is silent this device.
///
/// The device's word is provisional: it opens access provisionally, and the purchase goes on
/// waiting for the server, because a device can tell what was never sold but not what was refunded,
/// or handed over elsewhere. Its "no" counts for nothing: the server may know better. A server that
/// says no has the last word.
public struct CompositeReceiptValidator: ReceiptValidator {
  /// What a provisional verdict is good for.
  public enum Provisional: Hashable, Sendable {
    /// For access; the goods wait for the server, and nothing is finished.
    case opensAccess
    /// For the goods as well: they are handed over and the transaction is finished as if there were
    /// no server, which hears of the purchase later and can only take it back.
    case handsOver
  }

  private let server: any ReceiptValidator
  private let local: any ReceiptValidator
  private let provisional: Provisional

  /// Makes a validator.
  ///
  /// - Parameters:
  ///   - server: Has the last word.
  ///   - local: Is asked while the server is silent.
  ///   - provisional: What the local word is good for.
  public init(
    server: any ReceiptValidator,
    local: any ReceiptValidator,
    provisional: Provisional = .opensAccess
  ) {
    self.server = server
    self.local = local
    self.provisional = provisional
  }

  /// Judges a receipt, or the text of a signed transaction.
  ///
  /// - Parameters:
  ///   - receiptData: The bytes.
  ///   - isSandbox: A hint; signed data decides.
  /// - Returns: The verdict.
  /// - Throws: What the server threw, when this device does not find the purchase genuine either.
  public func validate(
    receiptData: Data,
    isSandbox: Bool
  ) async throws -> ReceiptValidationResult {
    try await ask { try await $0.validate(receiptData: receiptData, isSandbox: isSandbox) }
  }

  /// Judges one transaction.
  ///
  /// - Parameter evidence: What is known of it.
  /// - Returns: The verdict.
  /// - Throws: What the server threw, when this device does not find the purchase genuine either.
  public func validate(_ evidence: TransactionEvidence) async throws -> ReceiptValidationResult {
    try await ask { try await $0.validate(evidence) }
  }

  /// Tells the server that this installation has handed the purchase over.
  ///
  /// - Parameter evidence: What is known of the transaction.
  /// - Throws: What the server threw.
  public func acknowledge(_ evidence: TransactionEvidence) async throws {
    try await server.acknowledge(evidence)
  }

  /// Puts an order that was set aside into the review queue of the server.
  ///
  /// - Parameter report: The order.
  /// - Throws: What the server threw.
  public func report(_ report: QuarantineReport) async throws { try await server.report(report) }

  private func ask(
    _ question: (any ReceiptValidator) async throws -> ReceiptValidationResult
  ) async throws -> ReceiptValidationResult {
    do {
      return try await question(server)
    } catch IAPError.staleReceipt {
      // The server has looked: a newer receipt is what it needs.
      throw IAPError.staleReceipt
    } catch {
      guard var verdict = try? await question(local), verdict.isValid else { throw error }
      verdict.isProvisional = true
      verdict.awaitsServer = provisional == .opensAccess
      return verdict
    }
  }
}

extension CompositeReceiptValidator: CustomerSource {
  package func customer(token: String) async throws(IAPError) -> CustomerAnswer? {
    guard let source = server as? any CustomerSource else { throw .unknown }
    return try await source.customer(token: token)
  }
}

extension CompositeReceiptValidator: ServerCaller {
  func calling(_ wrap: (@escaping CallWatch.Transport) -> CallWatch.Transport) -> Self {
    guard let caller = server as? any ReceiptValidator & ServerCaller else { return self }
    return Self(server: caller.calling(wrap), local: local, provisional: provisional)
  }
}
