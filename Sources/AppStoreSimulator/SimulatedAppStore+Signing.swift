public import Foundation
public import IAPModel
import IAPSignatures

// What the store signs.
extension SimulatedAppStore {
  /// The signed transaction as the App Store's server gives it out.
  ///
  /// - Parameter id: The transaction; an identifier of a restored copy leads to what it restores.
  /// - Returns: A compact JWS.
  /// - Throws: ``SimulatorError`` with `unknownTransaction` or `signingFailed`.
  public func signedTransaction(_ id: TransactionID) throws(SimulatorError) -> String {
    try signer.sign(try payload(of: id).object)
  }

  /// The signed transaction as StoreKit 2 gives it to an app, tied to the device.
  ///
  /// It changes only when the transaction does.
  ///
  /// - Parameters:
  ///   - id: The transaction.
  ///   - device: The device.
  /// - Returns: A compact JWS, spoiled when ``StoreFaults/signature-swift.property`` says so.
  /// - Throws: ``SimulatorError`` with `unknownTransaction`, `unknownDevice` or `signingFailed`.
  public func signedTransaction(
    _ id: TransactionID,
    on device: DeviceID
  ) throws(SimulatorError) -> String {
    _ = try self.device(device)
    var object = try payload(of: id, on: device).object
    prove(&object, device, id.rawValue)
    return try signer.sign(object, fault: try signatureFault(on: device))
  }

  /// Signed renewal info as the App Store's server gives it out.
  ///
  /// - Parameter original: The subscription.
  /// - Returns: A compact JWS.
  /// - Throws: ``SimulatorError`` with `unknownSubscription` or `signingFailed`.
  public func signedRenewalInfo(
    _ original: OriginalTransactionID
  ) throws(SimulatorError) -> String {
    let info = try tryRead { core throws(SimulatorError) in
      core.renewalInfo(try core.subscription(original), signedDate: core.state.lastStamp)
    }
    return try signer.sign(info.object)
  }

  /// Signed renewal info as StoreKit 2 gives it to an app, tied to the device.
  ///
  /// - Parameters:
  ///   - status: What ``subscriptionStatuses(on:group:)`` said.
  ///   - device: The device.
  /// - Returns: A compact JWS, spoiled when ``StoreFaults/signature-swift.property`` says so.
  /// - Throws: ``SimulatorError`` with `unknownDevice` or `signingFailed`.
  public func signedRenewalInfo(
    _ status: SubscriptionStatusRecord,
    on device: DeviceID
  ) throws(SimulatorError) -> String {
    _ = try self.device(device)
    var object = status.renewalInfo.object
    prove(&object, device, "renewal.\(status.subscription.originalTransactionID)")
    return try signer.sign(object, fault: try signatureFault(on: device))
  }

  /// The signed app transaction of a device.
  ///
  /// - Parameter device: The device.
  /// - Returns: A compact JWS, spoiled when ``StoreFaults/signature-swift.property`` says so.
  /// - Throws: ``SimulatorError`` with `unknownDevice` or `signingFailed`.
  public func signedAppTransaction(on device: DeviceID) throws(SimulatorError) -> String {
    var object = try appTransaction(on: device).object
    prove(&object, device, "app")
    return try signer.sign(object, fault: try signatureFault(on: device))
  }

  /// The app transaction of a device, before it is tied to the device and signed.
  ///
  /// - Parameter device: The device.
  /// - Returns: The payload.
  /// - Throws: ``SimulatorError`` with `unknownDevice`.
  public func appTransaction(
    on device: DeviceID
  ) throws(SimulatorError) -> AppTransactionPayload {
    let (record, app, id, installed) = try tryRead { core throws(SimulatorError) in
      let record = try core.device(device)
      return (
        record, try core.app(record.bundleID),
        core.identifiers.appTransactionID(record.account, record.bundleID),
        core.installationDate(of: device)
      )
    }
    let environment = configuration.environment
    let isProduction = environment == .production
    let isXcode = environment == .xcode || environment == .localTesting
    var payload = AppTransactionPayload(
      environment: configuration.environment,
      bundleID: record.bundleID
    )
    if isProduction || !isXcode && configuration.options.sandboxNamesAppAppleID {
      payload.appAppleID = app.appAppleID
    }
    payload.applicationVersion = app.build
    payload.receiptCreationDate = clock.now
    let fixed = isXcode ? Self.xcodeOriginalPurchaseDate : Self.sandboxOriginalPurchaseDate
    payload.originalPurchaseDate = isProduction ? installed : fixed
    payload.originalApplicationVersion = isProduction ? app.build : "1.0"
    payload.appTransactionID = id
    payload.originalPlatform = "iOS"
    return payload
  }

  /// What the sandbox says about when the app was obtained.
  ///
  /// - **Source:** the signed-data facts, section 4.
  static let sandboxOriginalPurchaseDate = Date(milliseconds: 1_375_340_400_000)

