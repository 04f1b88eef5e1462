import Foundation
import Testing

/// Uses of newer symbols that are right all the same, as "file name: symbol", with a reason.
private let excused: Set<String> = []

/// Modules that carry versions: the standard library and the parts of Foundation.
private let versionedModules = [
  "Swift", "_Concurrency", "_StringProcessing", "Synchronization", "FoundationEssentials",
  "FoundationInternationalization", "Foundation", "FoundationNetworking",
]

/// The client: what has to run on the oldest systems.
private let clientModules: Set = [
  "IAPModel", "IAPEntitlements", "IAPSignatures", "IAPKit", "IAPKitCallbacks", "IAPKitTesting",
]

@Suite("Availability")
struct AvailabilityTests {
  /// Where the running tests were built.
  private static let products = URL(fileURLWithPath: CommandLine.arguments[0])
    .resolvingSymlinksInPath().deletingLastPathComponent()
  private static let index = products.appendingPathComponent("index/store").path
  static var hasIndex: Bool { FileManager.default.fileExists(atPath: index + "/v5") }

  @Test(
    "the client uses nothing newer than its floor outside a check",
    .enabled(if: hasIndex, "only debug builds leave an index")
  )
  func clientKeepsToItsFloor() throws {
    let tools = try Toolchain()
    let store = try #require(IndexStore(path: Self.index, library: tools.indexLibrary))
    let versions = try SymbolVersions.load(
      modules: versionedModules,
      storeKitFolder: Self.products.appendingPathComponent("Modules").path,
      tools: tools
    )
    let uses = store.uses(inModules: clientModules)
    // The check is worth nothing if it does not see the client, or StoreKit 2 in it.
    #expect(uses.count > 10_000)
    #expect(uses.count { versions[$0.usr] != nil } > 100)
    let findings = try newerUses(uses, versions)
    #expect(
      findings.isEmpty,
      """
      \(findings.count) uses of what is newer than \(SystemVersions.floor):
      \(findings.joined(separator: "\n"))
      Instead: use the older form, or ask with 'if #available(iOS 15, macOS 12, *)'.
      """
    )
  }

  @Test("a newer symbol is found, and is accepted where the source asks for its system")
  func findsNewerSymbols() throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("availability-\(ProcessInfo.processInfo.globallyUniqueString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let source = folder.appendingPathComponent("Sample.swift")
    let text = """
      import Foundation
      func bad() -> Date { Date.now }
      func good() -> Date {
        if #available(iOS 15, macOS 12, *) { return Date.now }
        return Date(timeIntervalSince1970: 0)
      }
      func alsoBad() -> Duration? { nil }
      """
    try Data(text.utf8).write(to: source)
    let tools = try Toolchain()
    try tools.run([
      "swiftc", "-c", source.path, "-module-name", "Sample", "-index-store-path",
      folder.appendingPathComponent("store").path, "-o", folder.appendingPathComponent("s.o").path,
    ])
    let store = try #require(
      IndexStore(path: folder.appendingPathComponent("store").path, library: tools.indexLibrary)
    )
    let versions = try SymbolVersions.load(
      modules: ["Swift", "FoundationEssentials"],
      storeKitFolder: nil,
      tools: tools
    )
    let findings = try newerUses(store.uses(inModules: ["Sample"]), versions)
    #expect(
      findings == [
        "Sample.swift:2: now needs iOS 15.0, macOS 12.0; promised is iOS 14.0, macOS 11.0",
        "Sample.swift:7: Duration needs iOS 16.0, macOS 13.0; promised is iOS 14.0, macOS 11.0",
      ]
    )
  }

  @Test("StoreKit's names have versions, inherited from the type around them")
  func storeKitNames() {
    #expect(storeKitVersions.count > 90)
    #expect(storeKitVersions["Transaction"]?.iOS == SystemVersions.Version(15))
    #expect(storeKitVersions["Transaction.offer"]?.macOS == SystemVersions.Version(14, 2))
    #expect(storeKitVersions["Product.SubscriptionInfo.groupLevel"]?.macOS.minor == 3)
    #expect(storeKitVersions["SKPaymentQueue"] == nil)
  }

  private func newerUses(_ uses: [IndexStore.Use], _ versions: SymbolVersions) throws -> [String] {
    var findings: Set<String> = []
    for (path, uses) in Dictionary(grouping: uses, by: \.file) {
      let newer = uses.filter { versions[$0.usr] != nil }
      guard !newer.isEmpty else { continue }
      let source = SourceText(try String(contentsOfFile: path, encoding: .utf8))
      let scopes = AvailabilityScopes(code: source.code)
      let name = URL(fileURLWithPath: path).lastPathComponent
      for use in newer where !scopes.isLinuxOnly(line: use.line) {
        guard let needed = versions[use.usr] else { continue }
        let promised = scopes.promised(line: use.line, column: use.column)
        guard !promised.covers(needed), !excused.contains("\(name): \(use.name)") else { continue }
        findings.insert("\(name):\(use.line): \(use.name) needs \(needed); promised is \(promised)")
      }
    }
    return findings.sorted()
  }
}

