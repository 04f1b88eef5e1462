/// What the client needs of StoreKit to know how the customer got the app.
package protocol AppTransactionSource: Sendable {
  /// What the App Store signed about the download of the app.
  ///
  /// - Parameter refreshing: Asks the App Store anew; the customer may have to sign in.
  /// - Returns: The app transaction; nil where StoreKit has none and the receipt says it.
  /// - Throws: ``IAPError`` when the store did not answer.
  func appTransaction(refreshing: Bool) async throws(IAPError) -> IAPAppTransaction?
}

extension AppTransactionSource {
  package func appTransaction(refreshing: Bool) async throws(IAPError) -> IAPAppTransaction? {
    nil
  }
}
