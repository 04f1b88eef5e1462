import AppStoreSimulator
import Foundation
import IAPModel
import SimulatedDevice
import StoreKit
import Testing

@Suite("Asking for money back on a device", .timeLimit(.minutes(1)))
struct RefundSheetTests {
  typealias Status = StoreKit.Transaction.RefundRequestStatus
  typealias Failure = StoreKit.Transaction.RefundRequestError

  private func ask(
    _ transaction: StoreKit.Transaction,
    in process: AppProcess
  ) async throws -> Status {
    try await process.run { try await transaction.beginRefundRequest() }
  }

  @Test func askingIsASuccessAndTheStoreDecidesLater() async throws {
    let world = try DeviceWorld()
    let device = try world.device()
    let process = device.launch()
    let updates = process.listenToUpdates()
    device.person.willAnswerRefund(.ask(.unsatisfied))
    let bought = try await process.bought(DeviceWorld.monthly)
    #expect(try await ask(bought, in: process) == .success)
    let record = try #require(world.transactions.first)
    #expect(record.refundRequest?.reason == .unsatisfied)
    #expect(record.refundRequest?.answer == .waiting)
    // Who wants the money back is not charged again.
    let info = try #require(try await process.status(of: DeviceWorld.group)).renewalInfo
    #expect(info.unsafePayloadValue.willAutoRenew == false)
    try world.store.refund(record.transactionID)
    #expect(await updates.next(1).first?.unsafePayloadValue.revocationDate != nil)
    #expect(device.otherVisits.map(\.ending) == [.done])
  }

  @Test func aSecondRequestIsADuplicate() async throws {
    let world = try DeviceWorld()
    let process = try world.device().launch()
    let bought = try await process.bought(DeviceWorld.coins)
    #expect(try await ask(bought, in: process) == .success)
    await #expect(throws: Failure.duplicateRequest) { _ = try await ask(bought, in: process) }
    try world.store.declineRefund(TransactionID("\(bought.id)"))
    await #expect(throws: Failure.duplicateRequest) { _ = try await ask(bought, in: process) }
    let refunded = try await process.bought(DeviceWorld.coins)
    try world.store.refund(TransactionID("\(refunded.id)"))
    await #expect(throws: Failure.duplicateRequest) { _ = try await ask(refunded, in: process) }
  }

  @Test func closingTheSheetAsksForNothing() async throws {
    let world = try DeviceWorld()
    let device = try world.device()
    let process = device.launch()
    let bought = try await process.bought(DeviceWorld.coins)
    device.person.refundAnswer = .cancel
    #expect(try await ask(bought, in: process) == .userCancelled)
    #expect(world.transactions.first?.refundRequest == nil)
    device.person.refundAnswer = .ask(.other)
    #expect(try await ask(bought, in: process) == .success)
  }

  @Test func whatIsNotThePersonsPurchaseFails() async throws {
    let world = try DeviceWorld()
    try world.store.addAccount("bob")
    let process = try world.device().launch()
    let foreign = try await world.device("other", account: "bob").launch()
      .bought(DeviceWorld.coins)
    for id in [foreign.id, 1] {
      await #expect(throws: Failure.failed) {
        _ = try await process.run {
          try await StoreKit.Transaction.beginRefundRequest(for: id)
        }
      }
    }
    #expect(world.store.transaction(TransactionID("\(foreign.id)"))?.refundRequest == nil)
  }

  @Test func whatAFamilyMemberSharesIsNotPaidBack() async throws {
    let shop = try OfferWorld()
    try shop.store.addAccount("bob")
    try shop.store.addFamily("home", organizer: DeviceWorld.account)
    try shop.store.joinFamily("home", "bob")
    let member = try shop.world.device("tablet", account: "bob").launch()
    let updates = member.listenToUpdates()
    _ = try await shop.world.device().launch().bought(OfferWorld.book)
    let copy = try #require(await updates.next(1).first).unsafePayloadValue
    #expect(copy.ownershipType == .familyShared)
    await #expect(throws: Failure.failed) { _ = try await ask(copy, in: member) }
  }

  @Test func withoutNetworkThereIsNoSheet() async throws {
    let device = try DeviceWorld().device()
    let process = device.launch()
    let bought = try await process.bought(DeviceWorld.coins)
    device.isInAirplaneMode = true
    await #expect(throws: StoreKitError.self) { _ = try await ask(bought, in: process) }
    #expect(device.otherVisits == [])
  }

  @Test func aRestoredCopyIsTheOriginalsMoney() async throws {
    let world = try DeviceWorld()
    let first = try world.device().launch()
    let bought = try await first.bought(DeviceWorld.lifetime)
    try await first.run { await bought.finish() }
    let process = try world.device("tablet").launch()
    let observer = QueueObserver()
    try await process.observe(observer)
    try await process.run { SKPaymentQueue.default().restoreCompletedTransactions() }
    let copy = try #require(await observer.transactions.next(1).first?.transactionIdentifier)
    let id = try #require(UInt64(copy))
    let status = try await process.run {
      try await StoreKit.Transaction.beginRefundRequest(for: id)
    }
    #expect(status == .success)
    #expect(world.transactions.first?.refundRequest?.answer == .waiting)
  }
}

