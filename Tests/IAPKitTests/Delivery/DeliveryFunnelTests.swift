import Foundation
import IAPKit
import IAPModel
import Testing

@Suite(.timeLimit(.minutes(1))) struct DeliveryFunnelTests {
  private let world = ScriptedWorld()
  private let coins = OrderDraft(productID: "coins", context: ["level": "7"])

  // MARK: The walk of a purchase

  @Test func purchaseIsSavedJudgedDeliveredAndFinished() async throws {
    world.sellsCoins()
    let process = world.launch()
    let outcome = await process.funnel.buy(coins)
    guard case .delivered(let result) = outcome else { return #expect(outcome == .cancelled) }
    #expect(result.transactionId == "1")
    #expect(result.context == ["level": "7"])
    let delivery = try #require(world.app.calls.first)
    #expect(world.app.calls.count == 1)
    #expect(delivery.kind == .grant)
    #expect(delivery.idempotencyKey == "grant:tx:1")
    #expect(delivery.order?.context == ["level": "7"])
    #expect(delivery.validation?.isValid == true)
    #expect(world.store.finished == ["1"])
    #expect(process.state("1") == .finished)
    #expect(process.store.orders.map(\.state) == [.delivered])
    #expect(result.orderNumber == process.store.orders.first?.number.description)
  }

  @Test func orderIsDurableBeforeTheSheetOpens() async throws {
    let disk = world.disk
    let seen = Guarded<String?>(nil)
    world.store.state.withLock {
      $0.sheet = { request in
        let journal = disk["iapkit.journal"].map { String(decoding: $0, as: UTF8.self) }
        let token = request.accountToken.description
        seen.withLock { $0 = journal.flatMap { $0.contains(token) ? token : nil } }
        return .failed(.userCancelled, reference: nil)
      }
    }
    let process = world.launch()
    _ = await process.funnel.buy(coins)
    let order = try #require(process.store.orders.first)
    #expect(seen.withLock { $0 } == order.number.description)
  }

  @Test func validatorIsToldEverythingThatIsKnown() async throws {
    world.sellsCoins()
    let process = world.launch(configuration: FunnelConfiguration(isSandbox: true))
    _ = await process.funnel.buy(
      OrderDraft(productID: "coins", number: "A-1", account: "alice")
    )
    let order = try #require(process.store.orders.first)
    #expect(
      world.validator.asked == [
        TransactionEvidence(
          signedTransaction: "header.1.signature",
          transactionId: "1",
          originalTransactionId: "1",
          productId: "coins",
          orderNumber: order.number.description,
          account: "alice",
          installation: process.store.installation?.rawValue,
          isSandbox: true
        )
      ]
    )
    #expect(process.store.installation != nil)
  }

  @Test func paymentsThatAreNotAllowedOpenNoOrder() async {
    world.store.state.withLock { $0.mayPay = false }
    let process = world.launch()
    #expect(await process.funnel.buy(coins) == .failed(.paymentsNotAllowed))
    #expect(process.store.orders == [])
    #expect(world.store.state.withLock(\.requests) == [])
  }

  @Test func withoutAValidatorTheDevicesVerdictCounts() async {
    world.sellsCoins()
    let process = world.launch(hasValidator: false)
    let outcome = await process.funnel.buy(coins)
    guard case .delivered = outcome else { return #expect(outcome == .cancelled) }
    #expect(world.validator.asked == [])
    #expect(world.app.effects == ["grant:tx:1"])
  }

  @Test func answerAboutAnotherProductIsNoVerdict() async {
    world.sellsCoins()
    world.validator.script(.accept(ReceiptValidationResult(isValid: true, productId: "pro")))
    let process = world.launch()
    let outcome = await process.funnel.buy(coins)
    guard case .processing = outcome else { return #expect(outcome == .cancelled) }
    #expect(world.app.calls == [])
    #expect(process.store.record("1")?.lastError == "the answer is about another product")
  }

  // MARK: Ends of the sheet

  @Test func cancelClosesTheOrderAndFinishesWhatStoreKitOneLeaves() async {
    let reference = StoreReference("failed-1")
    world.store.state.withLock {
      $0.sheet = { _ in .failed(.userCancelled, reference: reference) }
    }
    let process = world.launch(generation: .storekit1)
    #expect(await process.funnel.buy(coins) == .cancelled)
    #expect(process.store.orders.map(\.state) == [.cancelled])
    #expect(world.store.finished == ["failed-1"])
  }

  @Test func failureClosesTheOrderWithItsCode() async {
    world.store.state.withLock {
      $0.sheet = { _ in .failed(.store(code: 2, underlying: IAPError.unknown), reference: nil) }
    }
    let process = world.launch()
    let outcome = await process.funnel.buy(coins)
    #expect(outcome == .failed(.store(code: 9, underlying: IAPError.pending)), "equal by code")
    #expect(process.store.orders.map(\.failure) == ["store"])
    #expect(process.store.orders.map(\.state) == [.failed])
  }

  @Test func failedTransactionIsNotFinishedWhileItsOutcomeCannotBeSaved() async {
    let disk = world.disk
    world.store.state.withLock {
      $0.sheet = { _ in
        disk.fail(.full)
        return .failed(.userCancelled, reference: StoreReference("failed-1"))
      }
    }
    let process = world.launch(generation: .storekit1)
    #expect(await process.funnel.buy(coins) == .cancelled)
    #expect(world.store.finished == [])
  }

  @Test func approvalByAParentJoinsTheOrderAfterARelaunch() async throws {
    let first = world.launch()
    let outcome = await first.funnel.buy(coins)
    let order = try #require(first.store.orders.first)
    #expect(outcome == .pending(orderNumber: order.number.description))
    #expect(order.state == .pending)
    first.life.kill()
    let request = try #require(world.store.state.withLock(\.requests).first)
    world.store.pay(.coins("1", request))
    let second = world.launch()
    await second.finished("1")
    #expect(world.app.calls.map(\.order?.context) == [["level": "7"]])
    #expect(second.store.orders.map(\.state) == [.delivered])
  }

  @Test func chargeAfterAnErrorJoinsTheOrderThatHadFailed() async throws {
    world.store.state.withLock { $0.sheet = { _ in .failed(.unknown, reference: nil) } }
    let process = world.launch(generation: .storekit1)
    _ = await process.funnel.buy(coins)
    #expect(process.store.orders.map(\.state) == [.failed])
    process.adapter.send(.transaction(.legacy("1", product: "coins")))
    await process.finished("1")
    #expect(process.store.orders.map(\.state) == [.delivered])
    #expect(world.app.calls.map(\.order?.context) == [["level": "7"]])
  }

  @Test func heldPlanOfAPlanChangeIsScheduled() async {
    world.sellsCoins()
    let process = world.launch()
    _ = await process.funnel.buy(coins)
    world.store.state.withLock { $0.sheet = { _ in .scheduled(.coins("1")) } }
    let outcome = await process.funnel.buy(OrderDraft(productID: "basic"))
    guard case .scheduled(let held?) = outcome else { return #expect(outcome == .cancelled) }
    #expect(held.transactionId == "1")
    #expect(process.store.orders.map(\.state) == [.delivered, .scheduled])
    #expect(world.app.effects == ["grant:tx:1"])
  }

  @Test func purchaseOfBeforeIsAlreadyOwned() async {
    world.store.state.withLock { state in
      state.sheet = { _ in
        var owned = StoreTransaction.coins("1")
        owned.type = .nonConsumable
        return .transaction(owned)
      }
    }
    let process = world.launch()
    _ = await process.funnel.buy(coins)
    let outcome = await process.funnel.buy(coins)
    guard case .alreadyOwned(let result) = outcome else { return #expect(outcome == .cancelled) }
    #expect(result.transactionId == "1")
    #expect(world.app.calls.count == 1)
    #expect(process.store.orders.map(\.state) == [.delivered, .cancelled])
  }

  // MARK: Secrets

  @Test func logNamesNoReceiptSignatureTokenOrAccount() async throws {
    world.sellsAnything()
    world.validator.script(.reject, .unreachable)
    let process = world.launch()
    let draft = OrderDraft(
      productID: "coins",
      number: "ORDER-SECRET",
      account: "alice@example.com",
      context: ["note": "private"]
    )
    _ = await process.funnel.buy(draft)
    await process.funnel.retry(.foreground)
    _ = await process.funnel.buy(OrderDraft(productID: "pro"))
    let lines = world.lines.withLock { $0 }
    #expect(lines.count > 5)
    let token = try #require(process.store.orders.first).accountToken.description
    for secret in ["header.", "signature", token, "alice", "private", "ORDER-SECRET"] {
      #expect(!lines.contains { $0.contains(secret) && !$0.contains("its signature") }, "\(secret)")
    }
  }
}
