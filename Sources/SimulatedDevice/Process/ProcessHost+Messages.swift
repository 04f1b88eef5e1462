import AppStoreSimulator
import Foundation
import IAPModel
import StoreKit
import Synchronization

// What the App Store has to say to the customer while the app runs.
extension ProcessHost {
  func messages() -> AsyncStream<Message> { messageBroadcast.stream() }

  /// Tells the app once about each failed charge, higher price, and offer to come back.
  func announceMessages() {
    guard life.isAlive else { return }
    let news = messagesTold.withLock { $0.takeNews(line.subscriptions(in: nil)) }
    for reason in news { tell(Message(reason: reason)) }
  }

  /// Gives a message to the app; when nobody takes it, the system shows it after a while.
  func tell(_ message: Message) {
    let waits = !messageBroadcast.wasHeard
    messageBroadcast.send(message)
    guard !messageBroadcast.isHeard else { return }
    let clock = line.store.clock
    clock.schedule(at: clock.now.addingTimeInterval(options.messageDelay)) { [weak self] _ in
      guard let self, life.isAlive else { return }
      if waits, !messageBroadcast.withdraw(where: { $0 == message }) { return }
      showUnasked(message)
    }
  }

  private func showUnasked(_ message: Message) {
    guard message.reason == .priceIncreaseConsent else { return display(message) }
    paymentQueue.askToShowPriceConsent { [self] shows in
      if shows { display(message) }
    }
  }

  func display(_ message: Message) {
    guard life.isAlive else { return }
    switch message.reason {
    case .priceIncreaseConsent: showPriceConsentIfNeeded()
    case .billingIssue: showBillingIssue()
    case .winBackOffer: showWinBackOffer()
    default: log.note(.general, nil, .closed)
    }
  }

  func showPriceConsentIfNeeded() {
    guard life.isAlive, line.failureOfReach == nil else { return }
    for status in line.subscriptions(in: nil) where status.unansweredIncrease != nil {
      let subscription = status.subscription
      let product = subscription.period.productID.rawValue
      let answer = person.takePriceAnswer()
      guard answer != .close else {
        log.note(.priceIncrease, product, .closed)
        continue
      }
      log.noting(.priceIncrease, product) { () throws(SimulatorError) in
        try line.store.answerPriceIncrease(
          answer == .agree,
          of: subscription.originalTransactionID
        )
      }
    }
  }

  private func showBillingIssue() {
    guard person.mendsPayment else { return log.note(.billingIssue, nil, .closed) }
    log.noting(.billingIssue, nil) { () throws(SimulatorError) in
      try line.requireReach()
      try line.store.setPayment(works: true, of: line.account)
    }
  }

  private func showWinBackOffer() {
    for status in line.subscriptions(in: nil) {
      guard let offer = status.renewalInfo.eligibleWinBackOfferIDs?.first else { continue }
      let product = status.subscription.period.productID
      guard person.acceptsWinBackOffers else {
        return log.note(.winBackOffer, product.rawValue, .closed)
      }
      log.noting(.winBackOffer, product.rawValue) { () throws(SimulatorError) in
        hearOutside(try line.buyOutside(product, .winBack(offer)), .resumed)
      }
      return
    }
  }
}
