import Foundation
public import IAPModel
import IAPSignatures

// What a developer's server asks of the store. The HTTP face checks who asks and what for.
extension SimulatedAppStore {
  /// Extensions that were granted, oldest first.
  public var renewalExtensions: [RenewalExtension] { read { $0.state.server.extensions } }
  /// Extensions for all subscribers of a product, oldest first.
  public var massExtensions: [MassExtension] { read { $0.state.server.massExtensions } }
  /// What servers said about the use of purchases, oldest first.
  public var consumptionRecords: [ConsumptionRecord] { read { $0.state.server.consumptions } }

  /// Sets in which version an app's notifications are made from now on.
  ///
  /// - Parameters:
  ///   - version: The version; tests come in version 2 always.
  ///   - app: The app; nil for the first one.
  /// - Throws: ``SimulatorError`` with `unknownApp`.
  public func setNotificationVersion(
    _ version: NotificationVersion,
    app: BundleID? = nil
  ) throws(SimulatorError) {
    let bundleID = app ?? configuration.bundleID
    try command { core, _ throws(SimulatorError) in
      _ = try core.app(bundleID)
      core.notificationVersions[bundleID] = version
    }
  }

  /// Makes a notification that the store's own rules do not make, such as those of Advanced
  /// Commerce.
  ///
  /// - Parameters:
  ///   - type: What happened.
  ///   - subtype: What exactly happened.
  ///   - transaction: What it is about.
  ///   - commerce: What the payloads inside say of Advanced Commerce.
  /// - Throws: ``SimulatorError`` with `unknownTransaction`.
  public func emitNotification(
    _ type: NotificationType,
    _ subtype: NotificationSubtype? = nil,
    about transaction: TransactionID,
    commerce: CommerceDetails? = nil
  ) throws(SimulatorError) {
    try command { core, now throws(SimulatorError) in
      core.notify(
        type,
        subtype,
        about: try core.transaction(transaction),
        commerce: commerce,
        at: now
      )
    }
  }

  /// Makes a notification that is about no transaction.
  ///
  /// - Parameters:
  ///   - type: What happened.
  ///   - subtype: What exactly happened.
  ///   - subject: What stands in the place of `data`.
  ///   - app: The app; nil for the first one.
  /// - Throws: ``SimulatorError`` with `unknownApp`.
  public func emitNotification(
    _ type: NotificationType,
    _ subtype: NotificationSubtype? = nil,
    subject: NotificationSubject,
    app: BundleID? = nil
  ) throws(SimulatorError) {
    let bundleID = app ?? configuration.bundleID
    try command { core, now throws(SimulatorError) in
      _ = try core.app(bundleID)
      core.notify(type, subtype, of: bundleID, subject, at: now)
    }
  }

  /// The number on the customer's invoice; purchases of the same instant have one each.
  ///
  /// - Parameter id: The transaction.
  /// - Returns: Ten letters and digits, as `MK1A2B3C4D`.
  /// - Throws: ``SimulatorError`` with `unknownTransaction`.
  public func orderID(of id: TransactionID) throws(SimulatorError) -> StoreOrderID {
    try tryRead { core throws(SimulatorError) in core.orderID(of: try core.transaction(id)) }
  }

  /// The secret that an app's developer shares with the store: 32 hexadecimal digits.
  ///
  /// - Parameter app: The app; nil for the first one.
  /// - Returns: The secret.
  /// - Throws: ``SimulatorError`` with `unknownApp`.
  public func sharedSecret(of app: BundleID? = nil) throws(SimulatorError) -> String {
    let bundleID = app ?? configuration.bundleID
    return try tryRead { core throws(SimulatorError) in
      _ = try core.app(bundleID)
      let uuid = core.identifiers.uuid(for: ["shared-secret", bundleID.rawValue])
      return uuid.uuidString.lowercased().filter { $0 != "-" }
    }
  }

  /// The signed app transaction of a customer as the App Store's server gives it out.
  ///
  /// - Parameter device: A device of the customer with the app.
  /// - Returns: A compact JWS without what belongs to a device.
  /// - Throws: ``SimulatorError`` with `unknownDevice` or `signingFailed`.
  public func serverAppTransaction(on device: DeviceID) throws(SimulatorError) -> String {
    var payload = try appTransaction(on: device)
    payload.applicationVersion = nil
    return try signer.sign(payload.object)
  }

