import Dashboard
import EntitlementServer
import Foundation
import HTTPValues
import IAPModel
import IAPSignatures
import OpenSSLCrypto
import SQLiteStorage
import ServerStorage

/// How long a page of the dashboard takes above a ledger of many customers.
///
/// The rows are made, and short; what is measured is reading and drawing, with an operator that is
/// logged in. The numbers of the charts are counted before, as a running server does by itself.
enum DashboardBenchmarks {
  /// How many customers there are; the last with `--big` only.
  static let sizes = [10_000, 1_000_000]
  /// How many customers are filled in at a time.
  static let fillCount = 250

  private static let scope = "app=com.example.app&environment=Sandbox"

  /// What is looked at: a word, and the page.
  static let pages: [(name: String, target: String)] = [
    ("Overview", "/dashboard/overview?\(scope)&days=90"),
    ("Customers", "/dashboard/customers?\(scope)"),
    ("Search", "/dashboard/customers?\(scope)&q=customer-7919"),
    ("Customer", "/dashboard/customer?\(scope)&id=customer-7919"),
    ("Orders", "/dashboard/orders?\(scope)"), ("Purchases", "/dashboard/purchases?\(scope)"),
    ("Purchase", "/dashboard/purchase?\(scope)&original=2000000000007919"),
    ("Reviews", "/dashboard/reviews?\(scope)"), ("Audit", "/dashboard/audit?\(scope)"),
    ("Health", "/dashboard/health?\(scope)"),
  ]

  static func make(folder: URL, isBig: Bool) -> [Benchmark] {
    let rig = DashboardRig(folder: folder)
    return sizes.prefix(isBig ? 2 : 1).flatMap { size in
      [
        Benchmark(
          "dashboardCounting\(size)",
          Words("dashboard: entries counted among \(size)", zh: "控制台：在 \(size) 条中统计"),
          limit: "dashboardCounting\(size)",
          way: .quantity(unit: "/s") { await rig.counting(size: size) }
        )
      ]
        + pages.map { page in
          Benchmark(
            "dashboard\(page.name)\(size)",
            Words(
              "dashboard: \(page.name) with \(size) customers",
              zh: "控制台：\(size) 位客户时的 \(page.name)"
            ),
            limit: "dashboard\(page.name)\(size)",
            way: .load { await rig.load(page.target, size: size, seconds: $0) }
          )
        }
    }
  }
}

