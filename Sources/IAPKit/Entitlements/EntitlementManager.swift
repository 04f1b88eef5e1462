import Foundation
package import IAPEntitlements
import IAPModel
import IAPSignatures

/// Knows what the user may use, at any moment and without waiting.
///
/// ``IAPManager/entitlements`` is fed by its manager: by the server's answers, which have the last
/// word where there is a server, and by what StoreKit says, which counts provisionally until then.
/// One that an app makes itself knows what ``apply(_:)`` is given.
///
/// - **Concurrency:** everything may be called from any thread.
public final class EntitlementManager: Sendable {
  private let view: Locked<AccessView>
  private let now: @Sendable () -> Date
  private let cache: Locked<AccessCache?>
  /// What opens the customer's own data at the server.
  let token: CustomerToken
  private let log: @Sendable (LogLine) -> Void
  private let questions = Locked(AccessQuestions())
  /// Asks the device for its list once more.
  let relist = Locked<@Sendable () async -> Void>({})
  private let changes = Broadcast<Set<String>>()
  private let subscriptionChanges = Broadcast<[IAPSubscription]>()
  /// Sent whenever answers may have become others.
  let judged = Broadcast<Bool>()
  /// What was sent last; also keeps writers of the cache apart.
  private let told = Locked<(ids: Set<String>?, subscriptions: [IAPSubscription])>((nil, []))

  /// Makes one that knows nothing yet and keeps nothing.
  ///
  /// - Parameter entitlements: Which entitlements a product opens; a product that is not named
  ///   opens one of its own id.
  public convenience init(entitlements: [String: [String]] = [:]) {
    var view = AccessView()
    view.catalog = EntitlementCatalog(entitlements: entitlements)
    self.init(
      view,
      now: LiveWorld.now,
      cache: nil,
      token: CustomerToken(secrets: NoSecrets(), account: nil, log: LiveWorld.log),
      log: LiveWorld.log
    )
  }

  /// Makes the one of a manager: it remembers what the last launch knew, where it can seal it.
  package convenience init(configuration: IAPConfiguration, world: IAPWorld) {
    var view = AccessView()
    view.catalog = EntitlementCatalog(configuration)
    view.policy = configuration.access
    view.hasServer = configuration.validator != nil
    let cache = world.trust.map { trust in
      AccessCache(
        files: world.files,
        secrets: world.secrets,
        trust: trust,
        account: configuration.account,
        uuid: world.uuid
      )
    }
    do throws(IAPError) {
      if try cache?.load(into: &view) == false {
        world.log(LogLine(.warning, "remembered access was not written here and does not count"))
      }
    } catch {
      world.log(LogLine(.warning, "remembered access cannot be read: \(error)"))
    }
    self.init(
      view,
      now: world.now,
      cache: cache,
      token: CustomerToken(
        secrets: world.secrets,
        account: configuration.account,
        log: world.log
      ),
      log: world.log
    )
  }

  private init(
    _ view: AccessView,
    now: @escaping @Sendable () -> Date,
    cache: AccessCache?,
    token: CustomerToken,
    log: @escaping @Sendable (LogLine) -> Void
  ) {
    self.view = Locked(view)
    self.now = now
    self.cache = Locked(cache)
    self.token = token
    self.log = log
  }

  /// Takes other rules: a catalog came from the server.
  package func use(catalog: EntitlementCatalog) {
    view.withLock { $0.catalog = catalog }
    changed()
  }

  /// Forgets what the server and the last launch said of another user, and what the device knows of
  /// that user's purchases.
  func accountDidChange(to account: String?, keeping isOwn: (TransactionPayload) -> Bool) {
    token.change(to: account)
    cache.withLock { $0?.account = account }
    view.withLock { $0.forgetUser(keeping: isOwn) }
    changed()
  }

  /// Whether the user may use the feature.
  ///
  /// - Parameter entitlement: The entitlement's name; the product's id, unless the configuration
  ///   maps products to entitlements.
  /// - Returns: The answer as it is known now.
  public func access(to entitlement: String) -> Access {
    let view = view.withLock { $0 }
    return view.access(to: entitlement, at: now())
  }

