public import Foundation
import Synchronization

public enum SKPaymentTransactionState: Int, BitwiseCopyable, Sendable {
  case purchasing = 0
  case purchased = 1
  case failed = 2
  case restored = 3
  case deferred = 4
}

/// An entry of the payment queue; the object stays the same while its state changes.
public final class SKPaymentTransaction: NSObject, Sendable {
  /// What the entry says at one moment.
  package struct Snapshot: Sendable {
    package var payment: PaymentValue
    package var state: SKPaymentTransactionState
    package var identifier: String?
    package var date: Date?
    package var error: (any Error)?
    package var original: SKPaymentTransaction?
    /// What the host calls an entry that has no identifier.
    package var hostNumber: Int?

    package init(payment: PaymentValue, state: SKPaymentTransactionState) {
      self.payment = payment
      self.state = state
    }
  }

  private let content: Mutex<Snapshot>

  package init(_ snapshot: Snapshot) {
    content = Mutex(snapshot)
    super.init()
  }

  package var snapshot: Snapshot { content.withLock { $0 } }

  package func change(_ body: (inout Snapshot) -> Void) {
    content.withLock { body(&$0) }
  }

  public var payment: SKPayment { SKPayment(snapshot.payment) }
  public var transactionState: SKPaymentTransactionState { snapshot.state }
  public var transactionIdentifier: String? { snapshot.identifier }
  public var transactionDate: Date? { snapshot.date }
  public var error: (any Error)? { snapshot.error }
  public var original: SKPaymentTransaction? { snapshot.original }
}
