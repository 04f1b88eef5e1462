public import Foundation
import IAPModel

/// A paid order that is not with the user yet, and why.
public struct OrderNeedingAttention: Hashable, Sendable, Identifiable {
  /// Why it is not with the user.
  public enum Reason: String, Hashable, Sendable, Codable, CaseIterable {
    /// Its signature does not hold on this device; it is checked again.
    case held
    /// The server refused it too often.
    case rejected
    /// The server has not answered for too long; it is still asked.
    case unanswered
    /// Too many checks failed, by a policy that counts every failure.
    case failedChecks
    /// The app's handler refused to hand it over.
    case refused
    /// It belongs to another account of the app: it is handed over when that user signs in.
    case anotherAccount
    /// The app's handler was called and has not answered for too long.
    case handlerSilent
  }

  /// The transaction.
  public let transactionId: String
  /// The product.
  public let productId: String
  /// How many were bought.
  public let quantity: Int
  /// When the customer was charged.
  public let purchaseDate: Date
  /// The number of its order as the app knows it.
  public let orderNumber: String?
  /// The account that the order belongs to.
  public let account: String?
  /// Why it is not with the user.
  public let reason: Reason
  /// How often it was checked.
  public let attempts: Int
  /// What went wrong last, in words without secrets.
  public let lastError: String?
  /// When it is tried next by itself; nil when somebody has to look at it first.
  public let nextAttempt: Date?
  /// A short code that the user can read out to support.
  public let contactReference: String

  /// The transaction.
  public var id: String { transactionId }

  init(_ record: TransactionRecord, reason: Reason, order: Order?) {
    transactionId = record.transactionId
    productId = record.productId
    quantity = record.quantity
    purchaseDate = record.purchaseDate
    orderNumber = order?.displayNumber ?? record.orderNumber
    account = order?.account?.rawValue
    self.reason = reason
    attempts = record.attempts
    lastError = record.lastError
    nextAttempt = record.nextAttempt
    contactReference = ContactReference.make(record.transactionId)
  }

  /// What to tell the user, with the code for support.
  ///
  /// - Parameter language: The language.
  /// - Returns: One or two sentences.
  public func userText(_ language: IAPError.Language) -> String {
    switch language {
    case .english: return english + " (\(contactReference))"
    case .simplifiedChinese: return chinese + "（\(contactReference)）"
    }
  }

  private var english: String {
    switch reason {
    case .held, .unanswered, .handlerSilent:
      "Your purchase is paid and still being checked. You will receive it automatically."
    case .rejected, .failedChecks, .refused:
      "Your purchase could not be confirmed. Please contact support with this code."
    case .anotherAccount:
      "This purchase belongs to another account. Sign in with that account to receive it."
    }
  }

  private var chinese: String {
    switch reason {
    case .held, .unanswered, .handlerSilent: "您的购买已付款，仍在确认中，确认后将自动到账。"
    case .rejected, .failedChecks, .refused: "无法确认您的购买，请将此代码提供给客服。"
    case .anotherAccount: "此购买属于另一个账号，请登录该账号后领取。"
    }
  }
}

extension OrderNeedingAttention.Reason {
  /// Why a record needs somebody; nil when it does not, or by its state alone cannot be told.
  init?(_ record: TransactionRecord) {
    switch record.state {
    case .held: self = .held
    case .refused: self = .refused
    case .quarantined:
      switch record.quarantine {
      case .rejected?: self = .rejected
      case .failedChecks?: self = .failedChecks
      case .unanswered?, nil: self = .unanswered
      }
    case .received, .accepted, .delivered, .finished: return nil
    }
  }
}
