import AppStoreSimulator
import Foundation
import IAPModel
import StoreKit
import Synchronization

/// What StoreKit remembers on a device from one process of the app to the next.
final class DeviceMemory: Sendable {
  private struct State {
    var promotions = StorePromotions()
    var revocations: [TransactionID: Date] = [:]
    var queueRevocations: [TransactionID: Date] = [:]
    var wantsReceipt = false
    var promotedPurchases: [PromotedPurchase] = []
  }

  private let state = Mutex(State())

  /// How the app wants its promoted products to be shown.
  var promotions: StorePromotions { state.withLock { $0.promotions } }

  func changePromotions(_ change: (inout StorePromotions) -> Void) {
    state.withLock { change(&$0.promotions) }
  }

  /// Remembers what the app knows of the revocations of transactions.
  func note(_ records: [StoreTransactionRecord]) {
    state.withLock { state in
      for record in records {
        state.revocations[record.transactionID] = record.revocationDate
      }
    }
  }

  /// The transactions that were taken back, or given back, without the app's knowledge.
  func unknownRevocations(in records: [StoreTransactionRecord]) -> [StoreTransactionRecord] {
    state.withLock { state in
      records.filter { state.revocations[$0.transactionID] != $0.revocationDate }
    }
  }

  /// The family members' purchases that are shared no more without the queue's knowledge; it is
  /// told of each once.
  func takeQueueRevocations(in records: [StoreTransactionRecord]) -> [StoreTransactionRecord] {
    state.withLock { state in
      let news = records.filter { record in
        record.ownership == .familyShared && record.revocationDate != nil
          && state.queueRevocations[record.transactionID] != record.revocationDate
      }
      for record in records {
        state.queueRevocations[record.transactionID] = record.revocationDate
      }
      return news
    }
  }

  /// Keeps a purchase that began in the App Store until the app is launched.
  func keepPromotedPurchase(_ promoted: PromotedPurchase) {
    state.withLock { $0.promotedPurchases.append(promoted) }
  }

  /// The purchases that began in the App Store while the app was not running, the oldest first.
  func takePromotedPurchases() -> [PromotedPurchase] {
    state.withLock { state in
      defer { state.promotedPurchases = [] }
      return state.promotedPurchases
    }
  }

  /// The app found its receipt invalid.
  func wantReceipt() { state.withLock { $0.wantsReceipt = true } }

  /// Whether a receipt is to be fetched; true once.
  func takeWishForReceipt() -> Bool {
    state.withLock { state in
      defer { state.wantsReceipt = false }
      return state.wantsReceipt
    }
  }
}

/// A purchase that began in the App Store.
struct PromotedPurchase: Sendable {
  let product: CatalogProduct
  /// The win-back offer that the person began it with.
  let offer: OfferID?
}