  /// The products that give access now.
  public var purchasedProductIDs: Set<String> {
    let view = view.withLock { $0 }
    return view.productIDs(at: now())
  }

  /// The products that give access, now and after each change.
  public var purchasedProductIDStream: AsyncStream<Set<String>> {
    // What changes is sent under this lock: nothing is missed between the two.
    told.withLock { _ in changes.stream(after: [purchasedProductIDs]) }
  }

  /// The customer's subscriptions, as far as they are known.
  public var subscriptions: [IAPSubscription] {
    let view = view.withLock { $0 }
    return view.subscriptions(at: now())
  }

  /// The customer's subscriptions, now and after each change.
  public var subscriptionStream: AsyncStream<[IAPSubscription]> {
    told.withLock { _ in subscriptionChanges.stream(after: [subscriptions]) }
  }

  /// Takes one transaction into account.
  ///
  /// A purchase counts provisionally until the server has spoken; a revocation acts at once.
  ///
  /// - Parameter result: The transaction, as the listener or a purchase gave it.
  public nonisolated func apply(_ result: IAPTransactionResult) {
    take(payload: result.payload)
  }

  /// Takes a transaction out of the delivery funnel.
  func apply(_ transaction: StoreTransaction) {
    if case .unverified = transaction.verification { return }
    take(payload: transaction.payload)
  }

  /// Takes note that the server is being asked.
  ///
  /// - Parameter id: The transaction that is shown; nil for a question about the customer.
  /// - Returns: The question.
  func ask(about id: TransactionID?) -> AccessQuestion {
    let unanswered = unanswered
    return questions.withLock { $0.ask(about: id, unanswered) }
  }

  /// Takes note that nobody waits for an answer any more.
  func end(_ question: AccessQuestion) { questions.withLock { $0.end(question) } }

  /// Takes a validator's answer about one transaction.
  ///
  /// An answer that knows the account, or was shown a whole receipt, covers the customer; any other
  /// covers the one purchase, and so does one that did not believe the name of the account.
  func take(
    _ result: ReceiptValidationResult,
    about evidence: TransactionEvidence,
    _ question: AccessQuestion
  ) {
    let now = now()
    let isWhole =
      (evidence.account != nil || evidence.signedTransaction == nil) && !result.isAccountUnproven
    let original = OriginalTransactionID(evidence.originalTransactionId)
    view.withLock { view in
      view.take(TransactionID(evidence.transactionId), isAccepted: result.isValid)
      _ = view.take(original, isAnothers: false)
      guard let list = result.entitlements else { return }
      view.take(
        list,
        isWhole ? .customer : .purchase(original),
        at: now,
        asked: question.covered,
        question: question.number
      )
    }
    changed()
  }

  /// Takes note that a purchase is another customer's: the server says so.
  func disown(_ original: OriginalTransactionID) {
    if view.withLock({ $0.take(original, isAnothers: true) }) { changed() }
  }

  /// Takes the device's own list of everything that the customer owns.
  ///
  /// One in which a signature does not hold does not say what is missing.
  func applyDeviceList(_ transactions: [StoreTransaction]) {
    view.withLock { view in
      var isWhole = true
      for transaction in transactions {
        guard case .verified = transaction.verification else {
          isWhole = false
          continue
        }
        _ = view.take(transaction.payload, isListed: true)
      }
      if isWhole { view.isDeviceListed = true }
    }
    changed()
  }

  /// Takes what StoreKit 2 says about subscriptions.
  func apply(_ statuses: [StoreSubscriptionStatus]) {
    let isNews = view.withLock { view in
      statuses.reduce(false) { isNews, status in view.take(status) || isNews }
    }
    if isNews { changed() }
  }

  /// Takes the purchases of a genuine receipt.
  func applyReceipt(_ lines: [TransactionPayload]) {
    if view.withLock({ $0.take(receipt: lines) }) { changed() }
  }

  /// What the server has not answered to yet.
  var unanswered: Set<TransactionID> { view.withLock { $0.unanswered } }

  /// The groups of all subscriptions that are known.
  var groups: Set<SubscriptionGroupID> { view.withLock { $0.groups } }

