import Foundation
import IAPKit
import IAPKitCallbacks
import IAPModel
import SimulatedApp
import SimulatedDevice
import Testing

/// A screen that asks, and writes down what it hears.
@MainActor
private final class Screen: IAPRequestDelegate {
  let heard: EventLog<String>
  nonisolated init(_ heard: EventLog<String>) { self.heard = heard }

  func request(_ request: IAPRequest, didLoad products: [ProductItem], missing: [String]) {
    heard.append("loaded \(products.map(\.productIdentifier)) missing \(missing)")
  }
  func request(_ request: IAPRequest, didFinishWith transactions: [TransactionItem]) {
    heard.append("finished \(transactions.map(\.productIdentifier))")
  }
  func requestIsPending(_ request: IAPRequest) { heard.append("pending") }
  func requestWasCancelled(_ request: IAPRequest) { heard.append("cancelled") }
  func request(_ request: IAPRequest, didFailWith error: NSError) {
    heard.append("failed \(error.userInfo[IAPError.foundationCodeKey] ?? "-")")
  }
}

@Suite("Requests with delegates", .timeLimit(.minutes(1)))
struct RequestTests {
  @Test("each screen hears of its own request only", arguments: generations)
  func ownRequests(generation: StoreGeneration) async throws {
    let counter = try await Counter(generation)
    let (one, two) = (EventLog<String>(), EventLog<String>())
    let (first, second) = (Screen(one), Screen(two))
    let kept = try await counter.app.perform { manager in
      let requests = IAPRequests(manager: manager)
      requests.loadProducts([Counter.coins.rawValue, "com.example.unknown"], delegate: first)
      requests.purchase(Counter.lifetime.rawValue, delegate: second)
      return requests
    }
    await one.waitFor(1)
    await two.waitFor(1)
    #expect(one.elements == [#"loaded ["\#(Counter.coins)"] missing ["com.example.unknown"]"#])
    #expect(two.elements == [#"finished ["\#(Counter.lifetime)"]"#])
    #expect(kept.product(Counter.coins.rawValue)?.value.type != nil || generation == .storekit1)
    #expect(kept.product(Counter.monthly.rawValue) == nil)
    withExtendedLifetime((first, second)) {}
  }

  @Test("cancelled, pending and failed are told apart", arguments: generations)
  func endings(generation: StoreGeneration) async throws {
    let counter = try await Counter(generation)
    let heard = EventLog<String>()
    let screen = Screen(heard)
    for answer in [PersonAnswer.cancel, .askParent] {
      counter.app.device.person.willAnswer(answer)
      let count = heard.elements.count
      _ = try await counter.app.perform { manager in
        _ = IAPRequests(manager: manager).purchase(Counter.coins.rawValue, delegate: screen)
      }
      await heard.waitFor(count + 1)
    }
    counter.app.device.isInAirplaneMode = true
    _ = try await counter.app.perform { manager in
      _ = IAPRequests(manager: manager).loadProducts(delegate: screen)
    }
    await heard.waitFor(3)
    #expect(heard.elements == ["cancelled", "pending", "failed productLoadFailed"])
    withExtendedLifetime(screen) {}
  }

  @Test("a screen that is gone or has cancelled hears nothing", arguments: generations)
  func goneScreens(generation: StoreGeneration) async throws {
    let counter = try await Counter(generation)
    let (gone, left, stayed) = (EventLog<String>(), EventLog<String>(), EventLog<String>())
    counter.app.device.person.willAnswer(.hold)
    _ = try await counter.app.perform { manager in
      let requests = IAPRequests(manager: manager)
      requests.purchase(Counter.coins.rawValue, delegate: Screen(gone))
    }
    await counter.app.device.sheet.waitUntilOpen()
    try counter.app.device.sheet.confirm()
    await counter.app.waitUntil(1, of: Counter.coins)
    let screens = (Screen(left), Screen(stayed))
    _ = try await counter.app.perform { manager in
      let requests = IAPRequests(manager: manager)
      requests.purchase(Counter.lifetime.rawValue, delegate: screens.0).cancel()
      requests.restore(delegate: screens.1)
    }
    await counter.app.waitUntil(1, of: Counter.lifetime)
    await stayed.waitFor(1)
    #expect(gone.elements == [])
    #expect(left.elements == [])
    withExtendedLifetime(screens) {}
  }

  @Test("blocks get objects and Foundation's errors", arguments: generations)
  func blocks(generation: StoreGeneration) async throws {
    let counter = try await Counter(generation)
    let heard = EventLog<String>()
    _ = try await counter.app.perform { manager in
      let requests = IAPRequests(manager: manager)
      requests.loadProducts { items, error in
        heard.append("\(items.map(\.productIdentifier)) \(error == nil)")
        requests.purchase("com.example.unknown") { item, error in
          heard.append("\(item == nil) \(error?.domain ?? "") \(error?.code ?? 0)")
          requests.restore { items, error in heard.append("\(items.count) \(error == nil)") }
        }
      }
    }
    await heard.waitFor(3)
    let ids = [Counter.coins, Counter.lifetime, Counter.monthly].map(\.rawValue)
    #expect(heard.elements == ["\(ids) true", "true IAPKit 3", "0 true"])
  }
}

@Suite("Foundation's errors")
struct FoundationErrorTests {
  private static let all: [IAPError] = [
    .productLoadFailed(underlying: IAPError.unknown), .productNotFound(id: "a"), .userCancelled,
    .pending, .verificationFailed(underlying: IAPError.unknown), .receiptValidationFailed,
    .staleReceipt, .purchaseInProgress, .paymentsNotAllowed, .network(underlying: IAPError.unknown),
    .storage(.full), .store(code: 2, underlying: IAPError.unknown), .invalidOrder(reason: "a"),
    .unknown,
  ]

  @Test func haveANumberOfTheirOwn() {
    let numbers = Self.all.map(\.foundationError.code)
    #expect(Set(numbers).count == Self.all.count)
    #expect(numbers.allSatisfy { $0 > 0 })
  }

  @Test func carryTheNameAndTheTextForTheUser() {
    for error in Self.all {
      let foundation = error.foundationError
      #expect(foundation.userInfo[IAPError.foundationCodeKey] as? String == error.code.rawValue)
      #expect(!foundation.localizedDescription.isEmpty)
    }
  }
}
