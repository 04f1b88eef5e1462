import EntitlementServer
import ServerStorage

/// Everything that can be set for a server, in the order of the reference.
enum ServeSettingTable {
  static let all = server + operating + limits + webhooks + retention + doctor + apps

  /// The settings that are members of an object.
  ///
  /// - Parameter pattern: Empty for the outermost, else with its dot: `limits.`, `apps[].`
  /// - Returns: The settings.
  static func members(of pattern: String) -> [ServeSetting] {
    all.filter {
      $0.path.hasPrefix(pattern) && $0.path.count > pattern.count
        && !$0.path.dropFirst(pattern.count).contains(".")
    }
  }

  /// The setting of a path; there is one for every path that is written in the sources.
  static func setting(_ path: String) -> ServeSetting? { all.first { $0.path == path } }

  private static let server: [ServeSetting] = [
    ServeSetting(
      "listen",
      .address,
      usual: "\"127.0.0.1:8080\"",
      option: "listen",
      "Where to listen; port 0 takes a free one.",
      zh: "监听地址；端口 0 表示任选空闲端口。"
    ),
    ServeSetting(
      "publicURL",
      .url,
      "The address under which the App Store and the apps reach the server, through whatever "
        + "proxy. `iap doctor` asks there too.",
      zh: "App Store 与 App 访问服务器所用的地址（含代理）。“iap doctor”也会访问。"
    ),
    ServeSetting(
      "database",
      .secretText,
      usual: "\"iap.sqlite\"",
      option: "database",
      "A SQLite file, made if it is not there, or `postgres://...`. An address with a password "
        + "belongs into `databaseFile`.",
      zh: "SQLite 文件（不存在则创建）或 postgres://...。带密码的地址应放在 databaseFile 中。"
    ),
    ServeSetting(
      "databaseFile",
      .secretFile,
      option: "database-file",
      "A file that holds the address of the database.",
      zh: "内含数据库地址的文件。"
    ),
    ServeSetting(
      "insecureNoKeys",
      .flag,
      usual: "false",
      option: "insecure-no-keys",
      "Lets everybody in without a key; only when listening on this machine.",
      zh: "无需密钥即可访问；仅限监听本机时使用。"
    ),
    ServeSetting(
      "ocsp",
      .flag,
      usual: "false",
      option: "ocsp",
      "Asks the authorities whether their certificates were revoked; when nobody answers: 503.",
      zh: "向证书机构查询证书是否已被吊销；无法查询时回答 503。"
    ),
    ServeSetting(
      "reconcileEveryHours",
      .integer(0...Int64(90 * 24)),
      usual: "24",
      "How often the ledger is compared with the App Store; 0 for never.",
      zh: "与 App Store 对账的间隔小时数；0 表示从不。"
    ),
    ServeSetting(
      "simulated",
      .flag,
      usual: "false",
      option: "simulated",
      "Trusts the certificates of `roots` in place of Apple's, and marks every answer.",
      zh: "以 roots 的证书代替 Apple 的根证书，并标记每个回答。"
    ),
    ServeSetting(
      "roots",
      .files,
      usual: "[]",
      option: "root",
      "A simulated store's root certificates, DER or PEM; only with `simulated`.",
      zh: "模拟商店的根证书（DER 或 PEM）；仅与 simulated 同用。"
    ),
    ServeSetting(
      "clock",
      .url,
      option: "clock",
      "Follows the clock of the simulated store at this address; only with `simulated`.",
      zh: "跟随该地址上模拟商店的时钟；仅与 simulated 同用。"
    ),
    ServeSetting(
      "apple",
      .url,
      option: "apple",
      "Where a simulated store stands in Apple's place; only with `simulated`.",
      zh: "代替 Apple 的模拟商店地址；仅与 simulated 同用。"
    ),
  ]

  private static let operating: [ServeSetting] = [
    ServeSetting(
      "jsonLog",
      .flag,
      usual: "false",
      option: "json-log",
      "Logs JSON, one line an event.",
      zh: "以 JSON 记录日志，每行一个事件。"
    ),
    ServeSetting(
      "verbose",
      .flag,
      usual: "false",
      option: "verbose",
      "Logs every request.",
      zh: "记录每个请求。"
    ),
    ServeSetting(
      "slowQueryMilliseconds",
      .integer(0...600_000),
      usual: "500",
      "From how many milliseconds a statement of the database, or a whole read or commit, is "
        + "logged as slow, without its values; 0 for never.",
      zh: "数据库语句（或整个读取、提交）达到多少毫秒时记为慢查询（不含参数值）；0 表示从不。"
    ),
  ]

