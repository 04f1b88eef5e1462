public import Foundation
public import IAPModel

extension SimulatedAppStore {
  /// Adds a further app.
  ///
  /// - Parameters:
  ///   - bundleID: The app.
  ///   - appAppleID: The app's number.
  ///   - catalog: What it sells.
  ///   - version: The version that customers run.
  ///   - build: The build that customers run.
  /// - Throws: ``SimulatorError`` with `duplicate`.
  public func addApp(
    _ bundleID: BundleID,
    appAppleID: AppAppleID,
    catalog: StoreCatalog,
    version: String = "1.0",
    build: String = "1"
  ) throws(SimulatorError) {
    let app = AppRecord(
      bundleID: bundleID,
      appAppleID: appAppleID,
      catalog: catalog,
      version: version,
      build: build
    )
    try command { core, now throws(SimulatorError) in try core.addApp(app, at: now) }
    adoptKeyPair(of: catalog, app: bundleID)
  }

  /// Makes an account.
  ///
  /// - Parameters:
  ///   - id: Its name.
  ///   - storefront: Where it shops; nil for the storefront of the first app's catalog.
  ///   - asksToBuy: Whether a parent is asked about every purchase.
  /// - Returns: Its name.
  /// - Throws: ``SimulatorError`` with `duplicate` or `unknownStorefront`.
  @discardableResult
  public func addAccount(
    _ id: AccountID,
    storefront: Storefront? = nil,
    asksToBuy: Bool = false
  ) throws(SimulatorError) -> AccountID {
    let home: Storefront
    if let storefront {
      home = storefront
    } else {
      home = try Storefront.of(countryCode: configuration.catalog.settings.storefront)
    }
    let account = AccountRecord(id: id, storefront: home, asksToBuy: asksToBuy)
    try command { core, now throws(SimulatorError) in try core.addAccount(account, at: now) }
    return id
  }

  /// Sets up a device: an account signs in and installs an app.
  ///
  /// - Parameters:
  ///   - id: Its name.
  ///   - account: The account that signs in.
  ///   - app: The app; nil for the first one.
  /// - Returns: Its name.
  /// - Throws: ``SimulatorError`` with `duplicate`, `unknownAccount` or `unknownApp`.
  @discardableResult
  public func addDevice(
    _ id: DeviceID,
    account: AccountID,
    app: BundleID? = nil
  ) throws(SimulatorError) -> DeviceID {
    let device = DeviceRecord(
      id: id,
      account: account,
      bundleID: app ?? configuration.bundleID
    )
    try command { core, now throws(SimulatorError) in try core.addDevice(device, at: now) }
    return id
  }

  /// All apps, in the order in which they came.
  public var apps: [AppRecord] { read { $0.state.apps } }

  /// All accounts, in the order in which they came.
  public var accounts: [AccountRecord] { read { $0.state.accounts } }

  /// All devices, in the order in which they came.
  public var devices: [DeviceRecord] { read { $0.state.devices } }

  /// Moves an account to another country.
  ///
  /// - Parameters:
  ///   - storefront: The country's store.
  ///   - account: The account.
  /// - Throws: ``SimulatorError`` with `unknownAccount`, or `notAllowed` when
  ///   ``StoreOptions/refusesMoveWhileSubscribed`` is set and a subscription runs.
  public func setStorefront(
    _ storefront: Storefront,
    of account: AccountID
  ) throws(SimulatorError) {
    try command { core, now throws(SimulatorError) in
      try core.setStorefront(storefront, of: account, at: now)
    }
  }

  /// Switches whether an account may buy at all, as Screen Time and managed devices do.
  ///
  /// - Parameters:
  ///   - may: Whether.
  ///   - account: The account.
  /// - Throws: ``SimulatorError`` with `unknownAccount`.
  public func setMayBuy(_ may: Bool, of account: AccountID) throws(SimulatorError) {
    try command { core, now throws(SimulatorError) in
      try core.setMayBuy(may, of: account, at: now)
    }
  }

  /// Switches whether a parent is asked about an account's purchases.
  ///
  /// - Parameters:
  ///   - asks: Whether.
  ///   - account: The account.
  /// - Throws: ``SimulatorError`` with `unknownAccount`.
  public func setAsksToBuy(_ asks: Bool, of account: AccountID) throws(SimulatorError) {
    try command { core, now throws(SimulatorError) in
      try core.setAsksToBuy(asks, of: account, at: now)
    }
  }

  /// Switches whether an account's charges go through; failed renewals are tried again at once.
  ///
  /// - Parameters:
  ///   - works: Whether.
  ///   - account: The account.
  /// - Throws: ``SimulatorError`` with `unknownAccount`.
  public func setPayment(works: Bool, of account: AccountID) throws(SimulatorError) {
    try command { core, now throws(SimulatorError) in
      try core.setPayment(works: works, of: account, at: now)
    }
  }

  /// What goes wrong.
  public var faults: StoreFaults { read { $0.faults } }

  /// Changes what goes wrong; devices that can be reached again hear what they missed.
  public func setFaults(_ faults: StoreFaults) {
    try? command { core, now throws(SimulatorError) in try core.setFaults(faults, at: now) }
  }

  /// Changes what goes wrong, starting from what goes wrong now.
  public func changeFaults(_ change: (inout StoreFaults) -> Void) {
    var faults = self.faults
    change(&faults)
    setFaults(faults)
  }

  /// Takes the network from a device, or gives it back.
  public func setNetwork(_ isOn: Bool, of device: DeviceID) {
    changeFaults { faults in
      if isOn {
        faults.offlineDevices.remove(device)
      } else {
        faults.offlineDevices.insert(device)
      }
    }
  }

  /// Sets where an app's notifications go; those made while there is no address are not sent.
  ///
  /// - Parameters:
  ///   - url: The address; nil for none.
  ///   - app: The app; nil for the first one.
  /// - Throws: ``SimulatorError`` with `unknownApp`.
  public func setNotificationURL(_ url: URL?, app: BundleID? = nil) throws(SimulatorError) {
    let bundleID = app ?? configuration.bundleID
    try command { core, _ throws(SimulatorError) in
      _ = try core.app(bundleID)
      core.notificationURLs[bundleID] = url
    }
  }

  /// Sends a test notification to an app's server.
  ///
  /// - Parameter app: The app; nil for the first one.
  /// - Returns: The notification.
  /// - Throws: ``SimulatorError`` with `unknownApp`, or `notAllowed` when there is no address.
  @discardableResult
  public func requestTestNotification(
    app: BundleID? = nil
  ) throws(SimulatorError) -> NotificationUUID {
    let bundleID = app ?? configuration.bundleID
    return try command { core, now throws(SimulatorError) in
      try core.notifyTest(of: bundleID, at: now)
    }
  }

  /// All notifications with every attempt, oldest first.
  public var notifications: [NotificationRecord] { read { $0.state.notifications } }
}
