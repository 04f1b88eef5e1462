public import IAPKit

/// What a list of products tells the user.
public enum PaywallMessage: Hashable, Sendable {
  /// The goods are there.
  case delivered
  /// Paid; being checked.
  case processing
  /// Waits for a parent or the bank.
  case pending
  /// The plan changes with the next renewal.
  case scheduled
  /// So many purchases were restored.
  case restored(Int)
  /// Nothing was found for this App Store account.
  case nothingToRestore
  /// It did not work, for this reason.
  case failed(IAPError.Code, text: String)

  /// The text for the user.
  ///
  /// - Parameter language: The language.
  /// - Returns: One or two sentences.
  public func text(_ language: IAPError.Language) -> String {
    let isChinese = language == .simplifiedChinese
    switch self {
    case .delivered: return isChinese ? "购买成功，谢谢。" : "Thank you for your purchase."
    case .processing:
      return isChinese
        ? "已付款，正在核实，完成后会自动生效。"
        : "Paid. It is being checked and opens by itself."
    case .pending:
      return isChinese ? "等待批准，批准后会自动生效。" : "Waiting for approval. It opens by itself."
    case .scheduled:
      return isChinese ? "方案将在下次续订时变更。" : "Your plan changes with the next renewal."
    case .restored(let count):
      return isChinese ? "已恢复 \(count) 项购买。" : "Restored: \(count)."
    case .nothingToRestore:
      return isChinese
        ? "没有找到购买记录。是否使用了另一个 App Store 账户？"
        : "Nothing was found. Did you buy with another App Store account?"
    case .failed(_, let text): return text
    }
  }

  /// What to say about how a purchase ended; nil when nothing is to be said.
  ///
  /// - Parameters:
  ///   - outcome: How it ended.
  ///   - language: The language of the text of an error.
  public init?(_ outcome: PurchaseOutcome, language: IAPError.Language) {
    switch outcome {
    case .delivered, .alreadyOwned: self = .delivered
    case .processing: self = .processing
    case .pending: self = .pending
    case .scheduled: self = .scheduled
    case .cancelled: return nil
    case .failed(let error): self = .failed(error.code, text: error.userText(language))
    }
  }

  /// What to say about how a restore ended; nil when nothing is to be said.
  ///
  /// - Parameters:
  ///   - summary: How it ended.
  ///   - language: The language of the text of an error.
  public init?(_ summary: RestoreSummary, language: IAPError.Language) {
    if summary.isCancelled { return nil }
    if let error = summary.error {
      self = .failed(error.code, text: error.userText(language))
    } else if summary.isNothingFound {
      self = .nothingToRestore
    } else if summary.restored.isEmpty, summary.alreadyHad.isEmpty {
      self = .processing
    } else {
      self = .restored(summary.restored.count + summary.alreadyHad.count)
    }
  }
}
