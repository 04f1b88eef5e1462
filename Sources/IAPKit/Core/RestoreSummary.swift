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

  /// What to tell the user about a restore that brought nothing new.
  ///
  /// - Parameter language: The language.
  /// - Returns: One or two sentences; nil when there is nothing to explain.
  public func userText(_ language: IAPError.Language) -> String? {
    guard !isCancelled else { return nil }
    if let error { return error.userText(language) }
    guard restored.isEmpty else { return nil }
    let isEnglish = language == .english
    if isNothingFound {
      return isEnglish
        ? "There is nothing to restore. The purchase may belong to another App Store account: sign"
          + " in with the one that it was made with."
        : "没有可恢复的购买项目。购买项目可能属于另一个 Apple 账户，请使用购买时的账户登录。"
    }
    if !held.isEmpty {
      return isEnglish
        ? "A purchase was found but could not be confirmed. Please contact support."
        : "已找到购买项目，但无法确认。请联系客服。"
    }
    guard !couldNotCheck.isEmpty else { return nil }
    return isEnglish
      ? "A purchase was found and is being checked. It will be there as soon as that is done."
      : "已找到购买项目，正在核实，完成后即可使用。"
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
