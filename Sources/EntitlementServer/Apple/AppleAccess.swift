public import AppStoreServerAPI

/// How the server reaches the App Store for one app; each part may be missing.
public struct AppleAccess: Sendable {
  /// Asks for what a request waits for: tried seldom, and with short waits.
  public var client: AppStoreServerClient?
  /// Asks for what nobody waits for: comparing and filling gaps.
  public var background: AppStoreServerClient?
  /// Asks Apple's old service about receipts that cannot be judged here.
  public var receipts: VerifyReceiptClient?
  /// What notifications of version 1 and requests to `/verifyReceipt` have to show.
  public var sharedSecret: SharedSecret?
  /// What is said about purchases for which a refund was asked; nil when customers have not agreed.
  public var consumption: ConsumptionConsent?

  /// Says what there is.
  ///
  /// - Parameters:
  ///   - client: Asks for what a request waits for.
  ///   - background: Asks for what nobody waits for.
  ///   - receipts: Asks Apple's old service about receipts.
  ///   - sharedSecret: What old notifications and requests have to show.
  ///   - consumption: What is said about purchases for which a refund was asked.
  public init(
    client: AppStoreServerClient? = nil,
    background: AppStoreServerClient? = nil,
    receipts: VerifyReceiptClient? = nil,
    sharedSecret: SharedSecret? = nil,
    consumption: ConsumptionConsent? = nil
  ) {
    self.client = client
    self.background = background
    self.receipts = receipts
    self.sharedSecret = sharedSecret
    self.consumption = consumption
  }

  /// Whether the ledger can be compared with what the App Store knows.
  var canCompare: Bool { background != nil || receipts != nil }
}

/// An app's shared secret, as App Store Connect made it; it is never shown.
public struct SharedSecret: Sendable, CustomStringConvertible, CustomReflectable {
  private let text: String

  /// Takes a secret.
  ///
  /// - Parameter text: The secret.
  public init(_ text: String) { self.text = text }

  /// Nothing of the secret.
  public var description: String { "shared secret" }
  /// Nothing of the secret.
  public var customMirror: Mirror { Mirror(self, children: []) }

  /// Whether somebody knows the secret; how long it takes says nothing about it.
  func matches(_ candidate: String, digest: ([UInt8]) -> [UInt8]) -> Bool {
    let own = digest(Array(text.utf8))
    let other = digest(Array(candidate.utf8))
    return own.count == other.count
      && zip(own, other).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
