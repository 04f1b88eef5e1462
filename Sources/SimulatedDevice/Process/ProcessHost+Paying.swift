import AppStoreSimulator
import IAPModel
import StoreKit
import Synchronization

/// How a visit to the payment sheet ended.
enum SheetOutcome {
  case paid(PurchaseOutcome)
  case cancelled
  case failed(StoreFailure)
  /// A test wants purchases to fail.
  case forced(ForcedFailure)
  /// The account is in another storefront, and the app does not go on there.
  case leftStorefront
  /// The store has done its part, and the app cannot know.
  case answerLost
}

extension ProcessHost {
  /// Shows the payment sheet and buys, as far as the person lets it; never returns in a dead
  /// process.
  ///
  /// - Parameters:
  ///   - request: What is bought.
  ///   - storefront: The storefront that the price was shown for.
  ///   - mayContinue: Asked when the account is in another storefront by the time of the payment.
  /// - Returns: How it ended.
  func visitSheet(
    _ request: AppStoreSimulator.PurchaseRequest,
    from storefront: String,
    mayContinue: (StoreKit.Storefront) async -> Bool
  ) async -> SheetOutcome {
    await life.passOrHang()
    if !canMakePayments { return .failed(.paymentNotAllowed) }
    if let failure = line.failureOfReach { return .failed(failure) }
    var answer = person.takeAnswer()
    if answer == .hold {
      guard let held = await sheet.open(for: request.productID, life: life) else {
        await life.hang()
        return .cancelled
      }
      answer = held
    }
    let outcome: SheetOutcome
    switch answer {
    case .cancel, .hold: outcome = .cancelled
    case .fail(let failure): outcome = .failed(failure)
    case .confirm, .askParent:
      let present = StoreKit.Storefront(line.storefront)
      if present.id != storefront, await !mayContinue(present) {
        outcome = .leftStorefront
      } else {
        outcome = await pay(request, askingParent: answer == .askParent)
      }
    }
    log.note(.payment, request.productID.rawValue, outcome.ending)
    return outcome
  }

  /// Pays: outside of the app, so also while its code is suspended.
  private func pay(
    _ request: AppStoreSimulator.PurchaseRequest,
    askingParent: Bool
  ) async -> SheetOutcome {
    if let failure = line.failure(of: .purchase) { return .forced(failure) }
    if person.paymentNeedsAction {
      line.controls.interrupt(request)
      return .failed(.interrupted)
    }
    await connection.travel(by: line.store.clock)
    await life.passOutsideOrHang(.beforePurchase)
    let outcome = line.purchase(request, askingParent: askingParent)
    await life.passOutsideOrHang(.afterPurchase)
    if case .failed(let failure) = outcome { return .failed(failure) }
    guard connection.takeLoss() else { return .paid(outcome) }
    if case .purchased(let record) = outcome { lostAnswers.withLock { $0.append(record) } }
    return .answerLost
  }
}

extension SheetOutcome {
  fileprivate var ending: SheetVisit.Ending {
    switch self {
    case .paid: .done
    case .cancelled: .closed
    case .failed(let failure): .refused(failure.rawValue)
    case .forced(let failure): .refused("\(failure)")
    case .leftStorefront: .refused("another storefront")
    case .answerLost: .refused("the answer got lost")
    }
  }
}
