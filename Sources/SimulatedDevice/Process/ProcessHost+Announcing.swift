import AppStoreSimulator
import Foundation
import IAPModel
import StoreKit
import Synchronization

// What the app hears without asking.
extension ProcessHost {
  /// Announces once what is unfinished, and what was taken back in the meantime.
  func announceMissed() {
    if options.announcesFinishedAgain {
      for record in line.finished() { announce(record) }
    }
    let unfinished = line.unfinished()
    let ordered = options.announcesUnfinishedNewestFirst ? unfinished.reversed() : unfinished
    for record in ordered { announce(record) }
    let history = line.history()
    guard options.announcesMissedRevocations else { return memory.note(history) }
    let announced = Set(unfinished.map(\.transactionID))
    for record in memory.unknownRevocations(in: history)
    where !announced.contains(record.transactionID) {
      announce(record)
    }
  }

  /// Announces a transaction on `Transaction.updates`.
  func announce(_ record: StoreTransactionRecord) {
    guard let transaction = line.signed(record, for: self) else { return }
    transactionBroadcast.send(transaction)
    if transactionBroadcast.wasHeard, !life.isSuspended {
      memory.note([record])
    } else {
      // When the process ends before anybody hears it, the next one has to be told again.
      revocationsUnheard.withLock { $0.append(record) }
    }
  }

  /// A listener has got all that waited.
  func isListenedTo() {
    memory.note(
      revocationsUnheard.withLock { waiting in
        defer { waiting = [] }
        return waiting
      }
    )
  }

  /// Announces a completed purchase once more, where systems do that.
  func echo(_ record: StoreTransactionRecord) {
    guard let delay = options.purchaseEchoDelay else { return }
    let clock = line.store.clock
    clock.schedule(at: clock.now.addingTimeInterval(delay)) { [weak self] _ in
      guard let self, (try? life.pass(.beforeUpdate)) != nil else { return }
      announce(record)
    }
  }
}

// What a device decides without the store.
extension ProcessHost {
  var ageRatingCode: Int? { options.ageRatingCode }

  func promotions() async throws -> StorePromotions {
    await life.passOrHang()
    return memory.promotions
  }

  func changePromotions(
    _ change: @escaping @Sendable (inout StorePromotions) -> Void
  ) async throws {
    await life.passOrHang()
    memory.changePromotions(change)
  }

  func advancedCommerceType(of product: String) async throws -> Product.ProductType {
    await life.passOrHang()
    // Apple admits single apps to these products; a simulated store sells what its catalog has.
    throw StoreKitError.unsupported
  }

  func terminateForInvalidReceipt() {
    memory.wantReceipt()
    life.kill()
  }

  /// Fetches a receipt when the last process ended for want of one.
  func fetchReceiptIfWanted() {
    guard memory.takeWishForReceipt(), person.signsIn else { return }
    // Without network the app gets the receipt that it had, as on a real device.
    try? line.refreshReceipt()
  }
}
