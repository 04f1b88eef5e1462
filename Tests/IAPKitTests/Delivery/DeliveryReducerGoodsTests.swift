import Foundation
import IAPKit
import IAPModel
import Testing

@Suite struct DeliveryReducerGoodsTests {
  private var machine = DrivenMachine()
  private let coins = StoreTransaction.coins("1")

  private var badge: StoreTransaction {
    var transaction = StoreTransaction.coins("1")
    transaction.type = .nonConsumable
    return transaction
  }

  // MARK: Refunds

  @Test mutating func refundAndItsReversalTakeEffectOnceEach() {
    machine.deliver(coins)
    let refund = coins.retold(signedAfter: 10, revoked: true)
    let clawback = "clawback:tx:1:1700000010000"
    #expect(machine.feed(.arrived(refund, order: nil)) == ["save", "deliver \(clawback)"])
    #expect(machine.state == .accepted, "a crash here goes on with the clawback")
    #expect(machine.feed(.due(.launch)) == ["deliver \(clawback)"])
    let due = DueEffect(kind: .clawback, key: clawback)
    #expect(
      machine.feed(.answered(.delivered, due)) == ["save", "tell ready clawback", "finish"]
    )
    _ = machine.feed(.storeAnswered(.finished))
    #expect(machine.feed(.arrived(refund, order: nil)) == ["finish"])

