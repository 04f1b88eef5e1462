public import IAPKit
#if canImport(UIKit) && !os(watchOS)
public import UIKit
#endif

extension IAPManager {
  #if canImport(UIKit) && !os(watchOS)
  /// Lets the customer ask for the money of one purchase back.
  ///
  /// - Parameters:
  ///   - transactionID: The purchase's own transaction.
  ///   - scene: Where the sheet is shown.
  /// - Returns: What became of the request; nil when there was no sheet.
  @discardableResult
  public func refundRequest(for transactionID: UInt64, scene: UIScene) async -> RefundOutcome? {
    try? await requestRefund(for: "\(transactionID)", in: .scene(scene))
  }
  #else
  /// Lets the customer ask for the money of one purchase back.
  ///
  /// - Parameters:
  ///   - transactionID: The purchase's own transaction.
  ///   - scene: Where the sheet is shown; nil where there is nothing to choose.
  /// - Returns: What became of the request; nil when there was no sheet.
  @discardableResult
  public func refundRequest(
    for transactionID: UInt64,
    scene: StoreAnchor?
  ) async -> RefundOutcome? {
    try? await requestRefund(for: "\(transactionID)", in: scene)
  }
  #endif
}
