import Foundation
public import IAPModel
import IAPSignatures

// The receipts of single transactions that StoreKit 1 gave out before there were app receipts.
extension SimulatedAppStore {
  /// The receipt of one transaction in the form of iOS 6: an old-style property list.
  ///
  /// - Parameter id: The transaction, or a restored copy.
  /// - Returns: The bytes; apps send them to `verifyReceipt` in base64.
  /// - Throws: ``SimulatorError`` with `unknownTransaction` or `signingFailed`.
  public func transactionReceipt(_ id: TransactionID) throws(SimulatorError) -> [UInt8] {
    let (record, app, vendor) = try tryRead { core throws(SimulatorError) in
      let record = try core.transaction(id)
      let device =
        record.device ?? core.state.devices(of: record.account, with: record.bundleID)
        .first ?? DeviceID("")
      return (
        record, try core.app(record.bundleID),
        core.identifiers.uuid(for: ["vendor", device.rawValue])
      )
    }
    var info: [(String, String)] = [
      ("product-id", record.productID.rawValue), ("bid", record.bundleID.rawValue),
      ("bvrs", app.build), ("item-id", String(app.appAppleID.rawValue)),
      ("quantity", String(record.quantity)), ("transaction-id", record.transactionID.rawValue),
      ("original-transaction-id", record.originalTransactionID.rawValue),
      ("purchase-date-ms", String(record.purchaseDate.milliseconds)),
      ("original-purchase-date-ms", String(record.originalPurchaseDate.milliseconds)),
      ("unique-vendor-identifier", vendor.uuidString),
    ]
    if let end = record.expiresDate { info.append(("expires-date", String(end.milliseconds))) }
    if let item = record.webOrderLineItemID {
      info.append(("web-order-line-item-id", item.rawValue))
    }
    let isProduction = configuration.environment == .production
    do throws(CryptoError) {
      return try TransactionReceipt(
        info,
        environment: isProduction ? "Production" : "Sandbox",
        chain: try chainOfReceipts()
      ).bytes
    } catch {
      throw SimulatorError(.signingFailed, "the receipt: \(error.reason)", underlying: error)
    }
  }

  private func chainOfReceipts() throws(CryptoError) -> SigningChain {
    do throws(SimulatorError) {
      return try signer.receiptChain()
    } catch {
      throw CryptoError(code: "signingFailed", reason: error.reason)
    }
  }
}
