import AppStoreServerAPI
import IAPModel

/// Which of the notifications that the App Store sent are read again.
struct NotificationReplay: Hashable, Sendable {
  /// Of this type; nil for all.
  var type: NotificationType?
  /// Of this subtype; only together with a type.
  var subtype: NotificationSubtype?
  /// Only those that did not arrive, or not yet.
  var onlyFailures = false
  /// Whether what is missing is only listed.
  var isDryRun = false

  static let fields: [Shape.Field] = [
    .optional("type", .text(max: 256)), .optional("subtype", .text(max: 256)),
    .optional("onlyFailures", .bool), .optional("dryRun", .bool),
  ]

  init(_ object: JSONObject) {
    type = object["type"]?.stringValue.map { NotificationType(rawValue: $0) }
    subtype = object["subtype"]?.stringValue.map { NotificationSubtype(rawValue: $0) }
    onlyFailures = object["onlyFailures"]?.boolValue ?? false
    isDryRun = object["dryRun"]?.boolValue ?? false
  }

  /// What is stored and shown.
  var object: JSONObject {
    var answer = AnswerMembers()
    answer.add("type", type?.rawValue)
    answer.add("subtype", subtype?.rawValue)
    answer.add("onlyFailures", .bool(onlyFailures))
    answer.add("dryRun", .bool(isDryRun))
    return answer.object
  }

  /// Why the App Store would not take the question; nil when it does.
  ///
  /// - Parameter isOfOne: Whether only one customer's are asked for.
  /// - Returns: The mistake.
  func problem(isOfOne: Bool) -> ServerError? {
    if subtype != nil, type == nil {
      return RequestMembers.missing("type", "A subtype needs its type.")
    }
    if isOfOne, type != nil {
      return RequestMembers.invalid("type", "left out when one purchase is named")
    }
    return nil
  }
}

extension SendAttempt {
  /// What the App Store says of an attempt that arrived.
  static let success = "SUCCESS"
}
