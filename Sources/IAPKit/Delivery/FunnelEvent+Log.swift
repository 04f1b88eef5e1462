import Foundation

extension FunnelEvent {
  var level: LogLevel {
    switch self {
    case .storageFailed, .journalRepaired: .error
    case .held, .rejected, .quarantined, .retryScheduled: .warning
    case .ready, .saved, .accepted, .finished, .purchaseFailed, .order, .restoreEnded: .info
    }
  }

  /// One line: products, states and shortened ids, never receipts, signatures, tokens or accounts.
  var logText: String {
    switch self {
    case .ready(let kind, let result): "\(kind.rawValue) of \(result.productId) is for the app"
    case .saved(let record): "\(record.logName): saved"
    case .held(let record):
      record.state == .held
        ? "\(record.logName): held, its signature does not hold"
        : "\(record.logName): held for another user of the app"
    case .accepted(let record, _): "\(record.logName): accepted"
    case .rejected(let record, _): "\(record.logName): refused \(record.rejections) times"
    case .retryScheduled(let record, let date):
      "\(record.logName): tried again at \(date.timeIntervalSince1970)"
    case .finished(let record): "\(record.logName): finished"
    case .quarantined(let record):
      "\(record.logName): set aside, \(record.quarantine?.rawValue ?? "refused by the app")"
    case .purchaseFailed(let product, let error): "purchase of \(product) ended: \(error.code)"
    case .order(let order):
      "order …\(order.id.suffix(4)) of \(order.productId): \(order.state.rawValue)"
    case .restoreEnded(let error): "restore ended\(error.map { ": \($0.code)" } ?? "")"
    case .storageFailed(let error): "journal: \(error)"
    case .journalRepaired(let count): "journal: \(count) damaged records were set aside"
    }
  }
}

extension TransactionRecord {
  fileprivate var logName: String { "\(transaction.transactionID.redacted) \(productId)" }
}
