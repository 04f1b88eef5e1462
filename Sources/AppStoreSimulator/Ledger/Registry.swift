public import IAPModel

/// An app of the simulated store.
public struct AppRecord: Hashable, Sendable {
  /// The app.
  public let bundleID: BundleID
  /// The app's number.
  public let appAppleID: AppAppleID
  /// What it sells.
  public internal(set) var catalog: StoreCatalog
  /// The version that customers run: CFBundleShortVersionString.
  public let version: String
  /// The build that customers run: CFBundleVersion.
  public let build: String
}

/// An Apple Account.
public struct AccountRecord: Hashable, Sendable {
  /// The account.
  public let id: AccountID
  /// Where it shops.
  public internal(set) var storefront: Storefront
  /// Whether a parent is asked about every purchase.
  public internal(set) var asksToBuy: Bool
  /// Whether a parent or the device's manager allows purchases at all.
  public internal(set) var mayBuy = true
  /// Whether charges go through.
  public internal(set) var paymentWorks = true
}

/// A device with one app.
public struct DeviceRecord: Hashable, Sendable {
  /// The device.
  public let id: DeviceID
  /// The account that is signed in.
  public let account: AccountID
  /// The app.
  public let bundleID: BundleID
  /// The app receipt on the disk; nil before the first one.
  public internal(set) var receipt: ReceiptSnapshot?
}

/// People who share purchases.
public struct FamilyRecord: Hashable, Sendable {
  /// The family.
  public let id: FamilyID
  /// The members, the organiser first.
  public internal(set) var members: [AccountID]
  /// The members that keep their purchases to themselves.
  public internal(set) var silent: [AccountID] = []
}