@Suite("A higher price on a device", .timeLimit(.minutes(1)))
struct PriceConsentTests {
  private func asked(
    _ change: (inout DeviceOptions) -> Void = { _ in }
  ) async throws -> (DeviceWorld, SimulatedDevice, AppProcess) {
    let world = try DeviceWorld()
    let device = try world.device("phone", change)
    let process = device.launch()
    _ = try await process.bought(DeviceWorld.monthly)
    return (world, device, process)
  }

  private func raise(_ world: DeviceWorld) throws {
    let original = try #require(world.transactions.first).originalTransactionID
    try world.store.raisePrice(to: 9990, of: original, needsConsent: true)
  }

  private func status(
    _ process: AppProcess
  ) async throws -> Product.SubscriptionInfo.RenewalInfo.PriceIncreaseStatus? {
    try await process.status(of: DeviceWorld.group)?.renewalInfo.unsafePayloadValue
      .priceIncreaseStatus
  }

  @Test func theAppThatListensGetsAMessageAndShowsIt() async throws {
    let (world, device, process) = try await asked()
    let messages = process.listenToMessages()
    device.show(.generic)
    #expect(await messages.next(1).map(\.reason) == [.generic])
    device.person.priceAnswer = .agree
    try raise(world)
    let message = try #require(await messages.next(1).first)
    #expect(message.reason == .priceIncreaseConsent)
    world.store.clock.advance(by: 10)
    #expect(try await status(process) == .pending)
    #expect(device.otherVisits == [])
    try await process.run { try await message.display() }
    #expect(try await status(process) == .agreed)
    #expect(
      device.otherVisits == [
        SheetVisit(kind: .priceIncrease, subject: DeviceWorld.monthly, ending: .done)
      ]
    )
    world.advance(days: 35)
    #expect(world.transactions.last?.priceMilliunits == 9990)
  }

  @Test func withoutAListenerTheSystemShowsItAfterAWhile() async throws {
    let (world, device, process) = try await asked()
    device.person.priceAnswer = .decline
    try raise(world)
    world.store.clock.advance(by: 0.999)
    #expect(device.otherVisits == [])
    let statuses = Heard<Bool>()
    process.start {
      for await status in Product.SubscriptionInfo.Status.updates {
        statuses.add(status.renewalInfo.unsafePayloadValue.willAutoRenew)
      }
    }
    #expect(await statuses.next(2) == [true, true])
    world.store.clock.advance(by: 0.001)
    #expect(await statuses.next(1) == [false])
    #expect(try await status(process) == .noIncreasePending)
    // The system has shown it: a listener that comes late has nothing to show.
    let messages = process.listenToMessages()
    device.show(.generic)
    #expect(await messages.next(1).map(\.reason) == [.generic])
  }

  @Test func aDelegateThatRefusesShowsItWhenItLikes() async throws {
    let (world, device, process) = try await asked()
    let delegate = PriceDelegate()
    try await process.run { SKPaymentQueue.default().delegate = delegate }
    device.person.willAnswerPrice(.close, .agree)
    try raise(world)
    world.store.clock.advance(by: 1)
    #expect(await delegate.asked.next(1) == ["price"])
    #expect(device.otherVisits == [])
    let show = { @Sendable in SKPaymentQueue.default().showPriceConsentIfNeeded() }
    try await process.run { show() }
    #expect(device.otherVisits.map(\.ending) == [.closed])
    #expect(try await status(process) == .pending)
    try await process.run { show() }
    #expect(try await status(process) == .agreed)
    // There is nothing left to ask.
    try await process.run { show() }
    #expect(device.otherVisits.map(\.ending) == [.closed, .done])
  }

  @Test func whatNobodyAnsweredIsAMessageAgainAtTheNextLaunch() async throws {
    let (world, device, process) = try await asked()
    try raise(world)
    process.kill()
    let messages = device.launch().listenToMessages()
    #expect(await messages.next(1).map(\.reason) == [.priceIncreaseConsent])
    world.advance(days: 35)
    let over = try await device.launch().status(of: DeviceWorld.group)
    #expect(over?.state == .expired)
    let reason = over?.renewalInfo.unsafePayloadValue.expirationReason
    #expect(reason == .didNotConsentToPriceIncrease)
  }
}

/// Does not let a price increase be shown.
private final class PriceDelegate: NSObject, SKPaymentQueueDelegate, Sendable {
  let asked = Heard<String>()

  func paymentQueueShouldShowPriceConsent(_ paymentQueue: SKPaymentQueue) -> Bool {
    asked.add("price")
    return false
  }
}
