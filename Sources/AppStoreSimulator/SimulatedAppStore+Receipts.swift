import Foundation
import IAPModel
import IAPSignatures

// The app receipt of StoreKit 1.
extension SimulatedAppStore {
  /// The app receipt as it lies on the device: PKCS#7, signed by a chain of its own.
  ///
  /// It says what it said when it was last brought up to date: at a purchase on the device, a
  /// restore, or ``refreshReceipt(on:)``.
  ///
  /// - Parameter device: The device.
  /// - Returns: DER; nil while there is none, which in the sandbox is so until the first purchase.
  /// - Throws: ``SimulatorError`` with `unknownDevice` or `signingFailed`.
  public func receipt(on device: DeviceID) throws(SimulatorError) -> [UInt8]? {
    let writer = try receiptWriter(device)
    guard let writer else { return nil }
    return try signer.receipt(
      writer,
      digest: configuration.options.signsReceiptsOverSHA1 ? .sha1 : .sha256,
      fault: faults.signature
    )
  }

  /// Brings the receipt up to date, as a refresh request or an observer that starts does.
  ///
  /// - Parameter device: The device.
  /// - Throws: ``SimulatorError`` with `unreachable` or `unknownDevice`.
  public func refreshReceipt(on device: DeviceID) throws(SimulatorError) {
    try command { core, now throws(SimulatorError) in
      try core.refreshReceipt(on: device, at: now)
    }
  }

  private func receiptWriter(_ id: DeviceID) throws(SimulatorError) -> ReceiptWriter? {
    try tryRead { core throws(SimulatorError) in
      guard let snapshot = try core.device(id).receipt else { return nil }
      return try receiptWriter(core, device: id, snapshot: snapshot)
    }
  }

  func receiptWriter(
    _ core: StoreCore,
    device id: DeviceID,
    snapshot: ReceiptSnapshot
  ) throws(SimulatorError) -> ReceiptWriter {
    let isProduction = configuration.environment == .production
    let app = try core.app(try core.device(id).bundleID)
    let installed = core.installationDate(of: id) ?? configuration.start
    return ReceiptWriter(
      app: app,
      environment: configuration.environment,
      snapshot: snapshot,
      originalPurchaseDate: isProduction ? installed : Self.sandboxOriginalPurchaseDate,
      originalVersion: isProduction ? app.build : "1.0",
      deviceIdentifier: core.identifiers.uuid(for: ["vendor", id.rawValue]),
      generator: core.identifiers.derived([
        "receipt", id.rawValue, String(snapshot.creationDate.milliseconds),
      ])
    )
  }
}
