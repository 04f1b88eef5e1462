import Foundation
import IAPModel

// How the App Store writes its answers.
//
// - **Source:** App Store Server API, response objects.

extension JSONObject {
  /// Refuses an answer that has none of the members that every such answer has: an empty page of
  /// somebody between us and the App Store is no empty list.
  fileprivate func mustHaveOne(of names: String...) throws(PayloadError) {
    guard names.contains(where: { self[$0] != nil }) else {
      throw PayloadError(.missingMember, "members \(names.joined(separator: ", ")) are missing")
    }
  }
}

extension TransactionPage {
  init(_ object: JSONObject) throws(PayloadError) {
    try object.mustHaveOne(of: "signedTransactions", "hasMore", "revision")
    var reader = MemberReader(object)
    signedTransactions = try reader.texts("signedTransactions") ?? []
    mark = try reader.identifier("revision")
    hasMore = try reader.bool("hasMore") ?? false
    bundleID = try reader.identifier("bundleId")
    environment = try reader.open("environment")
  }
}

extension SubscriptionStatuses {
  init(_ object: JSONObject) throws(PayloadError) {
    try object.mustHaveOne(of: "data", "environment", "bundleId")
    var reader = MemberReader(object)
    bundleID = try reader.identifier("bundleId")
    environment = try reader.open("environment")
    var items: [Item] = []
    for group in try reader.objects("data") ?? [] {
      var groupReader = MemberReader(group)
      let groupID = SubscriptionGroupID(
        try groupReader.requiredText("subscriptionGroupIdentifier")
      )
      for last in try groupReader.objects("lastTransactions") ?? [] {
        items.append(try Item(last, groupID: groupID))
      }
    }
    self.items = items
  }
}

extension SubscriptionStatuses.Item {
  fileprivate init(_ object: JSONObject, groupID: SubscriptionGroupID) throws(PayloadError) {
    var reader = MemberReader(object)
    self.groupID = groupID
    originalTransactionID = OriginalTransactionID(
      try reader.requiredText("originalTransactionId")
    )
    guard let status = try reader.smallInteger("status") else {
      throw PayloadError(.missingMember, "member status is missing")
    }
    self.status = SubscriptionStatus(rawValue: status)
    signedTransaction = try reader.requiredText("signedTransactionInfo")
    signedRenewalInfo = try reader.requiredText("signedRenewalInfo")
  }
}

extension OrderLookup {
  init(_ object: JSONObject) throws(PayloadError) {
    var reader = MemberReader(object)
    guard let status = try reader.smallInteger("status") else {
      throw PayloadError(.missingMember, "member status is missing")
    }
    isValid = status == 0
    signedTransactions = try reader.texts("signedTransactions") ?? []
  }
}

extension ExtensionAnswer {
  init(_ object: JSONObject) throws(PayloadError) {
    var reader = MemberReader(object)
    originalTransactionID = OriginalTransactionID(
      try reader.requiredText("originalTransactionId")
    )
    isDone = try reader.bool("success") ?? false
    effectiveDate = try reader.date("effectiveDate")
  }
}

extension MassExtensionStatus {
  init(_ object: JSONObject) throws(PayloadError) {
    try object.mustHaveOne(of: "complete", "requestIdentifier")
    var reader = MemberReader(object)
    isComplete = try reader.bool("complete") ?? false
    completeDate = try reader.date("completeDate")
    succeededCount = try reader.integer("succeededCount")
    failedCount = try reader.integer("failedCount")
  }
}

extension SentNotification {
  init(_ object: JSONObject) throws(PayloadError) {
    var reader = MemberReader(object)
    signedPayload = try reader.requiredText("signedPayload")
    var attempts: [SendAttempt] = []
    for attempt in try reader.objects("sendAttempts") ?? [] {
      var attemptReader = MemberReader(attempt)
      attempts.append(
        SendAttempt(
          date: try attemptReader.requiredDate("attemptDate"),
          result: try attemptReader.requiredText("sendAttemptResult")
        )
      )
    }
    self.attempts = attempts
  }
}

extension NotificationPage {
  init(_ object: JSONObject) throws(PayloadError) {
    try object.mustHaveOne(of: "notificationHistory", "hasMore")
    var reader = MemberReader(object)
    var notifications: [SentNotification] = []
    for item in try reader.objects("notificationHistory") ?? [] {
      notifications.append(try SentNotification(item))
    }
    self.notifications = notifications
    mark = try reader.identifier("paginationToken")
    hasMore = try reader.bool("hasMore") ?? false
  }
}
