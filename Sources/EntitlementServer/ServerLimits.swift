public import ServerStorage

/// How much the server takes in one request.
public struct ServerLimits: Hashable, Sendable {
  /// The longest body of any request, in bytes: receipts of many renewals are large.
  public var bodyBytesMax: Int
  /// The longest body of a notification, in bytes; genuine ones have about 20,000.
  public var notificationBytesMax: Int
  /// How deep a body's objects and lists may be nested.
  public var bodyDepthMax: Int
  /// The longest account or customer identifier, in UTF-8 bytes.
  public var accountBytesMax: Int
  /// The longest installation identifier, in UTF-8 bytes.
  public var installationBytesMax: Int
  /// The longest product identifier, in UTF-8 bytes.
  public var productIDBytesMax: Int
  /// The longest transaction identifier, in UTF-8 bytes.
  public var transactionIDBytesMax: Int
  /// How many requests one key may send in a minute; further ones are answered with 429.
  public var requestsPerMinuteMax: Int
  /// How many receipts one address may have judged at `/verifyReceipt` in a minute, where no key is
  /// shown; further ones are answered with 429.
  public var receiptsPerMinuteMax: Int
  /// The longest reason, note or error text that people write, in UTF-8 bytes.
  public var textBytesMax: Int
  /// After how many seconds a client should try again when the server could not look or store.
  public var retryAfterSeconds: Int
  /// The claim lease: how many seconds the claimer of a consumable may be silent before another
  /// installation may take its place.
  ///
  /// Judged on the server's clock. Clients ask again before they hand over what was judged more
  /// than six hours ago, so it must be longer than that.
  public var claimLeaseSeconds: Int

  /// What a claim lease has to be longer than: clients ask again before they hand over what was
  /// judged so long ago.
  public static let claimLeaseSecondsMin = 6 * 3600
  /// How many connections one address may have at the same time.
  public var connectionsPerAddressMax: Int
  /// From how many milliseconds a read or commit of the ledger is logged as slow; 0 for never.
  public var slowQueryMilliseconds = 500
  /// The same as a duration; nil for never.
  var slowQuery: Duration? {
    slowQueryMilliseconds > 0 ? .milliseconds(slowQueryMilliseconds) : nil
  }
  /// How long the ledger's logs are kept.
  public var logs = LogRetention()
  /// How webhooks are sent, and how much of everything there may be.
  public var webhooks = WebhookLimits.standard

  /// Makes limits.
  public init(
    bodyBytesMax: Int = 2 * 1024 * 1024,
    notificationBytesMax: Int = 512 * 1024,
    bodyDepthMax: Int = 8,
    accountBytesMax: Int = 256,
    installationBytesMax: Int = 128,
    productIDBytesMax: Int = 256,
    transactionIDBytesMax: Int = 64,
    requestsPerMinuteMax: Int = 6000,
    receiptsPerMinuteMax: Int = 600,
    textBytesMax: Int = 2000,
    retryAfterSeconds: Int = 1,
    claimLeaseSeconds: Int = 24 * 3600,
    connectionsPerAddressMax: Int = 256
  ) {
    precondition(claimLeaseSeconds > 0, "a claim holds for a while")
    precondition(requestsPerMinuteMax > 0, "a key may send something")
    precondition(receiptsPerMinuteMax > 0, "an address may send something")
    self.bodyBytesMax = bodyBytesMax
    self.notificationBytesMax = notificationBytesMax
    self.bodyDepthMax = bodyDepthMax
    self.accountBytesMax = accountBytesMax
    self.installationBytesMax = installationBytesMax
    self.productIDBytesMax = productIDBytesMax
    self.transactionIDBytesMax = transactionIDBytesMax
    self.requestsPerMinuteMax = requestsPerMinuteMax
    self.receiptsPerMinuteMax = receiptsPerMinuteMax
    self.textBytesMax = textBytesMax
    self.retryAfterSeconds = retryAfterSeconds
    self.claimLeaseSeconds = claimLeaseSeconds
    self.connectionsPerAddressMax = connectionsPerAddressMax
  }

  /// 2 MiB of body, 512 KiB of notification, eight levels deep; claims hold for a day.
  public static let standard = ServerLimits()
}
