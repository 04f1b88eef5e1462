import IAPModel

/// The receipt belongs to the device, where the caller names one.
///
/// - Source: Apple, "Validating receipts on the device", step 6.
struct DeviceHashPolicy: ReceiptPolicy {
  let rule = Rule.deviceHash

  func judge(_ evidence: ReceiptEvidence) -> Judgement {
    guard let deviceID = evidence.deviceID else { return .holds }
    guard let payload = evidence.reading?.payload else { return .open }
    guard let opaque = payload.opaqueValue, let hash = payload.deviceHash,
      let bundle = payload.bundleIDElement
    else { return .fails("the receipt carries no device hash") }
    return evidence.crypto.digest(.sha1, deviceID + opaque + bundle) == hash
      ? .holds : .fails("the receipt was made for another device")
  }
}
