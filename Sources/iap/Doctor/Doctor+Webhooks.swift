import EntitlementServer
import Foundation
import IAPModel
import ServerStorage

// Whether the app's own backend hears what happens.
extension Doctor {
  /// How old the oldest event may be, in seconds.
  static let webhookSecondsMax: TimeInterval = 900

  mutating func examineWebhooks() async {
    guard let ledger else { return }
    let now = await storeNow() ?? world.now()
    for app in settings.apps {
      let limits = settings.limits.webhooks
      let found: [WebhookHealth]
      do throws(StorageError) {
        found = try await ledger.read { reader throws(StorageError) in
          try WebhookHealth.all(of: app.bundleID, limits, reader)
        }
      } catch {
        add(.error, "webhooks.unreadable", app.bundleID.rawValue, Words(error.description))
        continue
      }
      if found.isEmpty {
        add(
          .note,
          "webhooks.none",
          app.bundleID.rawValue,
          Words("no endpoint is set up", zh: "未设置端点"),
          advice: Words(
            "A backend that only asks needs none; else POST /v1/webhooks (docs/webhooks.md).",
            zh: "只查询的后端不需要；否则请 POST /v1/webhooks（见 docs/webhooks.md）。"
          )
        )
      }
      for endpoint in found { judge(endpoint, now) }
    }
  }

  private mutating func judge(_ endpoint: WebhookHealth, _ now: Date) {
    let subject = "\(endpoint.app), \(endpoint.id)"
    if !endpoint.isEnabled {
      add(
        .warning,
        "webhooks.disabled",
        subject,
        Words(
          "it is disabled (\(endpoint.reason ?? "by hand"))",
          zh: "已停用（\(endpoint.reason ?? "人工")）"
        ),
        advice: Words("Mend it and enable it, or delete it.", zh: "请修复后启用，或将其删除。")
      )
      return
    }
    var isGood = true
    if let oldest = endpoint.oldest, now.timeIntervalSince(oldest) > Self.webhookSecondsMax {
      isGood = false
      let minutes = Int(now.timeIntervalSince(oldest) / 60)
      add(
        .error,
        "webhooks.behind",
        subject,
        Words(
          "an event has waited for \(minutes) minutes; \(endpoint.pending) wait",
          zh: "有事件已等待 \(minutes) 分钟；共 \(endpoint.pending) 个在等待"
        ),
        advice: Words(
          "GET /v1/webhooks/ID/deliveries shows status and time of each attempt. When the endpoint "
            + "answers 2xx again, sending goes on by itself.",
          zh: "GET /v1/webhooks/ID/deliveries 显示每次尝试的状态与时间。端点恢复 2xx 后会自动继续。"
        )
      )
    }
    if endpoint.deadLetters > 0 {
      isGood = false
      add(
        .warning,
        "webhooks.dead",
        subject,
        Words("\(endpoint.deadLetters) events were given up", zh: "\(endpoint.deadLetters) 个事件已放弃"),
        advice: Words(
          "POST /v1/webhooks/ID/replay sends them again.",
          zh: "POST /v1/webhooks/ID/replay 可重新发送。"
        )
      )
    }
    if isGood { add(.good, "webhooks", subject, Words("nothing waits", zh: "没有等待的事件")) }
  }
}
