import Foundation
import Testing

/// Uses of newer symbols that are right all the same, as "file name: symbol", with a reason.
private let excused: Set<String> = []

/// The modules of the toolchain that the client uses.
private let toolchainModules = [
  "Swift", "_Concurrency", "_StringProcessing", "Synchronization", "FoundationEssentials",
  "FoundationInternationalization", "Foundation", "FoundationNetworking", "Dispatch",
]

@Suite("Availability")
struct AvailabilityTests {
  /// Where the running tests were built.
  private static let products = URL(fileURLWithPath: CommandLine.arguments[0])
    .resolvingSymlinksInPath().deletingLastPathComponent()
  private static let index = products.appendingPathComponent("index/store").path
  private static let modules = products.appendingPathComponent("Modules").path
  static var hasIndex: Bool { FileManager.default.fileExists(atPath: index + "/v5") }

  @Test(
    "the client uses nothing newer than its floor outside a check",
    .enabled(if: hasIndex, "only debug builds leave an index")
  )
  func clientKeepsToItsFloor() throws {
    let tools = try Toolchain()
    let store = try #require(IndexStore(path: Self.index, library: tools.indexLibrary))
    let versions = try SymbolVersions.load(
      modules: toolchainModules,
      storeKitFolder: Self.modules,
      tools: tools
    )
    let uses = store.uses(inModules: ClientModules.names)
    // The check is worth nothing if it does not see the client, or StoreKit 2 in it.
    #expect(uses.count > 10_000)
    #expect(uses.count { if case .newer = versions[$0.usr] { true } else { false } } > 100)
    for module in ClientModules.names {
      #expect(!store.uses(inModules: [module]).isEmpty, "nothing of \(module) is in the index")
    }
    let findings = try AvailabilityFindings(versions, excused: excused).of(uses)
    guard !findings.isEmpty else { return }
    Issue.record(
      """
      \(findings.count) uses of what the oldest systems (\(SystemVersions.floor)) may lack:
      \(findings.joined(separator: "\n"))
      Instead: use the older form, or ask with
      'if #available(iOS 15, macOS 12, tvOS 15, watchOS 8, *)', or leave the system out
      with '#if os(...)'. A symbol whose age the toolchain does not know goes to
      Tests/Tables/undated-symbols.tsv once somebody has looked it up.
      """
    )
  }

  @Test("a newer symbol is found, and is accepted where the source asks for its system")
  func findsNewerSymbols() throws {
    let findings = try findings(
      in: """
        import Foundation
        func bad() -> Date { Date.now }
        func good() -> Date {
          if #available(iOS 15, macOS 12, tvOS 15, watchOS 8, *) { return Date.now }
          return Date(timeIntervalSince1970: 0)
        }
        func alsoBad() -> Duration? { nil }
        func forgotTheWatch() -> Date? {
          if #available(iOS 15, macOS 12, tvOS 15, *) { return Date.now }
          return nil
        }
        #if os(macOS) || os(Linux)
        @available(macOS 12, *)
        func onlyThere() -> Date { Date.now }
        #endif
        """
    )
    #expect(
      findings == [
        "Sample.swift:2: now: iOS 15.0 (promised 14.0), macOS 12.0 (promised 11.0),"
          + " tvOS 15.0 (promised 14.0), watchOS 8.0 (promised 7.0)",
        "Sample.swift:7: Duration: iOS 16.0 (promised 14.0), macOS 13.0 (promised 11.0),"
          + " tvOS 16.0 (promised 14.0), watchOS 9.0 (promised 7.0)",
        "Sample.swift:9: now: watchOS 8.0 (promised 7.0)",
      ]
    )
  }

  @Test(
    "a name of StoreKit that a system lacks is found, and one that Apple has not",
    .enabled(if: hasIndex, "needs the built StoreKit module")
  )
  func findsMissingSystems() throws {
    let findings = try findings(
      in: """
        import StoreKit
        @available(iOS 16.4, macOS 14.4, tvOS 16.4, watchOS 9.4, *)
        func bad() async { for await _ in PurchaseIntent.intents {} }
        #if os(iOS) || os(macOS) || os(Linux)
        @available(iOS 16.4, macOS 14.4, *)
        func good() async { for await _ in PurchaseIntent.intents {} }
        #endif
        @available(iOS 16.4, macOS 14.4, *)
        @available(tvOS, unavailable)
        @available(watchOS, unavailable)
        @available(visionOS, unavailable)
        func alsoGood() async { for await _ in PurchaseIntent.intents {} }
        @available(iOS 15, macOS 12, tvOS 15, watchOS 8, *)
        func old() -> Bool { AppStore.canMakePayments }
        """,
      storeKit: Self.modules
    )
    #expect(!findings.isEmpty)
    #expect(findings.allSatisfy { $0.hasPrefix("Sample.swift:3: ") })
    #expect(
      findings.contains(
        "Sample.swift:3: PurchaseIntent: not on tvOS, not on watchOS, not on visionOS"
      )
    )
  }

  @Test("a symbol whose age nobody has looked up is found")
  func findsUndatedSymbols() throws {
    let sample = """
      import Foundation
      func guarded() -> NSLock { NSLock() }
      func odd() -> UnitDuration { UnitDuration.hours }
      """
    let findings = try findings(in: sample)
    #expect(findings.contains { $0.hasPrefix("Sample.swift:3: UnitDuration") })
    #expect(!findings.contains { $0.hasPrefix("Sample.swift:2:") })
  }

  /// What is found in one file that is compiled by itself.
  private func findings(in text: String, storeKit: String? = nil) throws -> [String] {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("availability-\(ProcessInfo.processInfo.globallyUniqueString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let source = folder.appendingPathComponent("Sample.swift")
    try Data(text.utf8).write(to: source)
    let tools = try Toolchain()
    let index = folder.appendingPathComponent("store").path
    try tools.run(
      [
        "swiftc", "-c", source.path, "-module-name", "Sample", "-index-store-path", index, "-o",
        folder.appendingPathComponent("s.o").path,
      ] + (storeKit.map { ["-I", $0] } ?? [])
    )
    let store = try #require(IndexStore(path: index, library: tools.indexLibrary))
    let versions = try SymbolVersions.load(
      modules: toolchainModules,
      storeKitFolder: storeKit,
      tools: tools
    )
    return try AvailabilityFindings(versions, own: ["Sample"])
      .of(store.uses(inModules: ["Sample"]))
  }

  @Test("StoreKit's names have versions for each system")
  func storeKitNames() {
    let names = StoreKitNames.all
    #expect(names.count > 990)
    #expect(names["Transaction"]?.versions[.iOS] == SystemVersions.Version(15))
    #expect(names["Transaction.offer"]?.versions[.macOS] == SystemVersions.Version(14, 2))
    #expect(names["Product.SubscriptionInfo.groupLevel"]?.versions[.macOS]?.minor == 3)
    #expect(names["Message"]?.versions[.watchOS] == nil)
    #expect(StoreKitNames.look(up: ["SKPaymentQueue", "add(_:)"]) != .unknown)
    #expect(StoreKitNames.look(up: ["StoreHost"]) == .unknown)
  }

  @Test("the list of the client's modules is that of the Makefile")
  func clientModules() {
    #expect(ClientModules.names.isSuperset(of: ["IAPModel", "IAPKit", "IAPKitCallbacks"]))
    let targets = Set(SourceTree.project.sources.compactMap(\.target))
    #expect(ClientModules.names.isSubset(of: targets))
  }
}
