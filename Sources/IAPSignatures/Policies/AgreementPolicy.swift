import IAPModel

/// A notification and what it carries are about one app, one environment and one subscription.
///
/// - Source: App Store Server Notifications, `data`; RFC 8725, section 3.11.
struct AgreementPolicy: Sendable {
  let rule = Rule.agreement

  func judge(_ content: NotificationContent) -> Judgement {
    let outer = content.notification
    let transaction = content.transaction
    let renewalInfo = content.renewalInfo
    var parts: [String] = []
    if let transaction {
      if transaction.bundleID != outer.bundleID { parts.append("the app of the transaction") }
      if transaction.environment != outer.environment {
        parts.append("the environment of the transaction")
      }
    }
    if let renewalInfo {
      if renewalInfo.environment != outer.environment {
        parts.append("the environment of the renewal info")
      }
      if let transaction,
        renewalInfo.originalTransactionID != transaction.originalTransactionID
      {
        parts.append("the subscription of the renewal info")
      }
    }
    return parts.isEmpty
      ? .holds : .fails("the notification disagrees on \(parts.joined(separator: ", "))")
  }
}
