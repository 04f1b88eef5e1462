import AppStoreServerAPI
import EntitlementServer
import Foundation
import IAPModel
import IAPSignatures
import ServerStorage

// Whether everything that the App Store sent is in the ledger.
extension Doctor {
  /// The most pages of the notification history that are read.
  private static let pagesMax = 50
  /// How many missing notifications are named.
  private static let namedMax = 5

  /// What the App Store's history says beside the ledger.
  private struct History {
    var count = 0
    /// How often each result was the last one of a notification that did not arrive.
    var failures: [String: Int] = [:]
    var missing: [String] = []
    var otherApps: Set<String> = []
    var otherNumbers: Set<Int64> = []
    var hasMore = false
  }

  /// The instant at the App Store: a simulated store has a clock of its own.
  func storeNow() async -> Date? {
    guard case .followed(let url) = settings.clock else { return world.now() }
    do throws(CommandError) { return await (try await FollowedClock(following: url)).now() } catch {
      return nil
    }
  }

  /// An app's environments, real money first.
  func environments(of app: ServerApp) -> [StoreEnvironment] {
    [.production, .sandbox].filter { app.environments.contains($0) }
  }

  mutating func examineNotifications(_ clients: [BundleID: AppStoreServerClient]) async {
    guard let now = await storeNow() else {
      add(
        .error,
        "clock.followed",
        "",
        Words("the simulated store's clock does not answer", zh: "模拟商店的时钟没有应答"),
        advice: Words("Start the store, or mend clock.", zh: "请启动商店，或更正 clock。")
      )
      return
    }
    for app in settings.apps {
      guard let client = clients[app.bundleID] else { continue }
      for environment in accepted[app.bundleID] ?? [] {
        let subject = "\(app.bundleID), \(environment)"
        do throws(AppStoreServerError) {
          let history = try await history(client, app, environment, now)
          judge(history, subject)
        } catch {
          add(
            .warning,
            "notifications.unknown",
            subject,
            Words(
              "the App Store's notification history could not be read (\(error))",
              zh: "无法读取 App Store 的通知历史（\(error)）"
            ),
            advice: Words("Try again later.", zh: "请稍后重试。")
          )
        }
      }
    }
  }

  private func history(
    _ client: AppStoreServerClient,
    _ app: ServerApp,
    _ environment: StoreEnvironment,
    _ now: Date
  ) async throws(AppStoreServerError) -> History {
    var history = History()
    let query = NotificationQuery(
      from: now.addingTimeInterval(-Double(wishes.hours) * 3600),
      to: now
    )
    var mark: PageMark?
    for page in 1...Self.pagesMax {
      let answer = try await client.answer(to: .notifications(query, from: mark), in: environment)
      for sent in answer.notifications { await take(sent, app, environment, &history) }
      guard answer.hasMore, let next = answer.mark else { break }
      mark = next
      history.hasMore = page == Self.pagesMax
    }
    return history
  }

  private func take(
    _ sent: SentNotification,
    _ app: ServerApp,
    _ environment: StoreEnvironment,
    _ history: inout History
  ) async {
    // Apple's own connection is believed here: nothing is recorded.
    guard let payload = Self.payload(sent.signedPayload),
      payload["notificationType"] != "TEST"
    else { return }
    history.count += 1
    let results = sent.attempts.sorted { $0.date < $1.date }.map(\.result)
    if !results.contains("SUCCESS") {
      history.failures[results.last ?? "NOT_SENT_YET", default: 0] += 1
    }
    let data = payload["data"]?.objectValue
    if let bundle = data?["bundleId"]?.stringValue, bundle != app.bundleID.rawValue {
      history.otherApps.insert(bundle)
    }
    if let number = data?["appAppleId"]?.integerValue, let own = app.appAppleID,
      number != own.rawValue
    {
      history.otherNumbers.insert(number)
    }
    guard let uuid = payload["notificationUUID"]?.stringValue, await !knows(uuid, app, environment)
    else { return }
    let type = payload["notificationType"]?.stringValue ?? ""
    history.missing.append("\(type) \(uuid)")
  }

  /// Whether the ledger has a notification; true where there is no ledger to look in.
  func knows(_ uuid: String, _ app: ServerApp, _ environment: StoreEnvironment) async -> Bool {
    guard let ledger else { return true }
    let key = FactKey.notification(NotificationUUID(uuid))
    let scope = LedgerScope(app: app.bundleID, environment: environment)
    do throws(StorageError) {
      return try await ledger.read { reader throws(StorageError) in
        try reader.fact(key, in: scope) != nil
      }
    } catch {
      return true
    }
  }

