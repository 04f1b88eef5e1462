package import Foundation
package import IAPModel

/// Who uses the app now; it changes when somebody signs in or out.
package final class SignedInAccount: Sendable {
  private struct State: Equatable {
    var id: CustomerID?
    var userToken: UUID?
  }

  private let state: Locked<State>

  package init(_ id: CustomerID? = nil, userToken: UUID? = nil) {
    state = Locked(State(id: id, userToken: userToken))
  }

  /// The app's name of the user; nil while nobody is signed in.
  package var id: CustomerID? { state.withLock { $0.id } }
  /// The UUID that travels with this user's payments; nil when the order's number does.
  package var userToken: UUID? { state.withLock { $0.userToken } }

  /// Takes note of who uses the app from now on.
  ///
  /// - Returns: Whether that is somebody else than before.
  func change(to id: CustomerID?, userToken: UUID?) -> Bool {
    state.withLock { state in
      let new = State(id: id, userToken: userToken)
      defer { state = new }
      return state != new
    }
  }

  /// Whether a purchase belongs to whoever uses the app now.
  ///
  /// The order says whose it is. A purchase that no order here knows is somebody else's when it
  /// carries another user's token; who cannot be told is taken for the present user.
  func owns(_ transaction: StoreTransaction, order: Order?) -> Bool {
    owns(transaction.appAccountToken, order: order)
  }

  /// The same for a purchase of which only its token is known.
  func owns(_ token: AppAccountToken?, order: Order?) -> Bool {
    let state = state.withLock { $0 }
    if let owner = order?.account { return owner == state.id }
    guard order == nil, let mine = state.userToken, let token else { return true }
    return token.rawValue == mine
  }
}

extension SignedInAccount {
  /// Whether an event says something about what the present user owns.
  func isConcerned(by event: FunnelEvent, _ store: TransactionStore) -> Bool {
    switch event {
    case .saved(let record), .accepted(let record, _):
      !record.isAnothers
        && owns(record.transaction, order: record.order.flatMap { store.order($0) })
    case .ready, .held, .rejected, .retryScheduled, .finished, .quarantined, .purchaseFailed,
      .order, .restoreEnded, .storageFailed, .journalRepaired:
      true
    }
  }
}