/// One ledger that grows, and a dashboard above it.
private actor DashboardRig {
  private let path: String
  private var count = 0
  private var site: DashboardSite?
  private var ledger: SQLiteLedger?
  private var cookie = ""
  private let text = [UInt8](repeating: 0x61, count: 200)

  private struct StandingClock: ServerClock {
    func now() async -> Date { Date(milliseconds: 1_700_001_000_000) }
  }

  init(folder: URL) { path = folder.appendingPathComponent("dashboard.sqlite").path }

  /// Counts everything that is new; how many entries that were in a second.
  func counting(size: Int) async -> [Double] {
    guard let site = await filled(to: size) else { return [] }
    var rates: [Double] = []
    var entries = 0
    var watch = Stopwatch()
    // Bound: the entries of the ledger.
    while case let found = await site.count(), found > 0 {
      entries += found
      guard entries >= 2000 else { continue }
      rates.append(Double(entries) / watch.seconds)
      (entries, watch) = (0, Stopwatch())
    }
    return rates
  }

  func load(_ target: String, size: Int, seconds: Double) async -> Benchmark.Load? {
    guard let site = await filled(to: size) else { return nil }
    while await site.count() > 0 {}  // bound: the entries
    let request = HTTPRequest(
      method: .get,
      target: target,
      headers: ["Host": "127.0.0.1", "Cookie": cookie, "Accept-Language": "en"]
    )
    var whole = Benchmark.Load(rates: [], latencies: [])
    for _ in 0..<Benchmark.roundCount {
      let watch = Stopwatch()
      var count = 0
      while watch.seconds < seconds / Double(Benchmark.roundCount) {  // bound: the time
        let one = Stopwatch()
        let response = await site.answer(request)
        let isPage = response.status == 200 && response.body.count > 1000
        guard isPage || response.status == 303 && target.contains("q=") else { return nil }
        whole.latencies.append(one.seconds)
        count += 1
      }
      whole.rates.append(Double(count) / watch.seconds)
    }
    return whole
  }

  private func filled(to size: Int) async -> DashboardSite? {
    guard let site = await opened(), let ledger else { return nil }
    while count < size {  // bound: the size
      let end = min(count + DashboardBenchmarks.fillCount, size)
      let facts = (count..<end).map { IngestBenchmarks.fact(number: $0, text: text) }
      guard let date = facts.first?.receivedDate else { return nil }
      var write = LedgerWrite(date: date, facts: facts)
      write.ownership = (count..<end).map { number in
        OwnershipRequest(
          subject: IngestBenchmarks.subject(number: number),
          customer: CustomerID("customer-\(number)"),
          date: date
        )
      }
      write.orders = (count..<end).map { number in
        OrderRecord(
          number: Self.order(number),
          app: "com.example.app",
          customer: CustomerID("customer-\(number)"),
          productID: "com.example.app.premium.monthly",
          createdDate: date
        )
      }
      guard (try? await ledger.commit(write)) != nil else { return nil }
      count = end
    }
    return site
  }

  private static func order(_ number: Int) -> OrderNumber {
    let digits = String(number, radix: 16)
    let tail = String(repeating: "0", count: 12 - digits.count) + digits
    guard let order = OrderNumber("11111111-2222-4333-8444-" + tail) else {
      preconditionFailure("twelve digits end a UUID")
    }
    return order
  }

  private func opened() async -> DashboardSite? {
    if let site { return site }
    var options = SQLiteLedger.Options()
    options.limits.factsPerWriteMax = DashboardBenchmarks.fillCount
    guard let ledger = try? SQLiteLedger(path: path, options: options),
      let crypto = try? OpenSSLPrimitives(),
      let anchors = try? TrustAnchors.simulated([])
    else { return nil }
    let configuration = ServerConfiguration(
      apps: [ServerApp(bundleID: "com.example.app", appAppleID: nil)]
    )
    let server = EntitlementServer(
      configuration: configuration,
      ledger: ledger,
      verifiers: ServerVerifiers(
        anchors: anchors,
        configuration: configuration,
        crypto: crypto,
        cache: BoundedChainCache()
      ),
      clock: StandingClock(),
      world: .live { _ in }
    )
    let site = DashboardSite(server: server, mill: .live(crypto))
    guard await logIn(site) else { return nil }
    (self.ledger, self.site) = (ledger, site)
    return site
  }

  /// Logs in as a browser does.
  private func logIn(_ site: DashboardSite) async -> Bool {
    let password = site.accounts.newPassword()
    let now = Date(milliseconds: 1_700_001_000_000)
    guard (try? await site.accounts.put("bench", password: password, role: .read, at: now)) != nil
    else { return false }
    let host: HTTPHeaders = ["Host": "127.0.0.1"]
    let door = await site.answer(
      HTTPRequest(method: .get, target: "/dashboard/login", headers: host)
    )
    let page = String(decoding: door.body, as: UTF8.self)
    guard let before = Self.cookie(door),
      let token = page.components(separatedBy: "name=\"token\" value=\"").dropFirst().first?
        .prefix(while: { $0 != "\"" })
    else { return false }
    let entered = await site.answer(
      HTTPRequest(
        method: .post,
        target: "/dashboard/login",
        headers: [
          "Host": "127.0.0.1", "Cookie": before,
          "Content-Type": "application/x-www-form-urlencoded",
        ],
        body: Array("token=\(token)&name=bench&password=\(password)".utf8)
      )
    )
    cookie = Self.cookie(entered) ?? ""
    return entered.status == 303 && !cookie.isEmpty
  }

  private static func cookie(_ response: HTTPResponse) -> String? {
    response.headers["Set-Cookie"].map { String($0.prefix { $0 != ";" }) }
  }
}
