import EntitlementServer
import Foundation
import IAPModel

// The part of the configuration file about webhooks.
extension ServeSettingsReader {
  /// The longest wait between two attempts that can be set, in seconds.
  private static let retrySecondsMax: Int64 = 7 * 86_400

  mutating func readWebhooks(_ member: JSONMember) {
    guard let object = member.value.objectValue else {
      wrong("webhooks", "an object", "对象")
      return
    }
    for setting in object.members {
      let place = "\(setting.name) of webhooks"
      switch setting.name {
      case "allowLoopback":
        if let value = setting.value.boolValue {
          settings.allowsLoopbackWebhooks = value
        } else {
          wrong(place, "true or false", "true 或 false")
        }
      case "attemptsMax":
        if let count = number(setting, 1...1000) {
          settings.limits.webhooks.attemptsMax = count
        } else {
          wrong(place, "a whole number from 1 to 1000", "1 到 1000 的整数")
        }
      case "timeoutSeconds":
        if let seconds = number(setting, 1...30) {
          settings.limits.webhooks.timeout = .seconds(seconds)
        } else {
          wrong(place, "a whole number from 1 to 30", "1 到 30 的整数")
        }
      case "keepDays":
        if let days = number(setting, 1...3650) {
          settings.limits.webhooks.memorySeconds = TimeInterval(days) * 86_400
        } else {
          wrong(place, "a whole number from 1 to 3650", "1 到 3650 的整数")
        }
      case "retrySeconds":
        let waits = setting.value.arrayValue?.compactMap(\.integerValue) ?? []
        if !waits.isEmpty, waits.count == setting.value.arrayValue?.count, waits.count <= 100,
          waits.allSatisfy({ (1...Self.retrySecondsMax).contains($0) })
        {
          settings.limits.webhooks.retrySeconds = waits.map { TimeInterval($0) }
        } else {
          wrong(place, "a list of seconds from 1 to a week", "秒数列表（1 秒到一周）")
        }
      default: unknown(setting.name, in: " of webhooks")
      }
    }
  }

  private func number(_ member: JSONMember, _ range: ClosedRange<Int64>) -> Int? {
    member.value.integerValue.flatMap { range.contains($0) ? Int($0) : nil }
  }
}
