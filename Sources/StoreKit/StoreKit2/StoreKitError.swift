public import Foundation

public enum StoreKitError: Error, Sendable {
  case unknown
  case userCancelled
  case networkError(URLError)
  case systemError(any Error)
  case notAvailableInStorefront
  case notEntitled
  case unsupported
}

extension StoreKitError: LocalizedError {
  public var errorDescription: String? {
    switch self {
    case .unknown: "The App Store could not do that."
    case .userCancelled: "The request was cancelled."
    case .networkError: "The App Store cannot be reached."
    case .systemError: "The system could not do that."
    case .notAvailableInStorefront: "The product is not available in this storefront."
    case .notEntitled: "The app is not entitled to do that."
    case .unsupported: "This is not supported here."
    }
  }
}
