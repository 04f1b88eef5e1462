import Foundation
import IAPModel

extension StoreCore {
  mutating func addApp(_ app: AppRecord, at now: Date) throws(SimulatorError) {
    guard state.app(app.bundleID) == nil else {
      throw SimulatorError(.duplicate, "there is an app \"\(app.bundleID)\" already")
    }
    append(.appAdded(app), at: now)
  }

  mutating func addAccount(_ account: AccountRecord, at now: Date) throws(SimulatorError) {
    guard state.account(account.id) == nil else {
      throw SimulatorError(.duplicate, "there is an account \"\(account.id)\" already")
    }
    append(.accountAdded(account), at: now)
  }

  mutating func addDevice(_ device: DeviceRecord, at now: Date) throws(SimulatorError) {
    guard state.device(device.id) == nil else {
      throw SimulatorError(.duplicate, "there is a device \"\(device.id)\" already")
    }
    _ = try account(device.account)
    _ = try app(device.bundleID)
    append(.deviceAdded(device), at: now)
    if options.receiptExistsFromInstallation { append(.receiptRefreshed(device.id), at: now) }
  }

  mutating func setStorefront(
    _ storefront: Storefront,
    of id: AccountID,
    at now: Date
  ) throws(SimulatorError) {
    guard try account(id).storefront != storefront else { return }
    if options.refusesMoveWhileSubscribed {
      let held = state.apps.flatMap { state.subscriptions(of: id, in: $0.bundleID) }
      if let running = held.first(where: { $0.sharedFrom == nil && $0.isRunning }) {
        throw SimulatorError(
          .notAllowed,
          "\(id) is subscribed (\(running.originalTransactionID)) and cannot move"
        )
      }
    }
    append(.storefrontChanged(id, storefront), at: now)
    for device in state.devices where device.account == id {
      tell(device.id, .storefrontChanged(storefront))
    }
  }

  mutating func setMayBuy(_ may: Bool, of id: AccountID, at now: Date) throws(SimulatorError) {
    guard try account(id).mayBuy != may else { return }
    append(.mayBuyChanged(id, may), at: now)
  }

  mutating func setAsksToBuy(_ asks: Bool, of id: AccountID, at now: Date) throws(SimulatorError) {
    guard try account(id).asksToBuy != asks else { return }
    append(.askToBuyChanged(id, asks), at: now)
  }

  /// Finishes a purchase for the whole account, a restored copy for its device.
  ///
  /// A device without network keeps it to itself until it is back.
  mutating func finish(
    _ id: TransactionID,
    on deviceID: DeviceID,
    at now: Date
  ) throws(SimulatorError) {
    let device = try device(deviceID)
    let record = try transaction(id)
    let isOwn =
      record.isRestoredCopy
      ? record.device == deviceID
      : record.account == device.account && record.bundleID == device.bundleID
    guard isOwn else {
      throw SimulatorError(.unknownTransaction, "\(deviceID) has no transaction \(id)")
    }
    if noteFinishedOffline(id, on: deviceID) || record.isFinished { return }
    append(.finished(id), at: now)
    guard !record.isRestoredCopy else { return }
    tellDevices(of: device.account, with: device.bundleID, except: deviceID, .finished(id))
  }

  /// Makes StoreKit 1's copies of what the account owns, and brings the receipt up to date.
  mutating func restore(
    on id: DeviceID,
    at now: Date
  ) throws(SimulatorError) -> [StoreTransactionRecord] {
    let device = try device(id)
    try requireReach(id)
    let held = state.held(by: device.account, in: device.bundleID)
    let stamp = state.nextStamp(at: now)
    let copies = RestoreRule.restorable(held).map { record in
      StoreTransactionRecord(
        transactionID: identifiers.nextTransaction(),
        originalTransactionID: record.originalTransactionID,
        webOrderLineItemID: record.webOrderLineItemID,
        account: record.account,
        bundleID: record.bundleID,
        productID: record.productID,
        type: record.type,
        groupID: record.groupID,
        purchaseDate: record.type == .autoRenewable ? record.purchaseDate : now,
        originalPurchaseDate: record.originalPurchaseDate,
        expiresDate: record.expiresDate,
        quantity: record.quantity,
        appAccountToken: record.appAccountToken,
        applicationUsername: nil,
        reason: record.reason,
        ownership: record.ownership,
        offer: record.offer,
        storefront: record.storefront,
        priceMilliunits: record.priceMilliunits,
        device: id,
        pending: nil,
        isUpgraded: record.isUpgraded,
        modifiedDate: stamp,
        restoredFrom: record.transactionID
      )
    }
    if !copies.isEmpty { append(.restored(id, copies), at: now) }
    append(.receiptRefreshed(id), at: now)
    return copies
  }

  mutating func refreshReceipt(on id: DeviceID, at now: Date) throws(SimulatorError) {
    _ = try device(id)
    try requireReach(id)
    append(.receiptRefreshed(id), at: now)
  }
}
