public import Foundation

/// The customer's wish to pay with the payment method that an identifier names.
public struct PaymentMethodBinding: Sendable, Hashable, Identifiable {
  public typealias ID = String

  public let id: String

  /// Always throws: which customers are eligible is agreed between Apple and a payment provider,
  /// and a simulated store has none.
  public init(id: String) async throws {
    await StoreHostBinding.required().passWhileAlive()
    guard !id.isEmpty else { throw PaymentMethodBindingError.invalidPinningID }
    throw PaymentMethodBindingError.notEligible
  }

  public func bind() async throws {
    await StoreHostBinding.required().passWhileAlive()
    throw PaymentMethodBindingError.notEligible
  }

  public enum PaymentMethodBindingError: LocalizedError, Equatable, Hashable {
    case notEligible
    case invalidPinningID
    case failed

    public var errorDescription: String? {
      switch self {
      case .notEligible: "The customer is not eligible for this payment method."
      case .invalidPinningID: "The payment method's identifier is not valid."
      case .failed: "The payment method could not be set."
      }
    }
  }
}
