import AppStoreSimulator
import Foundation
import IAPModel
import StoreKit
import Synchronization

/// What StoreKit is for one app process: the device's line to the store, and the process's
/// listeners.
final class ProcessHost: Sendable {
  let life: ProcessLife
  let line: StoreLine
  let person: Person
  let sheet: PaymentSheet
  let log: SheetLog
  let connection: DeviceConnection
  let queueMemory: QueueMemory
  let memory: DeviceMemory
  let options: DeviceOptions
  let transactionBroadcast = Broadcast<VerificationResult<StoreKit.Transaction>>()
  let statusBroadcast = Broadcast<Product.SubscriptionInfo.Status>()
  let storefrontBroadcast = Broadcast<StoreKit.Storefront>()
  let intentBroadcast = Broadcast<PurchaseIntent>()
  let messageBroadcast = Broadcast<Message>()
  /// When transactions came to the device, as far as this process saw it.
  let arrivals = Mutex<[TransactionID: Date]>([:])
  /// The first answers about introductory offers.
  let eligibilities = Mutex<[SubscriptionGroupID: Bool]>([:])
  /// Revocations that wait in the updates for the first listener.
  let revocationsUnheard = Mutex<[StoreTransactionRecord]>([])
  /// What the App Store has told this process about the account.
  let messagesTold = Mutex(MessageMemory())
  /// The transactions and failures that this process's queue has or had.
  let claimed = Mutex<Set<TransactionID>>([])
  let claimedFailures = Mutex<Set<Int>>([])
  /// The entries of the queue that wait for a parent.
  let deferredEntries = Mutex<[PendingID: SKPaymentTransaction]>([:])
  /// Purchases that began in the App Store while the queue had no observer.
  let promotedUnasked = Mutex<[Product]>([])
  let foregroundCallbacks = Mutex<[@MainActor @Sendable () -> Void]>([])
  /// What was bought when the answer got lost.
  let lostAnswers = Mutex<[StoreTransactionRecord]>([])
  let callbacks: CallbackQueue
  /// The queue holds its host, so it is let go of when the process ends.
  private let queue = Mutex<SKPaymentQueue?>(nil)

  init(
    life: ProcessLife,
    line: StoreLine,
    person: Person,
    sheet: PaymentSheet,
    log: SheetLog,
    connection: DeviceConnection,
    queueMemory: QueueMemory,
    memory: DeviceMemory,
    options: DeviceOptions
  ) {
    self.life = life
    self.line = line
    self.person = person
    self.sheet = sheet
    self.log = log
    self.connection = connection
    self.queueMemory = queueMemory
    self.memory = memory
    self.options = options
    callbacks = CallbackQueue(life: life)
  }

  /// Begins to listen to the store, and announces once what is unfinished.
  func begin() {
    fetchReceiptIfWanted()
    announceMissed()
    announceMessages()
    for product in memory.takePromotedPurchases() { promote(product) }
    let observation = line.observe { [weak self] event in self?.hear(event) }
    let watch = life.onKill { [weak self, line] in
      line.endObservation(observation)
      self?.queue.withLock { $0 = nil }
    }
    if watch == nil { line.endObservation(observation) }
  }

  func passWhileAlive() async { await life.passOrHang() }

  func callBack(_ callback: @escaping @MainActor @Sendable () -> Void) {
    if callbacks.append(callback) { runCallbacks() }
  }

  func onForeground(_ callback: @escaping @MainActor @Sendable () -> Void) {
    foregroundCallbacks.withLock { $0.append(callback) }
  }

  var paymentQueue: SKPaymentQueue {
    queue.withLock { queue in
      if let queue { return queue }
      let made = SKPaymentQueue(host: self)
      if life.isAlive { queue = made }
      return made
    }
  }

  private func hear(_ event: StoreEvent) {
    guard life.isAlive else { return }
    switch event {
    case .transaction(let record, let cause): hear(record, cause)
    case .finished(let id): queueForgets(id)
    case .subscriptionChanged(let original, _):
      if let status = line.status(of: original, for: self) {
        statusBroadcast.send(withRenewalLag(status))
      }
      announceMessages()
    case .declined(let id): queueHearsDecline(id)
    case .storefrontChanged(let storefront):
      storefrontBroadcast.send(StoreKit.Storefront(storefront))
      paymentQueue.announceStorefrontChange()
    }
  }

  func hear(_ record: StoreTransactionRecord, _ cause: TransactionCause) {
    guard (try? life.pass(.beforeUpdate)) != nil else { return }
    switch cause {
    case .renewed, .approved, .resumed, .purchasedElsewhere: arrives(record)
    // Refunds do not lag.
    case .upgraded, .refunded, .refundReversed: break
    }
    announce(record)
    queueHears(record, cause)
  }

  /// The person starts a purchase on the App Store's page of the app.
  func promote(_ promoted: PromotedPurchase) {
    let product = line.product(promoted.product, for: self)
    let offer = product.subscription?.winBackOffers.first { $0.id == promoted.offer?.rawValue }
    intentBroadcast.send(PurchaseIntent(product: product, offer: offer))
    if paymentQueue.isObserved {
      askToAdd(product)
    } else {
      promotedUnasked.withLock { $0.append(product) }
    }
  }
}

extension ProcessHost {
  /// Asks the queue's first observer about purchases that began in the App Store before.
  func askAboutPromotedPurchases() {
    let products = promotedUnasked.withLock { waiting in
      defer { waiting = [] }
      return waiting
    }
    for product in products { askToAdd(product) }
  }

  private func askToAdd(_ product: Product) {
    paymentQueue.askToAddStorePayment(for: product) { [self] isWanted in
      if isWanted { add(PaymentValue(productIdentifier: product.id)) }
    }
  }
}