  private static let limits: [ServeSetting] = [
    ServeSetting("limits", .object, "How much is taken.", zh: "各项上限。"),
    ServeSetting(
      "limits.claimLeaseSeconds",
      .integer(Int64(ServerLimits.claimLeaseSecondsMin + 1)...Int64.max),
      usual: "86400",
      "How long the installation that hands over a consumable may be silent before another may "
        + "take its place; clients ask again after six hours, so it is longer than that.",
      zh: "负责发放消耗型商品的安装可以沉默多久；客户端六小时后会再次询问，因此必须更长。"
    ),
    ServeSetting(
      "limits.requestsPerMinuteMax",
      .integer(1...Int64.max),
      usual: "6000",
      "How many requests one key may send in a minute.",
      zh: "每个密钥每分钟可发送的请求数。"
    ),
    ServeSetting(
      "limits.receiptsPerMinuteMax",
      .integer(1...Int64.max),
      usual: "600",
      "How many receipts one address may have judged at `/verifyReceipt` in a minute.",
      zh: "每个地址每分钟可在 /verifyReceipt 提交的收据数。"
    ),
    ServeSetting(
      "limits.connectionsPerAddressMax",
      .integer(1...Int64.max),
      usual: "256",
      "How many connections one address may have at the same time.",
      zh: "每个地址可同时建立的连接数。"
    ),
  ]

  private static let webhooks: [ServeSetting] = [
    ServeSetting(
      "webhooks",
      .object,
      "How events are sent to the endpoints of `/v1/webhooks`.",
      zh: "如何向 /v1/webhooks 的端点发送事件。"
    ),
    ServeSetting(
      "webhooks.attemptsMax",
      .integer(1...1000),
      usual: "12",
      "After how many attempts an event is given up.",
      zh: "尝试多少次后放弃。"
    ),
    ServeSetting(
      "webhooks.timeoutSeconds",
      .integer(1...30),
      usual: "15",
      "How long an endpoint may take to answer.",
      zh: "端点应答的最长秒数。"
    ),
    ServeSetting(
      "webhooks.keepDays",
      .integer(1...3650),
      usual: "30",
      "For how many days events can be replayed.",
      zh: "事件可重放的天数。"
    ),
    ServeSetting(
      "webhooks.retrySeconds",
      .integers(1...(7 * 86_400), countMax: 100),
      usual: "[5,30,120,600,1800,3600,10800,21600,43200,86400]",
      "The waits between attempts, in seconds; the last one is repeated.",
      zh: "两次尝试之间的秒数；最后一个会重复使用。"
    ),
    ServeSetting(
      "webhooks.allowLoopback",
      .flag,
      usual: "false",
      "Lets endpoints be on this machine, without encryption: for tests.",
      zh: "允许端点位于本机且不加密：供测试使用。"
    ),
  ]

  private static let retention: [ServeSetting] = [
    ServeSetting(
      "retention",
      .object,
      "How long the ledger's logs are kept; facts are kept for ever.",
      zh: "账本日志的保留期限；事实永久保留。"
    ),
    ServeSetting(
      "retention.outboxDays",
      .integer(Int64(LogRetention.daysMin)...36_500),
      "For how many days entries can be exported in the order of recording; for ever when it is "
        + "not set. On PostgreSQL whole months are dropped.",
      zh: "按记录顺序导出的记账保留多少天；未设置则永久保留。PostgreSQL 上按整月删除。"
    ),
    ServeSetting(
      "retention.auditDays",
      .integer(Int64(LogRetention.daysMin)...36_500),
      "For how many days the audit log is kept; for ever when it is not set. On PostgreSQL whole "
        + "months are dropped.",
      zh: "审计日志保留多少天；未设置则永久保留。PostgreSQL 上按整月删除。"
    ),
  ]

  private static let doctor: [ServeSetting] = [
    ServeSetting(
      "doctor",
      .object,
      "What `iap doctor` is told beside all this; the server does not look at it.",
      zh: "供“iap doctor”使用的信息；服务器不读取。"
    ),
    ServeSetting(
      "doctor.backupFolder",
      .folder,
      "Where backups of the ledger are put.",
      zh: "账本备份所在的文件夹。"
    ),
    ServeSetting(
      "doctor.backupHoursMax",
      .integer(1...Int64(366 * 24)),
      usual: "26",
      "How old the newest backup may be, in hours.",
      zh: "最新备份允许的最大小时数。"
    ),
    ServeSetting(
      "doctor.freeMegabytesMin",
      .integer(1...Int64(1_000_000_000)),
      usual: "1024",
      "How much room has to be left on the disk of a SQLite ledger and of the backups.",
      zh: "SQLite 账本及备份所在磁盘至少应剩余的 MB 数。"
    ),
    ServeSetting(
      "doctor.storekitFile",
      .file,
      "The `.storekit` file that the products are compared with.",
      zh: "用于比对商品的 .storekit 文件。"
    ),
  ]
}
