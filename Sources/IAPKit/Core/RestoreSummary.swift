/// How a restore ended.
public struct RestoreSummary: Hashable, Sendable {
  /// Handed over by this restore.
  public var restored: [IAPTransactionResult]
  /// Owned and handed over before.
  public var alreadyHad: [IAPTransactionResult]
  /// Owned, but held: the signature was not right, or the server refused it.
  public var held: [IAPTransactionResult]
  /// Owned, but the server could not be asked; it is tried again by itself.
  public var couldNotCheck: [IAPTransactionResult]
  /// Whether the user closed the sign-in.
  public var isCancelled: Bool
  /// Why the store could not be asked, or nil.
  public var error: IAPError?

  /// Makes a summary; what is left out is empty.
  public init(
    restored: [IAPTransactionResult] = [],
    alreadyHad: [IAPTransactionResult] = [],
    held: [IAPTransactionResult] = [],
    couldNotCheck: [IAPTransactionResult] = [],
    isCancelled: Bool = false,
    error: IAPError? = nil
  ) {
    self.restored = restored
    self.alreadyHad = alreadyHad
    self.held = held
    self.couldNotCheck = couldNotCheck
    self.isCancelled = isCancelled
    self.error = error
  }

  /// Whether the store answered and this customer owns nothing that can be restored.
  ///
  /// A likely reason is that the purchase was made with another App Store account.
  public var isNothingFound: Bool {
    restored.isEmpty && alreadyHad.isEmpty && held.isEmpty && couldNotCheck.isEmpty
      && !isCancelled && error == nil
  }

  /// Hashes everything; the error by its code.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(restored)
    hasher.combine(alreadyHad)
    hasher.combine(held)
    hasher.combine(couldNotCheck)
    hasher.combine(isCancelled)
    hasher.combine(error?.code)
  }
}