  /// The signed payload of a notification without `data`.
  func signedNotification(
    _ record: NotificationRecord,
    about subject: NotificationSubject
  ) throws(SimulatorError) -> String {
    var payload = NotificationPayload(type: record.type, uuid: record.uuid)
    payload.subtype = record.subtype
    payload.version = "2.0"
    payload.signedDate = record.signedDate
    switch subject {
    case .summary(let done): payload.summary = try summary(done)
    case .externalPurchaseToken(let token): payload.externalPurchaseToken = token
    case .appTransaction(let device):
      var members = try origin(of: record.bundleID)
      members.text("signedAppTransactionInfo", try serverAppTransaction(on: device))
      payload.appData = members.object
    }
    return try signer.sign(payload.object)
  }

  private func summary(_ done: MassExtension) throws(SimulatorError) -> JSONObject {
    var members = try origin(of: done.bundleID)
    members.text("requestIdentifier", done.request.rawValue)
    members.text("productId", done.productID.rawValue)
    if let countries = done.countries {
      members.value("storefrontCountryCodes", .array(countries.map { .string($0) }))
    }
    members.integer("succeededCount", Int64(done.succeededCount))
    members.integer("failedCount", Int64(done.failedCount))
    return members.object
  }

  /// The members that say which app it is, and where.
  func origin(of bundleID: BundleID) throws(SimulatorError) -> WireMembers {
    let app = try tryRead { core throws(SimulatorError) in try core.app(bundleID) }
    var members = WireMembers()
    members.text("bundleId", bundleID.rawValue)
    if namesAppAppleID { members.integer("appAppleId", app.appAppleID.rawValue) }
    members.text("environment", configuration.environment.rawValue)
    return members
  }

  var namesAppAppleID: Bool {
    configuration.environment == .production || configuration.options.sandboxNamesAppAppleID
  }
}

/// The number of an order on the invoice that the customer gets.
public struct StoreOrderID: Identifier {
  /// The spelling.
  public let rawValue: String
  /// Makes the identifier from its spelling.
  public init(_ rawValue: String) { self.rawValue = rawValue }
}

extension StoreCore {
  /// The same for a billing event, however often it is asked.
  func orderID(of record: StoreTransactionRecord) -> StoreOrderID {
    let event = record.webOrderLineItemID?.rawValue
    var generator = identifiers.derived([
      "order", event ?? record.restoredFrom?.rawValue ?? record.transactionID.rawValue,
    ])
    let signs = Array("0123456789BCDFGHJKLMNPQRSTVWXYZ")
    let rest = (0..<8).map { _ in signs[Int.random(in: 0..<signs.count, using: &generator)] }
    return StoreOrderID("M" + "K" + String(rest))
  }
}

// MARK: Asked for over HTTP

extension SimulatedAppStore {
  func retentionShelf(of app: BundleID) -> RetentionShelf {
    read { $0.state.server.shelves[app] ?? RetentionShelf() }
  }

  func changeRetention(_ event: RetentionEvent, of app: BundleID) throws(SimulatorError) {
    try command { core, now throws(SimulatorError) in
      try (core.state.server.shelves[app] ?? RetentionShelf()).check(event)
      core.append(.server(.retention(app, event)), at: now)
    }
  }

  func extendRenewal(
    of original: OriginalTransactionID,
    days: Int,
    reason: Int,
    request: RequestIdentifier
  ) throws(SimulatorError) -> StoreCore.ExtensionOutcome {
    try command { core, now throws(SimulatorError) in
      try core.extendRenewal(of: original, days: days, reason: reason, request: request, at: now)
    }
  }

  func extendRenewals(
    of product: ProductID,
    app: BundleID,
    days: Int,
    reason: Int,
    request: RequestIdentifier,
    countries: [String]?
  ) throws(SimulatorError) {
    try command { core, now throws(SimulatorError) in
      let asked = MassExtension(
        request: request,
        bundleID: app,
        productID: product,
        days: days,
        reason: reason,
        countries: countries,
        askedDate: now
      )
      core.askMassExtension(asked, at: now)
    }
  }

  func setAppAccountToken(
    _ token: AppAccountToken,
    of id: TransactionID
  ) throws(SimulatorError) {
    try command { core, now throws(SimulatorError) in
      try core.setAppAccountToken(token, of: id, at: now)
    }
  }

  func noteConsumption(
    of id: TransactionID,
    version: Int,
    content: JSONObject
  ) throws(SimulatorError) {
    try command { core, now throws(SimulatorError) in
      try core.noteConsumption(of: id, version: version, content: content, at: now)
    }
  }

  func finishForServer(_ id: TransactionID) throws(SimulatorError) {
    try command { core, now throws(SimulatorError) in try core.finishForServer(id, at: now) }
  }
}
