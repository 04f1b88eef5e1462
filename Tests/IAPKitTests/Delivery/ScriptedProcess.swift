import Foundation
import IAPKit
import IAPModel

/// One run of an app: a funnel on a disk, a store and an app that outlive it.
struct ScriptedProcess {
  let funnel: DeliveryFunnel
  let adapter: ScriptedAdapter
  let life: Life
  let events: AsyncStream<FunnelEvent>
}

/// What outlives processes.
final class ScriptedWorld: Sendable {
  let disk = ScriptedDisk()
  let store = ScriptedStore()
  let app = ScriptedApp()
  let clock = ScriptedClock()
  let validator = ScriptedValidator()
  let lines = Guarded<[String]>([])
  private let numbers = Guarded(0)

  /// Starts a process; the one before must be dead or stopped.
  func launch(
    life: Life = Life(),
    generation: StoreGeneration = .storekit2,
    configuration: FunnelConfiguration = FunnelConfiguration(),
    hasValidator: Bool = true,
    hasHandler: Bool = true,
    handler: DeliveryHandler? = nil,
    starts: Bool = true
  ) -> ScriptedProcess {
    // The system gives the locks of a dead process back.
    disk.state.withLock { $0.locks = [:] }
    let world = world(life)
    let adapter = ScriptedAdapter(store, life: life, generation: generation)
    let transactions = TransactionStore(
      storage: JournalStorage(files: world.files),
      now: world.now,
      uuid: world.uuid
    )
    let funnel = DeliveryFunnel(
      configuration: configuration,
      world: world,
      adapter: adapter,
      store: transactions,
      validator: hasValidator ? LivingValidator(validator: validator, life: life) : nil,
      handler: handler ?? (hasHandler ? app.handler(life) : nil)
    )
    let events = funnel.events.subscribe()
    if starts { funnel.start() }
    return ScriptedProcess(funnel: funnel, adapter: adapter, life: life, events: events)
  }

  /// The world as a process sees it.
  func world(_ life: Life = Life()) -> IAPWorld {
    IAPWorld(
      now: { [clock] in clock.now },
      sleep: { [clock] in try await clock.sleep(until: clock.now + $0) },
      sleepUntil: { [clock] in try await clock.sleep(until: $0) },
      uuid: { [numbers] in
        let number = numbers.withLock { number in
          number += 1
          return number
        }
        return UUID(uuidString: "00000000-0000-4000-8000-" + String(format: "%012d", number))!
      },
      random: { 0 },
      files: ScriptedFiles(disk, life: life),
      http: { _ in throw IAPError.unknown },
      log: { [lines] line in lines.withLock { $0.append(line.message) } }
    )
  }
}

extension ScriptedWorld {
  /// Every purchase succeeds with one and the same transaction.
  func sellsCoins(_ id: String = "1") {
    store.state.withLock { $0.sheet = { .transaction(.coins(id, $0)) } }
  }

  /// Every purchase succeeds with the next number.
  func sellsAnything() {
    let next = Guarded(0)
    store.state.withLock {
      $0.sheet = { request in
        let number = next.withLock { next in
          next += 1
          return next
        }
        var transaction = StoreTransaction.coins("\(number)", request)
        transaction.productID = request.productID
        return .transaction(transaction)
      }
    }
  }
}

extension ScriptedProcess {
  var store: TransactionStore { funnel.store }

  /// Reads events until one makes `body` answer.
  func first<Value>(_ body: (FunnelEvent) -> Value?) async -> Value? {
    for await event in events {
      if let value = body(event) { return value }
    }
    return nil
  }

  func finished(_ id: String) async {
    _ = await first { event -> Bool? in
      guard case .finished(let record) = event, record.transactionId == id else { return nil }
      return true
    }
  }

  func retryScheduled(_ id: String) async -> Date? {
    await first { event in
      guard case .retryScheduled(let record, let date) = event, record.transactionId == id else {
        return nil
      }
      return date
    }
  }

  /// Whether the next thing that becomes of it is another attempt, and not an end.
  func isRetried(_ id: String) async -> Bool {
    await first { event in
      switch event {
      case .retryScheduled(let record, _) where record.transactionId == id: true
      case .finished(let record) where record.transactionId == id: false
      case .quarantined(let record) where record.transactionId == id: false
      default: nil
      }
    } ?? false
  }

  func state(_ id: String) -> RecordState? { store.record(id)?.state }
}

extension StoreTransaction {
  /// A StoreKit 2 consumable, bought by a request.
  static func coins(_ id: String, _ request: StorePurchaseRequest? = nil) -> StoreTransaction {
    var transaction = StoreTransaction(
      transactionID: TransactionID(id),
      originalTransactionID: OriginalTransactionID(id),
      productID: "coins",
      purchaseDate: Date(timeIntervalSince1970: 1_700_000_000),
      proof: .jws("header.\(id).signature"),
      verification: .verified,
      source: .purchase,
      generation: .storekit2
    )
    transaction.type = .consumable
    transaction.appAccountToken = request?.accountToken
    transaction.quantity = request?.quantity ?? 1
    transaction.signedDate = Date(timeIntervalSince1970: 1_700_000_001)
    return transaction
  }

  /// A StoreKit 1 purchase with a receipt; StoreKit 1 does not tell its type.
  static func legacy(
    _ id: String,
    product: ProductID = "pro",
    receipt: [UInt8]? = Array("receipt".utf8)
  ) -> StoreTransaction {
    StoreTransaction(
      transactionID: TransactionID(id),
      originalTransactionID: OriginalTransactionID(id),
      productID: product,
      purchaseDate: Date(timeIntervalSince1970: 1_700_000_000),
      proof: .receipt(receipt),
      verification: .unchecked,
      source: .updates,
      generation: .storekit1
    )
  }

  /// The same transaction as the store tells it after a refund, or after the refund's reversal.
  func retold(signedAfter seconds: TimeInterval, revoked: Bool) -> StoreTransaction {
    var copy = self
    copy.signedDate = signedDate.map { $0 + seconds }
    copy.revocationDate = revoked ? purchaseDate + seconds : nil
    copy.proof = .jws("header.\(transactionID).later\(Int(seconds))")
    copy.source = .updates
    return copy
  }
}

extension FunnelEvent {
  /// The case, and an order's state.
  var name: String {
    switch self {
    case .ready: "ready"
    case .saved: "saved"
    case .held: "held"
    case .accepted: "accepted"
    case .rejected: "rejected"
    case .retryScheduled: "retryScheduled"
    case .finished: "finished"
    case .quarantined: "quarantined"
    case .purchaseFailed: "purchaseFailed"
    case .order(let order): "order \(order.state)"
    case .restoreEnded: "restoreEnded"
    case .storageFailed: "storageFailed"
    case .journalRepaired: "journalRepaired"
    }
  }
}