  /// What a compact JWS says, unverified.
  static func payload(_ text: String) -> JSONObject? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let bytes = Base64.decode(Array(parts[1].utf8), .url) else {
      return nil
    }
    return try? JSONParser.parseObject(bytes)
  }

  private mutating func judge(_ history: History, _ subject: String) {
    judgeOrigin(history, subject)
    for (result, count) in history.failures.sorted(by: { $0.key < $1.key }) {
      add(
        .warning,
        "notifications.undelivered",
        subject,
        Words(
          "\(count) notifications did not arrive: \(result)",
          zh: "\(count) 个通知未送达：\(result)"
        ),
        advice: Self.advice(result)
      )
    }
    if !history.missing.isEmpty {
      let named = history.missing.prefix(Self.namedMax).joined(separator: "; ")
      add(
        .error,
        "notifications.missing",
        subject,
        Words(
          "\(history.missing.count) of \(history.count) are not in the ledger: \(named)",
          zh: "\(history.count) 个通知中有 \(history.missing.count) 个不在账本中：\(named)"
        ),
        advice: Words(
          "Have them read again: iap notifications replay (the server grants each once).",
          zh: "请重新读取：iap notifications replay（服务器只发放一次）。"
        )
      )
    } else if ledger != nil {
      add(
        .good,
        "notifications",
        subject,
        Words(
          "all \(history.count) of the last \(wishes.hours) hours are in the ledger",
          zh: "最近 \(wishes.hours) 小时的 \(history.count) 个通知均在账本中"
        )
      )
    }
    if history.hasMore {
      add(
        .note,
        "notifications.more",
        subject,
        Words("there are more than were looked at", zh: "还有更多未查看"),
        advice: Words(
          "Give fewer --hours, or run 'iap reconcile'.",
          zh: "请减少 --hours，或运行“iap reconcile”。"
        )
      )
    }
  }

  private mutating func judgeOrigin(_ history: History, _ subject: String) {
    if !history.otherApps.isEmpty {
      add(
        .error,
        "environment.app",
        subject,
        Words(
          "the App Store speaks of \(history.otherApps.sorted().joined(separator: ", "))",
          zh: "App Store 返回的是 \(history.otherApps.sorted().joined(separator: "、"))"
        ),
        advice: Words("Mend bundle: the key asks for another app.", zh: "请更正 bundle：密钥询问的是其他 App。")
      )
    }
    guard !history.otherNumbers.isEmpty else { return }
    let numbers = history.otherNumbers.sorted().map(String.init).joined(separator: ", ")
    add(
      .error,
      "environment.appId",
      subject,
      Words("the app's number at Apple is \(numbers)", zh: "App 的 Apple ID 实为 \(numbers)"),
      advice: Words(
        "Set appAppleId to it: until then every production notification is refused.",
        zh: "请将 appAppleId 设为该值：否则所有生产环境通知都会被拒绝。"
      )
    )
  }

  /// What to do about a delivery that failed, by what the App Store says of it.
  static func advice(_ result: String) -> Words {
    switch result {
    case "TIMED_OUT":
      Words(
        "The server took too long: look at iap_http_request_seconds and at the disk.",
        zh: "服务器应答过慢：请查看 iap_http_request_seconds 和磁盘。"
      )
    case "TLS_ISSUE":
      Words(
        "Apple does not trust the certificate: whole chain, right name, TLS 1.2 or newer.",
        zh: "Apple 不信任该证书：请检查完整证书链、域名和 TLS 1.2 以上。"
      )
    case "CIRCULAR_REDIRECT":
      Words(
        "The proxy redirects: enter the address that it leads to.",
        zh: "代理发生重定向：请填写最终地址。"
      )
    case "NO_RESPONSE", "SOCKET_ISSUE", "PREMATURE_CLOSE":
      Words(
        "Nothing answers there, or a firewall closes the connection: let 17.0.0.0/8 in.",
        zh: "该地址没有应答，或被防火墙关闭：请放行 17.0.0.0/8。"
      )
    case "UNSUCCESSFUL_HTTP_RESPONSE_CODE":
      Words(
        "Something answers with an error: path /v1/notifications/apple, and look for 'failure' "
          + "in the server's log.",
        zh: "应答为错误：路径应为 /v1/notifications/apple；请在服务器日志中查找 failure。"
      )
    case "NOT_SENT_YET":
      Words("The App Store has not tried yet.", zh: "App Store 尚未尝试。")
    default:
      Words(
        "What answers is not this server: look at the proxy's rules.",
        zh: "应答者不是本服务器：请检查代理规则。"
      )
    }
  }
}
