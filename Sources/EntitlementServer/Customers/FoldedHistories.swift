import IAPEntitlements
import IAPModel
import ServerStorage
import Synchronization

/// The histories of customers that were asked about lately, with what each was folded from.
///
/// Folding is pure: as long as the ledger has the same facts, the history is the same. The facts
/// are read from the ledger each time, and compared; what is saved is reading and folding them.
package final class FoldedHistories: Sendable {
  /// How many customers are remembered.
  static let customersMax = 1024
  /// The history of a customer with more than that is folded each time.
  static let itemsMax = 32

  private struct Key: Hashable {
    let customer: CustomerID
    let scope: LedgerScope
  }

  private struct Folded {
    let items: [StoredItem]
    let history: StoreHistory
  }

  private let histories = Mutex<[Key: Folded]>([:])

  package init() {}

  /// How many histories are remembered.
  var count: Int { histories.withLock(\.count) }

  /// Folds what is stored about a customer's purchases, or remembers having done so.
  ///
  /// - Parameters:
  ///   - customer: The customer.
  ///   - scope: The app and environment.
  ///   - items: Everything that is stored about the customer's purchases, in a fixed order.
  /// - Returns: The history.
  /// - Throws: ``StorageError`` with `corrupt` when a fact cannot be read.
  func history(
    of customer: CustomerID,
    _ scope: LedgerScope,
    _ items: [StoredItem]
  ) throws(StorageError) -> StoreHistory {
    let key = Key(customer: customer, scope: scope)
    let known = histories.withLock { $0[key] }
    if let known, known.items == items { return known.history }
    var facts: [StoreFact] = []
    for item in items { facts.append(try item.fact()) }
    let history = StoreHistory(facts, environment: .only(scope.environment))
    histories.withLock { histories in
      if items.isEmpty || items.count > Self.itemsMax {
        histories[key] = nil
      } else {
        if histories[key] == nil, histories.count >= Self.customersMax { histories = [:] }
        histories[key] = Folded(items: items, history: history)
      }
    }
    return history
  }

  /// Forgets a customer who was erased.
  func forget(_ customer: CustomerID) {
    histories.withLock { histories in histories = histories.filter { $0.key.customer != customer } }
  }
}