  /// What Xcode says about it: the beginning of the year 1.
  ///
  /// - **Source:** the signed-data facts, section 4.2.
  static let xcodeOriginalPurchaseDate = Date(milliseconds: -62_135_769_600_000)

  /// What StoreKit calls a device in `AppStore.deviceVerificationID`.
  public func deviceVerificationID(of device: DeviceID) -> UUID {
    read { $0.identifiers.uuid(for: ["device-verification", device.rawValue]) }
  }

  /// What UIKit calls a device for the vendor; receipts are tied to it.
  public func identifierForVendor(of device: DeviceID) -> UUID {
    read { $0.identifiers.uuid(for: ["vendor", device.rawValue]) }
  }

  /// The body that is posted for a notification.
  func notificationBody(_ record: NotificationRecord) throws(SimulatorError) -> [UInt8] {
    if case .version1(let type) = record.form { return try legacyBody(record, type) }
    let signed = try signedNotification(record)
    return JSONObject([JSONMember("signedPayload", .string(signed))]).serialized
  }

  /// The signed payload of a notification; the same at every attempt.
  ///
  /// - Parameter record: The notification.
  /// - Returns: A compact JWS with the signed transaction and renewal info inside.
  /// - Throws: ``SimulatorError`` with `unknownApp` or `signingFailed`.
  public func signedNotification(
    _ record: NotificationRecord
  ) throws(SimulatorError) -> String {
    if let subject = record.subject { return try signedNotification(record, about: subject) }
    let (app, appTransactionID) = try tryRead { core throws(SimulatorError) in
      (
        try core.app(record.bundleID),
        record.transaction.map { core.identifiers.appTransactionID($0.account, $0.bundleID) }
      )
    }
    var data = NotificationPayload.Data()
    data.bundleID = app.bundleID
    data.environment = configuration.environment
    if configuration.environment == .production || configuration.options.sandboxNamesAppAppleID {
      data.appAppleID = app.appAppleID
    }
    if let transaction = record.transaction {
      data.bundleVersion = app.build
      let payload = transaction.payload(
        environment: configuration.environment,
        appTransactionID: appTransactionID,
        signedDate: record.signedDate
      )
      var object = payload.object
      record.commerce?.write(into: &object)
      data.signedTransactionInfo = try signer.sign(object)
    }
    if let renewalInfo = record.renewalInfo {
      var object = renewalInfo.object
      record.commerce?.write(into: &object)
      data.signedRenewalInfo = try signer.sign(object)
      data.status = record.status
    }
    data.consumptionRequestReason = record.consumptionRequestReason?.rawValue
    var payload = NotificationPayload(type: record.type, uuid: record.uuid)
    payload.subtype = record.subtype
    payload.version = "2.0"
    payload.signedDate = record.signedDate
    payload.data = data
    return try signer.sign(payload.object)
  }

  private func payload(of id: TransactionID) throws(SimulatorError) -> TransactionPayload {
    try tryRead { core throws(SimulatorError) in
      let found = try core.transaction(id)
      guard let original = found.restoredFrom else { return core.payload(found) }
      return core.payload(try core.transaction(original))
    }
  }

  private func payload(
    of id: TransactionID,
    on device: DeviceID
  ) throws(SimulatorError) -> TransactionPayload {
    try tryRead { core throws(SimulatorError) in
      if let known = core.view(of: device).transaction(id) { return core.payload(known) }
      return core.payload(try core.transaction(id))
    }
  }

  /// How texts for the device are spoiled: by command, or by the app's catalog.
  private func signatureFault(
    on device: DeviceID
  ) throws(SimulatorError) -> StoreFaults.Signature {
    try tryRead { core throws(SimulatorError) in
      let settings = try core.app(try core.device(device).bundleID).catalog.settings
      guard core.faults.signature == .genuine, settings.fails("Verification") else {
        return core.faults.signature
      }
      return .broken
    }
  }

  private func prove(_ object: inout JSONObject, _ device: DeviceID, _ subject: String) {
    let proof = read { core in
      DeviceProof(
        nonce: core.identifiers.uuid(for: ["nonce", device.rawValue, subject]),
        deviceVerificationID: core.identifiers.uuid(
          for: ["device-verification", device.rawValue]
        )
      )
    }
    object["deviceVerification"] = .string(proof.verification(signer.signing))
    object["deviceVerificationNonce"] = .string(proof.nonceText)
  }
}

extension StoreCore {
  func payload(_ record: StoreTransactionRecord) -> TransactionPayload {
    record.payload(
      environment: environment,
      appTransactionID: identifiers.appTransactionID(record.account, record.bundleID)
    )
  }

  /// When the device was set up.
  func installationDate(of device: DeviceID) -> Date? {
    history.first { entry in
      if case .deviceAdded(let record) = entry.event { record.id == device } else { false }
    }?.date
  }
}
