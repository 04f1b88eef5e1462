// Keys of `SKReceiptRefreshRequest.receiptProperties`. They ask the sandbox for spoiled receipts;
// the simulated store makes none, so the properties are kept and have no effect.
public let SKReceiptPropertyIsExpired: String = "expired"
public let SKReceiptPropertyIsRevoked: String = "revoked"
public let SKReceiptPropertyIsVolumePurchase: String = "vpp"

/// Ends the app process, which fetches a new receipt when it is launched again.
public func SKTerminateForInvalidReceipt() {
  StoreHostBinding.required().terminateForInvalidReceipt()
}
