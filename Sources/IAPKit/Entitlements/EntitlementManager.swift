package import Foundation
import IAPEntitlements
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
  private let cache: AccessCache?
  private let log: @Sendable (LogLine) -> Void
  private let changes = Broadcast<Set<String>>()
  /// What was sent last; also keeps writers of the cache apart.
  private let told = Locked<Set<String>?>(nil)

  /// Makes one that knows nothing yet and keeps nothing.
  ///
  /// - Parameter entitlements: Which entitlements a product opens; a product that is not named
  ///   opens one of its own id.
  public convenience init(entitlements: [String: [String]] = [:]) {
    self.init(
      entitlements: entitlements,
      policy: AccessPolicy(),
      hasServer: false,
      now: LiveWorld.now,
      files: nil,
      log: LiveWorld.log
    )
  }

  package init(
    entitlements: [String: [String]],
    policy: AccessPolicy,
    hasServer: Bool,
    now: @escaping @Sendable () -> Date,
    files: (any ClientFiles)?,
    log: @escaping @Sendable (LogLine) -> Void
  ) {
    var view = AccessView()
    view.catalog = EntitlementCatalog(
      rules: Dictionary(
        uniqueKeysWithValues: entitlements.map { product, names in
          (ProductID(product), EntitlementCatalog.Rule(names.map { EntitlementID($0) }))
        }
      )
    )
    view.policy = policy
    view.hasServer = hasServer
    cache = files.map { AccessCache(files: $0) }
    do throws(IAPError) {
      try cache?.load(into: &view)
    } catch {
      log(LogLine(.warning, "remembered access cannot be read: \(error)"))
    }
    self.view = Locked(view)
    self.now = now
    self.log = log
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
    changes.stream(after: [purchasedProductIDs])
  }

  /// Takes one transaction into account.
  ///
  /// A purchase counts provisionally until the server has spoken; a revocation acts at once.
  ///
  /// - Parameter result: The transaction, as the listener or a purchase gave it.
  public nonisolated func apply(_ result: IAPTransactionResult) {
    take(payload: result.payload(seenAt: now()))
  }

  /// Takes a transaction out of the delivery funnel.
  func apply(_ transaction: StoreTransaction) {
    if case .unverified = transaction.verification { return }
    var payload = transaction.payload
    if payload.signedDate == nil { payload.signedDate = now() }
    take(payload: payload)
  }

  /// Takes a validator's answer about one transaction.
  ///
  /// An answer that knows the account, or was shown a whole receipt, covers the customer; any other
  /// covers the one purchase.
  func take(_ result: ReceiptValidationResult, about evidence: TransactionEvidence) {
    let now = now()
    let isWhole = evidence.account != nil || evidence.signedTransaction == nil
    let original = OriginalTransactionID(evidence.originalTransactionId)
    view.withLock { view in
      view.take(TransactionID(evidence.transactionId), isAccepted: result.isValid)
      guard let list = result.entitlements else { return }
      view.take(list, isWhole ? .customer : .purchase(original), at: now)
    }
    changed()
  }

  /// Takes the device's own list of everything that the customer owns.
  func applyDeviceList(_ transactions: [StoreTransaction]) {
    let now = now()
    view.withLock { view in
      for transaction in transactions {
        guard case .verified = transaction.verification else { continue }
        var payload = transaction.payload
        if payload.signedDate == nil { payload.signedDate = now }
        _ = view.take(payload, isListed: true)
      }
      view.isDeviceListed = true
    }
    changed()
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

  private func changed() {
    told.withLock { told in
      let view = view.withLock { $0 }
      let now = now()
      do throws(IAPError) {
        try cache?.save(view, at: now)
      } catch {
        log(LogLine(.warning, "access cannot be remembered: \(error)"))
      }
      let ids = view.productIDs(at: now)
      guard ids != told else { return }
      told = ids
      changes.send(ids)
    }
  }
}

extension IAPTransactionResult {
  /// The result in the shape of signed data: what its own signed text says, where it has one.
  fileprivate func payload(seenAt now: Date) -> TransactionPayload {
    if let signed = jws.flatMap(TransactionPayload.init(unverifiedJWS:)) { return signed }
    var payload = TransactionPayload(
      transactionID: TransactionID(transactionId),
      originalTransactionID: OriginalTransactionID(originalTransactionId),
      bundleID: BundleID(""),
      productID: ProductID(productId),
      purchaseDate: purchaseDate
    )
    payload.webOrderLineItemID = webOrderLineItemId.map { WebOrderLineItemID($0) }
    payload.type = productType
    payload.subscriptionGroupID = subscriptionGroupId.map { SubscriptionGroupID($0) }
    payload.expiresDate = expiresDate
    payload.signedDate = now
    payload.revocationDate = revocationDate
    payload.revocationReason = revocationReason
    payload.quantity = quantity
    payload.environment = environment
    payload.ownershipType = ownership
    payload.isUpgraded = isUpgraded
    return payload
  }
}

extension TransactionPayload {
  /// Reads the middle part of a signed transaction whose signature StoreKit has checked already.
  fileprivate init?(unverifiedJWS text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let bytes = Base64.decode(parts[1].utf8, .url),
      let object = try? JSONParser.parseObject(bytes),
      let payload = try? TransactionPayload(object)
    else { return nil }
    self = payload
  }
}