  /// Takes the server's answer about the customer.
  ///
  /// - Parameters:
  ///   - answer: The answer.
  ///   - question: What was asked.
  func take(_ answer: CustomerAnswer, _ question: AccessQuestion) {
    let now = now()
    view.withLock { $0.take(answer, at: now, question) }
    changed()
  }

  /// Takes purchases out of the journal that no answer which is remembered can have covered: nobody
  /// has judged them.
  func recall(_ unjudged: () -> [StoreTransaction]) {
    // Without such an answer nothing speaks against what the device knows.
    guard view.withLock({ !$0.answers.isEmpty }) else { return }
    for transaction in unjudged() { apply(transaction) }
  }

  /// Takes note that the store has named everything that the customer owns.
  func noteDeviceListed() {
    let isNew = view.withLock { view in
      defer { view.isDeviceListed = true }
      return !view.isDeviceListed
    }
    if isNew { changed() }
  }

  private func take(payload: TransactionPayload) {
    guard view.withLock({ $0.take(payload) }) else { return }
    changed()
  }

  /// Judges anew, remembers, and tells who listens what became different.
  func changed() {
    told.withLock { told in
      let now = now()
      let view = view.withLock { view in
        view.see(now)
        return view
      }
      let states = view.states(at: now)
      let report = view.report(of: states, at: now)
      do throws(IAPError) {
        try cache.withLock { $0 }?.save(view, report, at: now)
      } catch {
        log(LogLine(.warning, "access cannot be remembered: \(error)"))
      }
      let ids = view.productIDs(report, at: now)
      let subscriptions = view.subscriptions(states)
      defer { told = (ids, subscriptions) }
      if ids != told.ids { changes.send(ids) }
      if subscriptions != told.subscriptions { subscriptionChanges.send(subscriptions) }
      judged.send(true)
    }
  }
}

extension EntitlementCatalog {
  /// The rules of an app's configuration.
  init(_ configuration: IAPConfiguration) {
    self.init(
      entitlements: configuration.entitlements,
      levels: configuration.serviceLevels,
      periods: configuration.accessPeriods
    )
  }

  init(
    entitlements: [String: [String]],
    levels: [String: Int] = [:],
    periods: [String: SubscriptionPeriod] = [:]
  ) {
    self.init(onlyHighestLevelCounts: true)
    for id in Set(entitlements.keys).union(levels.keys).union(periods.keys) {
      rules[ProductID(id)] = Rule(
        (entitlements[id] ?? [id]).map { EntitlementID($0) },
        level: levels[id],
        accessPeriod: periods[id]
      )
    }
  }
}

extension IAPTransactionResult {
  /// How much later than what was signed somebody else's word counts as signed.
  private static let laterSeconds: TimeInterval = 0.001

  /// The result in the shape of signed data: what its own signed text says, where it has one, and a
  /// refund, or its reversal, that somebody else told of since it was signed.
  fileprivate var payload: TransactionPayload {
    // StoreKit has checked its signature already.
    if var signed = jws.flatMap({ TransactionPayload(unverifiedJWS: Array($0.utf8)) }) {
      if signed.revocationDate != revocationDate {
        let dates = [signed.signedDate, signed.revocationDate, revocationDate].compactMap { $0 }
        signed.change {
          $0.signedDate = dates.max()?.addingTimeInterval(Self.laterSeconds)
          $0.revocationDate = revocationDate
          $0.revocationReason = revocationReason
        }
      }
      return signed
    }
    var payload = TransactionPayload(
      transactionID: TransactionID(transactionId),
      originalTransactionID: OriginalTransactionID(originalTransactionId),
      bundleID: BundleID(""),
      productID: ProductID(productId),
      purchaseDate: purchaseDate
    )
    payload.change {
      $0.webOrderLineItemID = webOrderLineItemId.map { WebOrderLineItemID($0) }
      $0.type = productType
      $0.subscriptionGroupID = subscriptionGroupId.map { SubscriptionGroupID($0) }
      $0.expiresDate = expiresDate
      $0.signedDate = signedDate
      $0.revocationDate = revocationDate
      $0.revocationReason = revocationReason
      $0.quantity = quantity
      $0.environment = environment
      $0.ownershipType = ownership
      $0.isUpgraded = isUpgraded
    }
    return payload
  }
}
