import AppStoreSimulator
import Foundation
import IAPModel
import Testing

struct CatalogTests {
  @Test func theDemonstrationIsTheFileInTheRepository() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let file = try Data(contentsOf: root.appending(path: "Demo/Demo.storekit"))
    #expect(String(decoding: file, as: UTF8.self) == DemoCatalog.text)
    let catalog = try DemoCatalog.load()
    #expect(
      catalog.products.map(\.id) == [
        DemoCatalog.coins, DemoCatalog.lifetime, DemoCatalog.season, DemoCatalog.monthly,
        DemoCatalog.yearly,
      ]
    )
    #expect(
      catalog.products.map(\.type) == [
        .consumable, .nonConsumable, .nonRenewable, .autoRenewable, .autoRenewable,
      ]
    )
    #expect(catalog.subscriptions(in: DemoCatalog.group).map(\.id).count == 2)
    #expect(catalog[DemoCatalog.monthly]?.priceMilliunits == 4990)
  }

  @Test(arguments: [
    ("en_US", "100 Coins"), ("zh_Hans", "100 金币"), ("zh-Hans", "100 金币"), ("zh_CN", "100 金币"),
    ("en_GB", "100 Coins"), ("fr_FR", "100 Coins"),
  ])
  func textsFallBackFromLocaleToLanguageToTheFirst(_ locale: String, _ name: String) throws {
    let coins = try #require(try DemoCatalog.load()[DemoCatalog.coins])
    #expect(coins.localization(for: locale)?.displayName == name)
  }

  @Test func unknownKeysAreKept() throws {
    let text = #"{"version":{"major":5,"minor":1,"new":1},"products":[],"brandNew":{"a":[1.50]}}"#
    let catalog = try StoreCatalog(parsing: Array(text.utf8), file: "x.storekit")
    #expect(catalog.version == "5.1")
    #expect(String(decoding: catalog.document.serialized, as: UTF8.self) == text)
  }

  static let badFiles: [(String, String)] = [
    ("", "x.storekit: this is no .storekit file: expected a value at byte 0"),
    ("[]", "x.storekit: this is no .storekit file: the text is JSON but no object"),
    ("{}", "x.storekit: version is missing: this is no .storekit file"),
    (#"{"version":{}}"#, "x.storekit: version.major is missing"),
    (#"{"version":{"major":6}}"#, "x.storekit: version.major is 6; versions 1 to 5 can be read"),
    (#"{"version":{"major":0}}"#, "x.storekit: version.major is 0; versions 1 to 5 can be read"),
    (
      #"{"version":{"major":"4"},"products":[]}"#,
      "x.storekit: version.major is not a whole number"
    ),
    (
      #"{"version":{"major":4}}"#,
      "x.storekit: products is missing, and so is subscriptionGroups"
    ),
    (#"{"version":{"major":4},"products":{}}"#, "x.storekit: products is not a list"),
    (#"{"version":{"major":4},"products":[1]}"#, "x.storekit: products[0] is not an object"),
    (
      #"{"version":{"major":4},"products":[{"type":"Consumable"}]}"#,
      "x.storekit: products[0].productID is missing"
    ),
    (
      #"{"version":{"major":4},"products":[{"productID":"","type":"Consumable"}]}"#,
      "x.storekit: products[0].productID is empty"
    ),
    (
      #"{"version":{"major":4},"products":[{"productID":"a","type":"Toy"}]}"#,
      "x.storekit: products[0].type is \"Toy\"; known are Consumable, NonConsumable, "
        + "NonRenewingSubscription, RecurringSubscription"
    ),
    (
      #"{"version":{"major":4},"products":[{"productID":"a","type":"RecurringSubscription"}]}"#,
      "x.storekit: products[0].type is \"RecurringSubscription\", "
        + "which does not belong in this list"
    ),
    (
      #"""
      {"version":{"major":4},"products":[{"productID":"a","type":"Consumable",
      "displayPrice":"0,99"}]}
      """#,
      "x.storekit: products[0].displayPrice is \"0,99\"; a price looks like 0.99"
    ),
    (
      #"""
      {"version":{"major":4},"products":[{"productID":"a","type":"Consumable"},
      {"productID":"a","type":"Consumable"}]}
      """#,
      "x.storekit: products has the productID \"a\" twice"
    ),
    (
      #"""
      {"version":{"major":4},"subscriptionGroups":[{"id":"g","subscriptions":[
      {"productID":"a","type":"RecurringSubscription","recurringSubscriptionPeriod":"monthly"}]}]}
      """#,
      "x.storekit: subscriptionGroups[0].subscriptions[0].recurringSubscriptionPeriod "
        + "is \"monthly\"; a period looks like P1M"
    ),
    (
      #"""
      {"version":{"major":4},"subscriptionGroups":[{"id":"g","subscriptions":[
      {"productID":"a","type":"RecurringSubscription","recurringSubscriptionPeriod":"P1M",
      "subscriptionGroupID":"h"}]}]}
      """#,
      "x.storekit: subscriptionGroups[0].subscriptions[0].subscriptionGroupID "
        + "is \"h\" inside the group \"g\""
    ),
  ]

  @Test(arguments: badFiles.indices)
  func aBadFileIsRefusedByFileKeyAndReason(_ index: Int) {
    let (text, reason) = Self.badFiles[index]
    do throws(SimulatorError) {
      _ = try StoreCatalog(parsing: Array(text.utf8), file: "x.storekit")
      Issue.record("row \(index) was read")
    } catch {
      #expect(error.code == .badCatalog)
      #expect(error.reason == reason)
    }
  }

  @Test(arguments: [
    (StoreCatalog.productCountMax, true), (StoreCatalog.productCountMax + 1, false),
  ])
  func aCatalogHasAMostNumberOfProducts(_ count: Int, _ isRead: Bool) {
    let products = (0..<count).map { #"{"productID":"p\#($0)","type":"Consumable"}"# }
    let text = #"{"version":{"major":4},"products":[\#(products.joined(separator: ","))]}"#
    let catalog = try? StoreCatalog(parsing: Array(text.utf8), file: "x.storekit")
    #expect((catalog != nil) == isRead)
    if isRead { #expect(catalog?.products.count == count) }
  }
}

/// Where the vectors lie: beside the package, or where `IAP_VECTORS` says.
enum Vectors {
  static let folder: URL? = {
    let environment = ProcessInfo.processInfo.environment["IAP_VECTORS"]
    let root = URL(filePath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let base =
      environment.map { URL(filePath: $0) } ?? root.appending(path: "../shared/vectors")
    let folder = base.appending(path: "storekit-configs")
    return FileManager.default.fileExists(atPath: folder.path) ? folder : nil
  }()

  static func files(_ folder: URL?) -> [URL] {
    guard let folder else { return [] }
    let names = try? FileManager.default.contentsOfDirectory(
      at: folder,
      includingPropertiesForKeys: nil
    )
    return (names ?? []).filter { $0.pathExtension == "storekit" }
      .sorted { $0.path < $1.path }
  }
}

/// Real files of every version, when they lie beside the package.
@Suite(.enabled(if: Vectors.folder != nil, "set IAP_VECTORS to the folder of vectors"))
struct RealCatalogTests {
  @Test func everyFileIsReadAndWrittenBackWithTheSameMeaning() throws {
    let folder = try #require(Vectors.folder)
    let files = Vectors.files(folder) + Vectors.files(folder.appending(path: "derived"))
    #expect(files.count == 33)
    var versions: Set<String> = []
    for file in files {
      let bytes = [UInt8](try Data(contentsOf: file))
      let catalog = try StoreCatalog(parsing: bytes, file: file.lastPathComponent)
      versions.insert(catalog.version)
      let again = try StoreCatalog(parsing: catalog.document.serialized, file: "again")
      #expect(again == catalog, "\(file.lastPathComponent)")
      let name = file.lastPathComponent
      if name.hasPrefix("v") { #expect(name.hasPrefix("v\(catalog.version)-"), "\(name)") }
    }
    #expect(versions == ["1.0", "1.1", "2.0", "3.0", "4.0", "5.0"])
  }

  /// The rows of the table beside the vectors: the file, and what it says of it.
  private static func rows() throws -> [(name: String, text: String)] {
    let file = try #require(Vectors.folder).deletingLastPathComponent().appending(path: "README.md")
    let text = try String(decoding: Data(contentsOf: file), as: UTF8.self)
    return text.split(separator: "\n").compactMap { line in
      let cells = line.split(separator: "|", omittingEmptySubsequences: false)
        .map { $0.trimmingCharacters(in: .whitespaces) }
      guard cells.count >= 7, cells[1].hasSuffix(".storekit") else { return nil }
      return (cells[1], cells[5])
    }
  }

  @Test func everyFileHasWhatItsRowPromises() throws {
    let folder = try #require(Vectors.folder)
    let rows = try Self.rows()
    let files = Vectors.files(folder) + Vectors.files(folder.appending(path: "derived"))
    #expect(Set(rows.map { $0.name.split(separator: "/").last.map(String.init) }).count == 33)
    #expect(rows.count == files.count)
    for row in rows {
      let bytes = [UInt8](try Data(contentsOf: folder.appending(path: row.name)))
      let catalog = try StoreCatalog(parsing: bytes, file: row.name)
      #expect(CatalogRow(catalog).text == CatalogRow.sorted(row.text), "\(row.name)")
    }
  }

  @Test(arguments: [
    ("fail-load-products", "Load Products"), ("fail-purchase", "Purchase"),
    ("fail-verification", "Verification"),
  ])
  func whatAFileLetsFailFails(_ name: String, _ part: String) throws {
    let file = try #require(Vectors.folder).appending(path: "derived/\(name).storekit")
    let bytes = [UInt8](try Data(contentsOf: file))
    let test = try TestStore(
      environment: .xcode,
      catalog: try StoreCatalog(parsing: bytes, file: name)
    )
    let id: ProductID = "pellet.single"
    let products = try? test.store.products([id], on: test.phone)
    #expect((products == nil) == (part == "Load Products"))
    let outcome = try test.store.purchase(PurchaseRequest(device: test.phone, productID: id))
    #expect((outcome == .failed(.paymentFailed)) == (part == "Purchase"))
    guard case .purchased(let record) = outcome else { return }
    let plain = try test.store.signedTransaction(record.transactionID)
    let signed = try test.store.signedTransaction(record.transactionID, on: test.phone)
    let again = try test.store.signedTransaction(record.transactionID, on: test.phone)
    #expect(signed == again && signed != plain)
    let isBroken = try !Signed.isSigned(signed, by: test.store)
    #expect(isBroken == (part == "Verification"))
  }

  @Test(arguments: [
    ("ask-to-buy-on", "asksToBuy"), ("interrupted-purchases-on", "interrupts"),
    ("billing-issues-without-grace", "failsRenewals"), ("fail-purchase", "fails"),
    ("billing-grace-period-and-renewal-issues-on", "failsRenewals grace"),
    ("time-rate-and-storefront-cn", "CHN rate 6"),
  ])
  func theSettingsOfAFileAreRead(_ name: String, _ expected: String) throws {
    let folder = try #require(Vectors.folder)
    let file = folder.appending(path: "derived/\(name).storekit")
    let bytes = [UInt8](try Data(contentsOf: file))
    let settings = try StoreCatalog(parsing: bytes, file: name).settings
    var words: [String] = []
    if settings.asksToBuy { words.append("asksToBuy") }
    if settings.interruptsPurchases { words.append("interrupts") }
    if settings.failsRenewals { words.append("failsRenewals") }
    if settings.failsTransactions { words.append("fails") }
    if settings.hasGracePeriod { words.append("grace") }
    if settings.storefront != "USA" { words.append(settings.storefront) }
    if settings.timeRate != 0 { words.append("rate \(settings.timeRate)") }
    #expect(words.joined(separator: " ") == expected)
  }
}

/// A catalog in the words of the table.
private struct CatalogRow {
  let text: String

  init(_ catalog: StoreCatalog) {
    let document = catalog.document
    func count(_ type: ProductType) -> Int { catalog.products.count { $0.type == type } }
    let types: [(String, ProductType)] = [
      ("Consumable", .consumable), ("NonConsumable", .nonConsumable),
      ("NonRenewingSubscription", .nonRenewable),
    ]
    let products = types.filter { count($0.1) > 0 }.map { "'\($0.0)': \(count($0.1))" }.sorted()
    let plans = catalog.products.compactMap(\.subscription)
    let groups = document["subscriptionGroups"]?.arrayValue ?? []
    let raw = groups.flatMap { $0.objectValue?["subscriptions"]?.arrayValue ?? [] }
      .compactMap(\.objectValue)
    var offers: [(String, Int)] = [
      ("adHocOffers", plans.reduce(0) { $0 + $1.promotionalOffers.count }),
      ("codeOffers", plans.reduce(0) { $0 + $1.codeOffers.count }),
      ("winbackOffers", plans.reduce(0) { $0 + $1.winBackOffers.count }),
      (
        "family shareable",
        catalog.products.count { $0.isFamilyShareable && $0.subscription != nil }
      ),
    ]
    for key in ["introductoryOffers", "billingPlans"] {
      offers.append((key, raw.reduce(0) { $0 + ($1[key]?.arrayValue?.count ?? 0) }))
    }
    for mode in ["free", "payAsYouGo", "payUpFront"] {
      let count = plans.count { $0.introductoryOffer?.paymentMode.rawValue == mode }
      offers.append(("intro \(mode)", count))
    }
    let settings = document["settings"]?.objectValue ?? [:]
    let locales = Set(catalog.products.flatMap { $0.localizations.map(\.locale) }).sorted()
    let isOn = settings.members.filter { $0.value == true }.map { "'\($0.name)'" }.sorted()
    let storefront = settings["_storefront"] == nil ? "-" : catalog.settings.storefront
    let rate = settings["_timeRate"] == nil ? "-" : String(catalog.settings.timeRate)
    text = [
      "v\(catalog.version)", "products {\(products.joined(separator: ", "))}",
      "\(groups.count) groups, \(plans.count) subscriptions",
      offers.filter { $0.1 > 0 }.map { "\($0.0) \($0.1)" }.sorted().joined(separator: ", "),
      "locales \(locales.isEmpty ? "-" : locales.joined(separator: ","))",
      "storefront \(storefront)", "timeRate \(rate)",
      "switched on: \(isOn.isEmpty ? "nothing" : "[\(isOn.joined(separator: ", "))]")",
      "first product \(Self.first(document))",
    ].joined(separator: "; ")
  }

  private static func first(_ document: JSONObject) -> String {
    let lists = ["products", "subscriptionGroups"].map { document[$0]?.arrayValue ?? [] }
    let inGroup = lists[1].first?.objectValue?["subscriptions"]?.arrayValue?.first
    return (lists[0].first ?? inGroup)?.objectValue?["productID"]?.stringValue ?? "-"
  }

  /// A row with the things of a list in the order of the alphabet.
  static func sorted(_ text: String) -> String {
    text.split(separator: ";", omittingEmptySubsequences: false).map { part in
      let part = part.trimmingCharacters(in: .whitespaces)
      if part.hasPrefix("products {") {
        let inside = part.dropFirst("products {".count).dropLast()
        return "products {\(list(String(inside)))}"
      }
      let isOffers =
        part.contains("Offers ") || part.hasPrefix("intro ") || part.hasPrefix("family")
      return isOffers ? list(part) : part
    }.joined(separator: "; ")
  }

  private static func list(_ text: String) -> String {
    text.components(separatedBy: ", ").sorted().joined(separator: ", ")
  }
}