@Suite("Availability scopes")
struct AvailabilityScopesTests {
  private let newer = SystemVersions(
    iOS: SystemVersions.Version(15),
    macOS: SystemVersions.Version(12)
  )

  /// The lines on which the mark `USE` stands with iOS 15 promised.
  private func promisedLines(_ text: String) -> [Int] {
    let scopes = AvailabilityScopes(code: SourceText(text).code)
    return text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
      .compactMap { index, line in
        guard let use = line.range(of: "USE") else { return nil }
        let column = line.utf8.distance(from: line.startIndex, to: use.lowerBound) + 1
        return scopes.promised(line: index + 1, column: column).covers(newer) ? index + 1 : nil
      }
  }

  @Test func aConditionGuardsItsBlockAndNoOther() {
    let text = """
      USE
      if #available(iOS 15, macOS 12, tvOS 15, watchOS 8, *), USE {
        USE { USE }
      } else {
        USE
      }
      USE
      """
    #expect(promisedLines(text) == [2, 3])
  }

  @Test func aGuardPromisesTheRestOfTheBlockAroundIt() {
    let text = """
      func f() {
        USE
        guard #available(iOS 15.0, macOS 12.0, *) else {
          return
        }
        USE
        if x { USE }
      }
      USE
      """
    #expect(promisedLines(text) == [6, 7])
  }

  @Test func anAttributePromisesItsDeclaration() {
    let text = """
      @available(iOS 15, macOS 12, *)
      @MainActor
      struct A: B {
        USE
      }
      USE
      @available(iOS 15, macOS 12, *) func f(
        a: USE
      ) async throws
        -> USE { USE }
      protocol P {
        @available(iOS 15, macOS 12, *)
        func f() -> USE
        USE
      }
      """
    #expect(promisedLines(text) == [4, 8, 10, 13])
  }

  @Test func aSystemThatIsNotNamedIsNotPromised() {
    #expect(promisedLines("if #available(iOS 15, *) { USE }") == [])
    #expect(promisedLines("if #available(iOS 14.5, macOS 12, *) { USE }") == [])
    #expect(promisedLines("@available(*, deprecated) func f() { USE }") == [])
    #expect(promisedLines("if #unavailable(iOS 15, macOS 12) { USE }") == [])
  }

  @Test func whatOnlyLinuxCompilesIsLeftOut() {
    let text = """
      #if os(Linux)
      a
      #else
      b
      #endif
      #if !os(Linux)
      c
      #else
      d
      #endif
      #if canImport(FoundationNetworking)
      import FoundationNetworking
      #endif
      """
    let scopes = AvailabilityScopes(code: SourceText(text).code)
    #expect((1...13).filter { scopes.isLinuxOnly(line: $0) } == [1, 2, 3, 8, 9, 10, 11, 12, 13])
  }
}
