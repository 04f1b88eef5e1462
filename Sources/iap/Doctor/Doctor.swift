import AppStoreServerAPI
import EntitlementServer
import Foundation
import IAPModel
import ServerStorage

/// Examines everything that a server needs; one finding never hides another.
struct Doctor: Sendable {
  /// What the call asks for.
  struct Wishes: Sendable {
    var hours = 72
    var waitSeconds = 60
    var server: String?
    var storekit: String?
    var ids: String?
    var sources: String?
    var isRelease = false
    var infoPlist: String?
    var privacyURL: String?
    var termsURL: String?
  }

  let reader: ServeSettingsReader
  let console: Console
  let world: DoctorWorld
  let wishes: Wishes
  /// What other machines said while they were asked.
  let notes = DoctorNotes()
  var findings: [DoctorFinding] = []
  /// The ledger, while it is open.
  var ledger: (any Ledger)?
  /// Where the App Store took the app's key.
  var accepted: [BundleID: [StoreEnvironment]] = [:]

  init(reader: ServeSettingsReader, console: Console, world: DoctorWorld, wishes: Wishes) {
    self.reader = reader
    self.console = console
    self.world = world
    self.wishes = wishes
  }

  var settings: ServeSettings { reader.settings }

  /// Looks at everything.
  mutating func examine() async {
    examineSettings()
    await examineDatabase()
    examineDisks()
    let clients = makeClients()
    await examineKeys(clients)
    await examineServer()
    examineClocks()
    await examineCatalog()
    await examineNotifications(clients)
    await examineWebhooks()
    if wishes.isRelease { await examineRelease(clients) }
    await ledger?.close()
  }

  mutating func add(
    _ severity: DoctorFinding.Severity,
    _ code: String,
    _ subject: String = "",
    _ seen: Words,
    advice: Words? = nil
  ) {
    findings.append(DoctorFinding(severity, code, subject, seen, advice: advice))
  }

  private mutating func examineSettings() {
    for mistake in reader.mistakes {
      add(
        .error,
        "settings.wrong",
        "",
        mistake.words,
        advice: Words(
          "Mend it; 'iap serve --check' looks at the settings alone.",
          zh: "请改正；“iap serve --check”只检查设置。"
        )
      )
    }
    if reader.mistakes.isEmpty {
      add(.good, "settings", "", Words("the settings can be used", zh: "设置可用"))
    }
    if settings.isSimulated {
      add(
        .warning,
        "settings.simulated",
        "",
        Words("a simulated store is trusted in Apple's place", zh: "以模拟商店代替 Apple"),
        advice: Words(
          "Right for tests. For real money take out simulated, roots, clock and apple.",
          zh: "适用于测试。正式环境请去掉 simulated、roots、clock 和 apple。"
        )
      )
    }
    if !settings.requiresKeys {
      add(
        .warning,
        "settings.noKeys",
        "",
        Words("everybody on this machine may do everything", zh: "本机任何人都可执行任何操作"),
        advice: Words(
          "Take out insecureNoKeys and make keys with 'iap keys create'.",
          zh: "请去掉 insecureNoKeys，并用“iap keys create”创建密钥。"
        )
      )
    }
    if settings.reconcileEvery == nil {
      add(
        .warning,
        "settings.noReconciliation",
        "",
        Words("the ledger is never compared with the App Store", zh: "从不与 App Store 对账"),
        advice: Words(
          "Set reconcileEveryHours to 24, or run 'iap reconcile' every day.",
          zh: "请将 reconcileEveryHours 设为 24，或每天运行“iap reconcile”。"
        )
      )
    }
  }

  /// What asks the App Store for each app that has a key.
  private func makeClients() -> [BundleID: AppStoreServerClient] {
    var apple = world.apple
    apple.send = { [notes, world] in try await notes.send($0, in: world) }
    let hosts = settings.appleAddress.map {
      AppStoreServerHosts(production: $0 + "/production", sandbox: $0 + "/sandbox")
    }
    var clients: [BundleID: AppStoreServerClient] = [:]
    for (app, files) in settings.appleAccess {
      guard let key = files.key.flatMap({ try? $0.key() }) else { continue }
      clients[app] = AppStoreServerClient(
        bundleID: app,
        key: key,
        hosts: hosts ?? .apple,
        policy: CallPolicy(attemptsMax: 2, waitMax: 5, timeout: 15, rateShare: 0.2),
        world: apple
      )
    }
    return clients
  }
}