    let reversal = coins.retold(signedAfter: 20, revoked: false)
    let regrant = "regrant:tx:1:1700000010000"
    #expect(machine.feed(.arrived(reversal, order: nil)) == ["save", "deliver \(regrant)"])
    _ = machine.feed(.answered(.delivered, DueEffect(kind: .regrant, key: regrant)))
    _ = machine.feed(.storeAnswered(.finished))
    #expect(machine.feed(.arrived(reversal, order: nil)) == ["finish"])
    #expect(machine.feed(.arrived(refund, order: nil)) == ["finish"], "an older signature")
    #expect(machine.record?.acknowledged == ["grant:tx:1", clawback, regrant])
  }

  @Test mutating func secondRefundIsAnotherEffect() {
    machine.deliver(coins)
    for (seconds, isRevoked) in [(10.0, true), (20, false), (30, true)] {
      machine.deliver(coins.retold(signedAfter: seconds, revoked: isRevoked))
      guard let due = machine.due else { continue }
      _ = machine.feed(.answered(.delivered, due))
    }
    #expect(
      machine.record?.acknowledged == [
        "grant:tx:1", "clawback:tx:1:1700000010000", "regrant:tx:1:1700000010000",
        "clawback:tx:1:1700000030000",
      ]
    )
  }

  @Test mutating func refundBeforeTheDeliveryHandsNothingOverAndTakesNothingBack() {
    var refunded = coins
    refunded.revocationDate = machine.now
    #expect(machine.feed(.arrived(refunded, order: nil)) == ["save", "tell saved", "validate"])
    #expect(
      machine.feed(.verdict(.accepted(nil))) == ["save", "tell accepted", "save", "finish"]
    )
    #expect(machine.record?.acknowledged == [])
  }

  @Test mutating func copySignedBeforeARefundThatTheServerToldOfDoesNotTakeItBack() {
    machine.deliver(coins)
    var refund = coins
    refund.revocationDate = coins.signedDate.map { $0 + 10 }
    let clawback = DueEffect(kind: .clawback, key: "clawback:tx:1:1700000011000")
    _ = machine.feed(.arrived(refund, order: nil))
    _ = machine.feed(.answered(.delivered, clawback))
    _ = machine.feed(.storeAnswered(.finished))
    for seconds in [0, 9.0] {
      let copy = coins.retold(signedAfter: seconds, revoked: false)
      #expect(machine.feed(.arrived(copy, order: nil)).last == "finish")
      #expect(machine.record?.transaction.revocationDate == refund.revocationDate)
    }
    let reversal = coins.retold(signedAfter: 10, revoked: false)
    #expect(
      machine.feed(.arrived(reversal, order: nil)).last == "deliver regrant:tx:1:1700000011000"
    )
  }

  @Test mutating func refundThatTheServerKnowsOfCountsWithoutASignature() {
    machine.deliver(.legacy("1"))
    var refund = StoreTransaction.legacy("1")
    refund.revocationDate = machine.now + 5
    #expect(
      machine.feed(.arrived(refund, order: nil)) == ["save", "deliver clawback:tx:1:1700000005000"]
    )
    #expect(machine.feed(.arrived(.legacy("1"), order: nil)).contains("save") == false)
    #expect(machine.record?.transaction.revocationDate == machine.now + 5)
  }

  // MARK: The same goods by another way

  private func copy(_ id: String, of original: String, type: ProductType?) -> StoreTransaction {
    var copy = StoreTransaction.legacy(id)
    copy.originalTransactionID = OriginalTransactionID(original)
    copy.storeState = .restored
    copy.type = type
    return copy
  }

  @Test(arguments: [ProductType.nonConsumable, nil], [ProductType.nonConsumable, nil])
  func restoredCopyOfDeliveredGoodsIsOnlyFinished(_ first: ProductType?, _ second: ProductType?) {
    var purchase = DrivenMachine()
    var bought = StoreTransaction.legacy("1")
    bought.type = first
    purchase.deliver(bought)
    #expect(purchase.state == .finished)
    var machine = DrivenMachine(known: purchase.known)
    _ = machine.feed(.arrived(copy("2", of: "1", type: second), order: nil))
    #expect(machine.feed(.verdict(.accepted(nil))) == ["save", "tell accepted", "save", "finish"])
    #expect(machine.record?.isAcknowledged == true)
  }

  @Test(arguments: [ProductType.nonConsumable, nil], [ProductType.nonConsumable, nil])
  func purchaseWhoseCopyWasDeliveredFirstIsOnlyFinished(
    _ first: ProductType?,
    _ second: ProductType?
  ) {
    var restored = DrivenMachine()
    restored.deliver(copy("2", of: "1", type: first))
    #expect(restored.state == .finished)
    var machine = DrivenMachine(known: restored.known)
    var bought = StoreTransaction.legacy("1")
    bought.type = second
    _ = machine.feed(.arrived(bought, order: nil))
    #expect(machine.feed(.verdict(.accepted(nil))) == ["save", "tell accepted", "save", "finish"])
  }

  @Test mutating func renewalOfUnknownTypeIsGoodsOfItsOwn() {
    machine.known = ["grant:tx:1"]
    var renewal = StoreTransaction.legacy("2")
    renewal.originalTransactionID = "1"
    _ = machine.feed(.arrived(renewal, order: nil))
    #expect(machine.feed(.verdict(.accepted(nil))).last == "deliver grant:tx:2")
  }

  @Test mutating func restoredCopyOfGoodsThatThisInstallationNeverHadIsDelivered() {
    _ = machine.feed(.arrived(copy("2", of: "1", type: .nonConsumable), order: nil))
    #expect(machine.feed(.verdict(.accepted(nil))).last == "deliver grant:orig:1")
  }

  @Test mutating func serverNamesTheUnitOfACopy() {
    machine.known = ["grant:period:1:line:9"]
    _ = machine.feed(.arrived(copy("2", of: "1", type: .autoRenewable), order: nil))
    var result = ReceiptValidationResult(isValid: true)
    result.unit = "period:1:line:9"
    #expect(
      machine.feed(.verdict(.accepted(result))) == ["save", "tell accepted", "save", "finish"]
    )
    #expect(machine.record?.unit == "period:1:line:9")
  }

  @Test(arguments: ["grant:period:1:line:9", "grant:period:1:at:1700000000000"])
  func periodIsKnownByItsLineAndByItsDate(_ name: String) {
    var machine = DrivenMachine(known: [name])
    var period = coins
    period.type = .autoRenewable
    period.webOrderLineItemID = "9"
    _ = machine.feed(.arrived(period, order: nil))
    #expect(machine.feed(.verdict(.accepted(nil))) == ["save", "tell accepted", "save", "finish"])
  }

  @Test mutating func eachPeriodOfASubscriptionIsAnotherUnit() {
    machine.known = ["grant:period:1:line:9"]
    var renewal = coins
    renewal.type = .autoRenewable
    renewal.webOrderLineItemID = "10"
    renewal.purchaseDate += 30 * 86_400
    _ = machine.feed(.arrived(renewal, order: nil))
    #expect(machine.feed(.verdict(.accepted(nil))).last == "deliver grant:period:1:line:10")
  }

  @Test mutating func consumableIsHandedOverByItsClaimerOnly() {
    _ = machine.feed(.arrived(coins, order: nil))
    let result = ReceiptValidationResult(isValid: true, claimedBy: "elsewhere")
    #expect(
      machine.feed(.verdict(.accepted(result)))
        == ["save", "tell accepted", "save", "retry in 2"]
    )
    #expect(machine.feed(.due(.foreground)) == ["validate"])
    let mine = ReceiptValidationResult(isValid: true, claimedBy: "here")
    #expect(
      machine.feed(.verdict(.accepted(mine))) == ["save", "tell accepted", "deliver grant:tx:1"]
    )
  }

  @Test mutating func nonConsumableIsHandedOverOnEveryInstallation() {
    _ = machine.feed(.arrived(badge, order: nil))
    let result = ReceiptValidationResult(isValid: true, claimedBy: "elsewhere")
    #expect(machine.feed(.verdict(.accepted(result))).last == "deliver grant:orig:1")
  }

  @Test mutating func serverRemembersWhatAReinstallForgot() {
    _ = machine.feed(.arrived(coins, order: nil))
    var result = ReceiptValidationResult(isValid: true)
    result.isAcknowledged = true
    #expect(
      machine.feed(.verdict(.accepted(result))) == ["save", "tell accepted", "save", "finish"]
    )
  }

  // MARK: The app

  @Test mutating func handlerThatIsNotReadyIsCalledAgainWithTheSameKey() {
    _ = machine.feed(.arrived(coins, order: nil))
    _ = machine.feed(.verdict(.accepted(nil)))
    let due = DueEffect(kind: .grant, key: "grant:tx:1")
    #expect(machine.feed(.answered(.retryLater, due)) == ["save", "retry in 2"])
    #expect(machine.feed(.arrived(coins, order: nil)) == [], "not before its time")
    #expect(machine.feed(.due(nil)) == ["deliver grant:tx:1"])
    #expect(machine.feed(.answered(.retryLater, due)) == ["save", "retry in 4"])
  }

  @Test mutating func refusalOfTheAppSetsAsideWithItsReason() {
    _ = machine.feed(.arrived(coins, order: nil))
    _ = machine.feed(.verdict(.accepted(nil)))
    let due = DueEffect(kind: .grant, key: "grant:tx:1")
    #expect(
      machine.feed(.answered(.refuse(reason: "banned"), due))
        == ["save", "tell quarantined", "report", "finish"]
    )
    #expect(machine.state == .refused)
    #expect(machine.record?.lastError == "banned")
    _ = machine.feed(.storeAnswered(.finished))
    #expect(machine.feed(.released) == ["save", "deliver grant:tx:1"])
  }

  @Test mutating func deliveryWaitsForTheLogin() {
    machine.isDeliveryOpen = false
    _ = machine.feed(.arrived(coins, order: nil))
    #expect(machine.feed(.verdict(.accepted(nil))) == ["save", "tell accepted"])
    #expect(machine.feed(.due(.foreground)) == [])
    machine.isDeliveryOpen = true
    // That somebody is called is written down before.
    #expect(machine.feed(.due(nil)) == ["save", "deliver grant:tx:1"])
  }

  @Test mutating func withoutATakerAConsumableWaitsForTheApp() {
    machine.hasTaker = false
    machine.hasCaller = true
    _ = machine.feed(.arrived(coins, order: nil))
    #expect(
      machine.feed(.verdict(.accepted(nil))) == ["save", "tell accepted", "tell ready grant"]
    )
    #expect(machine.state == .accepted)
    #expect(machine.feed(.acknowledged) == ["save", "finish"])
    #expect(machine.record?.acknowledged == ["grant:tx:1"])
  }

  @Test(arguments: [ProductType.nonConsumable, .autoRenewable, .nonRenewable])
  func callerAcknowledgesEverythingElse(_ type: ProductType) {
    var machine = DrivenMachine(hasTaker: false, hasCaller: true)
    var transaction = coins
    transaction.type = type
    _ = machine.feed(.arrived(transaction, order: nil))
    #expect(
      machine.feed(.verdict(.accepted(nil)))
        == ["save", "tell accepted", "save", "tell ready grant", "finish"]
    )
  }

  @Test mutating func withoutATakerAndACallerEverythingWaits() {
    machine.hasTaker = false
    _ = machine.feed(.arrived(badge, order: nil))
    #expect(
      machine.feed(.verdict(.accepted(nil))) == ["save", "tell accepted", "tell ready grant"]
    )
    #expect(machine.feed(.due(.launch)) == ["tell ready grant"], "told again at each launch")
    #expect(machine.feed(.due(.foreground)) == [])
  }

  @Test mutating func goodsThatTheAppTookEarlyAreNotHandedOverAgain() {
    _ = machine.feed(.arrived(coins, order: nil))
    #expect(machine.feed(.acknowledged) == ["save"])
    #expect(machine.state == .received)
    #expect(
      machine.feed(.verdict(.accepted(nil))) == ["save", "tell accepted", "save", "finish"]
    )
    #expect(machine.record?.acknowledged == ["grant:tx:1"])
  }
}
