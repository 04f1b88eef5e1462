import Foundation
public import StoreKit

extension SKProduct {
  /// The price in the store's own locale and format.
  public var localizedPrice: String? {
    let formatter = NumberFormatter()
    formatter.numberStyle = .currency
    formatter.locale = priceLocale
    return formatter.string(from: price)
  }
}
