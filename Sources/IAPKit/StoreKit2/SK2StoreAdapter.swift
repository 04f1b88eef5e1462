import Foundation
import IAPModel
import StoreKit

/// StoreKit 2 behind the client's seam: maps types and decides nothing.
@available(iOS 15.0, macOS 12.0, tvOS 15.0, watchOS 8.0, *)
package final class SK2StoreAdapter: StoreAdapter, ProductSource {
  let loader = SK2ProductLoader()
  private let listener = SK2TransactionListener()
  private let promoting = Locked<Promoting?>(nil)
  private let usesQueueForPromoted: Bool
  /// StoreKit's own values of what it waits to be finished, because its listings may lag.
  private let announced = Locked<[StoreReference: Transaction]>([:])

  /// Makes the adapter.
  ///
  /// - Parameter usesQueueForPromoted: Whether StoreKit 1 brings promoted purchases; nil lets the
  ///   system decide.
  package init(usesQueueForPromoted: Bool? = nil) {
    self.usesQueueForPromoted = usesQueueForPromoted ?? !Self.hasIntents
  }

  deinit { stop() }

  package var generation: StoreGeneration { .storekit2 }

  package func canMakePayments() -> Bool { AppStore.canMakePayments }

  package func loadProducts(_ ids: [String]) async throws(IAPError) -> [IAPProduct] {
    try await loader.load(ids)
  }

  package func unfinished() async -> [StoreTransaction] {
    await collect(Transaction.unfinished, source: .unfinished)
  }

  package func currentEntitlements() async -> [StoreTransaction] {
    await collect(Transaction.currentEntitlements, source: .restore)
  }

  package func finish(_ reference: StoreReference) async -> StoreFinishAnswer {
    // What is not among the unfinished ones was finished before.
    await transaction(reference)?.finish()
    _ = announced.withLock { $0.removeValue(forKey: reference) }
    return .finished
  }

  private func transaction(_ reference: StoreReference) async -> Transaction? {
    if let transaction = announced.withLock({ $0[reference] }) { return transaction }
    for await result in Transaction.unfinished
    where String(result.unsafePayloadValue.id) == reference.rawValue {
      return result.unsafePayloadValue
    }
    return nil
  }

  /// Lists what the account owns; only when the device knows of nothing is the user asked to sign
  /// in.
  package func restore() async throws(IAPError) -> [StoreTransaction] {
    let known = await currentEntitlements()
    guard known.isEmpty else { return known }
    do {
      try await AppStore.sync()
    } catch {
      throw IAPError(storeKit2: error)
    }
    return await currentEntitlements()
  }

  package func receipt() -> [UInt8]? { nil }

  package func refreshedReceipt() async -> [UInt8]? { nil }

  package func start(_ sink: @escaping @Sendable (StoreSignal) -> Void) {
    let announced = announced
    listener.start { result in
      Self.note(result, in: announced)
      sink(.transaction(StoreTransaction(result, source: .updates)))
    }
    let begun = listenToPromoted(overQueue: usesQueueForPromoted) { sink(.promoted($0)) }
    replacePromoting(with: begun)
  }

  package func stop() {
    listener.stop()
    replacePromoting(with: nil)
  }

  private func replacePromoting(with begun: Promoting?) {
    let earlier = promoting.withLock { promoting in
      let earlier = promoting
      promoting = begun
      return earlier
    }
    earlier?.end()
  }

  private func collect(
    _ listing: Transaction.Transactions,
    source: TransactionSource
  ) async -> [StoreTransaction] {
    var found: [StoreTransaction] = []
    for await result in listing {
      found.append(
        source == .unfinished
          ? remember(result, source: source) : StoreTransaction(result, source: source)
      )
    }
    return found
  }

  func remember(
    _ result: VerificationResult<Transaction>,
    source: TransactionSource
  ) -> StoreTransaction {
    Self.note(result, in: announced)
    return StoreTransaction(result, source: source)
  }

  private static func note(
    _ result: VerificationResult<Transaction>,
    in announced: Locked<[StoreReference: Transaction]>
  ) {
    let transaction = result.unsafePayloadValue
    announced.withLock { $0[StoreReference(String(transaction.id))] = transaction }
  }
}
