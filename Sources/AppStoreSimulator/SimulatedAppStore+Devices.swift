public import IAPModel

// What a device asks the store. A device without network is answered from what it saw last.
extension SimulatedAppStore {
  /// The products with those identifiers, in the order asked for; unknown ones are left out.
  ///
  /// - Parameters:
  ///   - ids: The identifiers; repeated ones count once.
  ///   - device: The device.
  /// - Returns: The products of the device's app.
  /// - Throws: ``SimulatorError`` with `unreachable` or `unknownDevice`.
  public func products(
    _ ids: [ProductID],
    on device: DeviceID
  ) throws(SimulatorError) -> [CatalogProduct] {
    try tryRead { core throws(SimulatorError) in
      let app = try core.app(try core.device(device).bundleID)
      try core.requireReach(device)
      guard !app.catalog.settings.fails("Load Products") else {
        throw SimulatorError(.unreachable, "the catalog lets loading products fail")
      }
      var seen: Set<ProductID> = []
      return ids.filter { seen.insert($0).inserted }.compactMap { app.catalog[$0] }
        .filter(\.isForSale)
    }
  }

  /// A device with its account and app.
  ///
  /// - Parameter id: The device.
  /// - Returns: The record.
  /// - Throws: ``SimulatorError`` with `unknownDevice`.
  public func device(_ id: DeviceID) throws(SimulatorError) -> DeviceRecord {
    try tryRead { core throws(SimulatorError) in try core.device(id) }
  }

  /// The storefront of a device's account, as the device knows it.
  ///
  /// - Parameter id: The device.
  /// - Returns: The storefront.
  /// - Throws: ``SimulatorError`` with `unknownDevice`.
  public func storefront(of id: DeviceID) throws(SimulatorError) -> Storefront {
    try tryRead { core throws(SimulatorError) in
      let account = try core.device(id).account
      if let known = core.view(of: id).account(account) { return known.storefront }
      return try core.account(account).storefront
    }
  }

  /// Whether the device reaches the store at present.
  public func reaches(_ device: DeviceID) -> Bool { faults.reaches(device) }

  /// What the account bought and no device has finished, oldest first, renewals included.
  ///
  /// - Parameter device: The device.
  /// - Returns: The records.
  /// - Throws: ``SimulatorError`` with `unknownDevice`.
  public func unfinished(
    on device: DeviceID
  ) throws(SimulatorError) -> [StoreTransactionRecord] {
    try held(on: device).filter { !$0.isFinished }
  }

  /// What `Transaction.all` shows, oldest first.
  ///
  /// - Parameter device: The device.
  /// - Returns: The records.
  /// - Throws: ``SimulatorError`` with `unknownDevice`.
  public func allTransactions(
    on device: DeviceID
  ) throws(SimulatorError) -> [StoreTransactionRecord] {
    VisibilityRule.all(try held(on: device))
  }

  /// All that the account has, oldest first: what `Transaction.all` shows, and the consumables
  /// that are finished.
  ///
  /// - Parameter device: The device.
  /// - Returns: The records.
  /// - Throws: ``SimulatorError`` with `unknownDevice`.
  public func purchaseHistory(
    on device: DeviceID
  ) throws(SimulatorError) -> [StoreTransactionRecord] {
    try held(on: device)
  }

  /// What `Transaction.currentEntitlements` shows, oldest first.
  ///
  /// - Parameter device: The device.
  /// - Returns: The records.
  /// - Throws: ``SimulatorError`` with `unknownDevice`.
  public func currentEntitlements(
    on device: DeviceID
  ) throws(SimulatorError) -> [StoreTransactionRecord] {
    let held = try held(on: device)
    let subscriptions = try tryRead { core throws(SimulatorError) in
      let record = try core.device(device)
      return core.view(of: device).subscriptions(of: record.account, in: record.bundleID)
    }
    return VisibilityRule.currentEntitlements(held, subscriptions: subscriptions)
  }

  /// Finishes a transaction for the account, or a restored copy for the device.
  ///
  /// The second time nothing happens. Without network it is sent when the network is back.
  ///
  /// - Parameters:
  ///   - id: The transaction.
  ///   - device: The device.
  /// - Throws: ``SimulatorError`` with `unknownDevice` or `unknownTransaction`.
  public func finish(_ id: TransactionID, on device: DeviceID) throws(SimulatorError) {
    try command { core, now throws(SimulatorError) in try core.finish(id, on: device, at: now) }
  }

  /// Restores as StoreKit 1 does: copies with new identifiers, and a receipt that lists them.
  ///
  /// - Parameter device: The device.
  /// - Returns: The copies, oldest purchase first; ``StoreTransactionRecord/restoredFrom`` names
  ///   the original.
  /// - Throws: ``SimulatorError`` with `unreachable` or `unknownDevice`.
  public func restore(
    on device: DeviceID
  ) throws(SimulatorError) -> [StoreTransactionRecord] {
    try command { core, now throws(SimulatorError) in try core.restore(on: device, at: now) }
  }

  /// Restored copies that the device has not finished, oldest first.
  ///
  /// - Parameter device: The device.
  /// - Returns: The copies.
  /// - Throws: ``SimulatorError`` with `unknownDevice`.
  public func unfinishedCopies(
    on device: DeviceID
  ) throws(SimulatorError) -> [StoreTransactionRecord] {
    try tryRead { core throws(SimulatorError) in
      _ = try core.device(device)
      return core.overlaid(core.state.copies(on: device), on: device).filter { !$0.isFinished }
    }
  }

  /// What Apple says about the subscriptions of a device's account.
  ///
  /// - Parameters:
  ///   - device: The device.
  ///   - group: One group; nil for all.
  /// - Returns: One element for each subscription, oldest first.
  /// - Throws: ``SimulatorError`` with `unknownDevice`.
  public func subscriptionStatuses(
    on device: DeviceID,
    group: SubscriptionGroupID? = nil
  ) throws(SimulatorError) -> [SubscriptionStatusRecord] {
    try tryRead { core throws(SimulatorError) in
      let record = try core.device(device)
      let view = core.view(of: device)
      return view.subscriptions(of: record.account, in: record.bundleID)
        .filter { group == nil || $0.groupID == group }
        .compactMap { core.status(of: $0, in: view) }
    }
  }

  private func held(on id: DeviceID) throws(SimulatorError) -> [StoreTransactionRecord] {
    try tryRead { core throws(SimulatorError) in
      let device = try core.device(id)
      let held = core.view(of: id).held(by: device.account, in: device.bundleID)
      return core.overlaid(held, on: id)
    }
  }
}

/// A subscription as Apple describes it at an instant.
public struct SubscriptionStatusRecord: Hashable, Sendable {
  /// The state.
  public let status: SubscriptionStatus
  /// The subscription.
  public let subscription: SubscriptionRecord
  /// The newest transaction.
  public let transaction: StoreTransactionRecord
  /// What the next renewal will be.
  public let renewalInfo: RenewalInfoPayload
}

extension StoreCore {
  func status(
    of subscription: SubscriptionRecord,
    in view: StoreState
  ) -> SubscriptionStatusRecord? {
    guard let transaction = view.transaction(subscription.period.transactionID) else { return nil }
    return SubscriptionStatusRecord(
      status: SubscriptionStatusRule.status(subscription.phase),
      subscription: subscription,
      transaction: transaction,
      renewalInfo: renewalInfo(subscription, signedDate: view.lastStamp)
    )
  }
}
