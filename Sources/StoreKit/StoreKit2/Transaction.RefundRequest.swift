public import Foundation

// The calls that use these show a sheet over a window, so they exist on Apple's platforms only.
extension Transaction {
  public enum RefundRequestStatus: Sendable, Equatable, Hashable {
    case success
    case userCancelled
  }

  public enum RefundRequestError: Error, Sendable, Equatable, Hashable {
    case duplicateRequest
    case failed
  }
}

extension Transaction.RefundRequestError: LocalizedError {
  public var errorDescription: String? {
    switch self {
    case .duplicateRequest: "A refund of this purchase was requested before."
    case .failed: "The refund could not be requested."
    }
  }
}
