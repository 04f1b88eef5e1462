public import Foundation
import HTTPValues
public import IAPModel

/// Which of the sent notifications are asked for.
///
/// The same query has to be sent with every page.
public struct NotificationQuery: Hashable, Sendable {
  /// The furthest back that the App Store remembers, in seconds.
  public static let reach: TimeInterval = 180 * 24 * 60 * 60

  /// Sent at or after this.
  public var start: Date
  /// Sent before this.
  public var end: Date
  /// Of this customer, by any of their transaction ids; excludes ``type``.
  public var transactionID: TransactionID?
  /// Of this type.
  public var type: NotificationType?
  /// Of this subtype; only together with a type.
  public var subtype: NotificationSubtype?
  /// Only those that did not arrive, or not yet.
  public var onlyFailures: Bool

  /// Asks for a span of time.
  ///
  /// - Parameters:
  ///   - start: Sent at or after this.
  ///   - end: Sent before this.
  ///   - transactionID: Of this customer.
  ///   - type: Of this type.
  ///   - subtype: Of this subtype.
  ///   - onlyFailures: Only those that did not arrive, or not yet.
  public init(
    from start: Date,
    to end: Date,
    transactionID: TransactionID? = nil,
    type: NotificationType? = nil,
    subtype: NotificationSubtype? = nil,
    onlyFailures: Bool = false
  ) {
    self.start = start
    self.end = end
    self.transactionID = transactionID
    self.type = type
    self.subtype = subtype
    self.onlyFailures = onlyFailures
  }

  var body: JSONObject {
    var members = [
      JSONMember("startDate", .integer(start.milliseconds)),
      JSONMember("endDate", .integer(end.milliseconds)),
    ]
    if let transactionID {
      members.append(JSONMember("transactionId", .string(transactionID.rawValue)))
    }
    if let type { members.append(JSONMember("notificationType", .string(type.rawValue))) }
    if let subtype {
      members.append(JSONMember("notificationSubtype", .string(subtype.rawValue)))
    }
    if onlyFailures { members.append(JSONMember("onlyFailures", true)) }
    return JSONObject(members)
  }
}

/// What a test notification is asked after with: opaque, good for six months.
public struct TestNotificationToken: Identifier {
  /// The spelling.
  public let rawValue: String
  /// Makes the token from its spelling.
  public init(_ rawValue: String) { self.rawValue = rawValue }
}

extension ServerAPIRequest where Answer == NotificationPage {
  /// A page of the notifications that the App Store sent.
  ///
  /// - Parameters:
  ///   - query: Which notifications.
  ///   - mark: What the page before gave; nil for the first.
  /// - Returns: The request.
  public static func notifications(
    _ query: NotificationQuery,
    from mark: PageMark? = nil
  ) -> Self {
    Self(
      .notificationHistory,
      .post,
      ["inApps", "v1", "notifications", "history"],
      query: mark.map { [(name: "paginationToken", value: $0.rawValue)] } ?? [],
      body: .json(query.body)
    ) { object throws(PayloadError) in try NotificationPage(object) }
  }
}

extension ServerAPIRequest where Answer == TestNotificationToken {
  /// Asks the App Store to send a test notification; each request sends one.
  public static var testNotification: Self {
    Self(
      .requestTestNotification,
      .post,
      ["inApps", "v1", "notifications", "test"],
      isRepeatable: false
    ) { object throws(PayloadError) in
      var reader = MemberReader(object)
      return TestNotificationToken(try reader.requiredText("testNotificationToken"))
    }
  }
}

extension ServerAPIRequest where Answer == SentNotification {
  /// What became of a test notification.
  ///
  /// - Parameter token: What the request for it gave.
  /// - Returns: The request.
  public static func testNotification(_ token: TestNotificationToken) -> Self {
    let path = ["inApps", "v1", "notifications", "test", token.rawValue]
    return Self(.testNotificationStatus, .get, path) { object throws(PayloadError) in
      try SentNotification(object)
    }
  }
}
