public import Foundation
public import IAPModel

/// What a simulated store is made of.
public struct StoreConfiguration: Sendable {
  /// What the first app sells.
  public var catalog: StoreCatalog
  /// The first app.
  public var bundleID: BundleID
  /// The first app's number.
  public var appAppleID: AppAppleID
  /// What payloads say where they were made.
  public var environment: StoreEnvironment
  /// What all chance comes from.
  public var seed: UInt64
  /// Where a clock starts that the store makes for itself.
  public var start: Date
  /// How the store behaves.
  public var options: StoreOptions
  /// Where the store's certificates say that their standing can be asked about; nil for nowhere.
  public var responder: String?

  /// Makes a configuration.
  ///
  /// - Parameters:
  ///   - catalog: What the first app sells.
  ///   - bundleID: The first app.
  ///   - appAppleID: The first app's number.
  ///   - environment: What payloads say where they were made.
  ///   - seed: What all chance comes from.
  ///   - start: Where a clock starts that the store makes for itself.
  ///   - options: How the store behaves; nil for what is usual in the environment.
  public init(
    catalog: StoreCatalog,
    bundleID: BundleID,
    appAppleID: AppAppleID,
    environment: StoreEnvironment = .sandbox,
    seed: UInt64 = 1,
    start: Date,
    options: StoreOptions? = nil
  ) {
    self.catalog = catalog
    self.bundleID = bundleID
    self.appAppleID = appAppleID
    self.environment = environment
    self.seed = seed
    self.start = start
    self.options = options ?? StoreOptions(environment: environment)
  }
}

/// How a simulated store behaves where Apple leaves a choice or environments differ.
public struct StoreOptions: Hashable, Sendable {
  /// How often notifications are sent again.
  public var retryTimetable: RetryTimetable
  /// Whether due notifications are sent at once by a task; otherwise they wait for
  /// ``SimulatedAppStore/drainNotifications()``.
  public var sendsNotificationsAtOnce = false
  /// How long before the expiry a renewal is charged, in seconds.
  ///
  /// Short periods are charged in their middle at the earliest. Apple charges up to 24 hours ahead.
  public var chargeLead: TimeInterval = 24 * 3600
  /// How long access goes on after a failed charge, in seconds.
  ///
  /// Nil is no grace period, or 16 days when the first app's catalog switches it on.
  public var gracePeriod: TimeInterval?
  /// Which failed charges have a grace period.
  public var graceScope = GraceSettings.Scope.all
  /// How fast subscriptions live; nil for real time, or what the first app's catalog says in
  /// Xcode's environment.
  ///
  /// Anything but real time takes the place of ``chargeLead``, ``retryPeriod`` and the length of
  /// ``gracePeriod``.
  public var pace: RenewalPace?
  /// How old a signature for an offer may be, in seconds; nil for any age.
  public var offerSignatureAgeMax: TimeInterval? = 24 * 3600
  /// Whether an app without keys for offers gets them unchecked, as in Xcode.
  public var acceptsUnsignedOffers: Bool
  /// Whether a refund leaves auto-renewal as it is; it matters when the refund is taken back.
  public var refundKeepsAutoRenew = false
  /// How a customer's wish for money back is answered at once; nil waits for an answer.
  public var refundAnswer: RefundRequestRecord.Answer?
  /// Whether superseded transactions get a revocation date, as some of production's have.
  public var revokesUpgraded = false
  /// How long a failed charge is tried again, in seconds.
  public var retryPeriod: TimeInterval = 60 * 24 * 3600
  /// How long a parent may take to answer, in seconds.
  public var askToBuyPeriod: TimeInterval = 24 * 3600
  /// How long it takes to give all subscribers of a product days, in seconds.
  public var massExtensionPeriod: TimeInterval = 3600
  /// Whether orders of the sandbox can be looked up; Apple's cannot.
  public var sandboxLooksUpOrders = false
  /// Whether payloads of the sandbox name the app's number, as genuine samples do.
  public var sandboxNamesAppAppleID = true
  /// Whether renewal info goes on naming the end of a grace period that is over.
  public var keepsGraceDate = false
  /// How long a family waits for its copies of something new, in seconds: up to an hour at Apple's.
  public var familyDelay: TimeInterval = 0
  /// Whether an account with running subscriptions is refused to move to another country.
  public var refusesMoveWhileSubscribed = false
  /// Whether receipts are signed over SHA-1, as they were until 2025.
  public var signsReceiptsOverSHA1 = false
  /// Whether the device has a receipt from the installation on, as in production.
  public var receiptExistsFromInstallation: Bool

  /// What is usual in an environment.
  ///
  /// - Parameter environment: Where payloads say that they were made.
  public init(environment: StoreEnvironment) {
    let isProduction = environment == .production
    retryTimetable = isProduction ? .production : .sandbox
    receiptExistsFromInstallation = isProduction
    acceptsUnsignedOffers = environment == .xcode || environment == .localTesting
  }

  /// The grace period of a catalog that has one, in seconds: 16 days.
  static let usualGracePeriod: TimeInterval = 16 * 24 * 3600

  var terms: SubscriptionTerms {
    let pace = pace ?? .realTime
    let isRealTime = pace == .realTime
    return SubscriptionTerms(
      renewalCountMax: pace.renewalCountMax,
      refundKeepsAutoRenew: refundKeepsAutoRenew,
      // A compressed period is charged when it ends.
      chargeLead: isRealTime ? chargeLead : 0,
      grace: nil,
      retry: pace.retry ?? retryPeriod,
      gapMax: isRealTime ? 60 * 24 * 3600 : 600
    )
  }

  var grace: GraceSettings? {
    gracePeriod.map { GraceSettings(length: $0, scope: graceScope) }
  }
}

/// What goes wrong, from outside of the store's own rules.
public struct StoreFaults: Hashable, Sendable {
  /// How signed texts that devices get are spoiled.
  public enum Signature: String, Hashable, Sendable, CaseIterable {
    /// They are not.
    case genuine
    /// The signature does not fit the text.
    case broken
    /// Signed rightly, by a chain of another root.
    case foreignRoot
    /// Signed rightly, by a certificate that has ended.
    case expired
    /// Signed rightly, by a certificate that is not valid yet.
    case notYetValid
    /// Signed rightly, by a certificate without Apple's mark for such signatures.
    case unmarkedLeaf
    /// Signed rightly, under an authority without Apple's mark.
    case unmarkedIntermediate
  }

  /// Devices without network.
  public var offlineDevices: Set<DeviceID> = []
  /// Whether Apple's servers cannot be reached by anybody.
  public var isStoreUnreachable = false
  /// How signed texts that devices get are spoiled.
  public var signature = Signature.genuine
  /// What every purchase fails with.
  public var purchaseFailure: StoreFailure?
  /// Whether every purchase fails first and happens when the customer has settled something.
  public var interruptsPurchases = false
  /// Whether every notification is sent twice.
  public var duplicatesNotifications = false
  /// Whether notifications that are due together are sent newest first.
  public var reordersNotifications = false
  /// What every attempt to send a notification comes to, without being made; nil to make it.
  public var notificationFailure: SendAttemptResult?
  /// Whether the answers to notifications are lost on their way: the server has them, and the
  /// store sends them again.
  public var losesNotificationAnswers = false
  /// Whether the store says, when it is asked, that its signing certificate was revoked.
  public var revokesCertificate = false

  /// Nothing goes wrong.
  public init() {}

  func reaches(_ device: DeviceID) -> Bool {
    !isStoreUnreachable && !offlineDevices.contains(device)
  }
}
