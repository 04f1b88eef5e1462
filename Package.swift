// swift-tools-version: 6.2
import PackageDescription

#if os(Linux)
import Glibc
#endif

// Known mistakes that a simulation has to find: no build contains them unless it is asked to.
let planted: [SwiftSetting] =
  Context.environment["IAP_PLANTED"] == "1" ? [.define("PLANTED_BUGS")] : []

// What every target is compiled with. The list is short on purpose: language mode 6 comes from
// the tools version, warnings are errors, and imports are internal unless they say otherwise.
let strict: [SwiftSetting] =
  [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .treatAllWarnings(as: .error),
  ] + planted

// Adapters over C libraries: every unsafe expression has to be marked.
let adapter: [SwiftSetting] = strict + [.strictMemorySafety()]

func library(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

func adapter(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: adapter)
}

func tests(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .testTarget(name: name, dependencies: dependencies, swiftSettings: strict)
}

// The client and what it is made of: the only thing that an Apple platform sees.
var products: [Product] = [
  .library(name: "IAPKit", targets: ["IAPKit"]),
  .library(name: "IAPKitCallbacks", targets: ["IAPKitCallbacks"]),
  .library(name: "IAPKitTesting", targets: ["IAPKitTesting"]),
  .library(name: "IAPKitUI", targets: ["IAPKitUI"]),
  .library(name: "IAPKitSQLite", targets: ["IAPKitSQLite"]),
]

var clientDependencies: [Target.Dependency] = ["IAPModel", "IAPEntitlements", "IAPSignatures"]
#if os(Linux)
// Apple platforms have the framework; here a module of the same name takes its place.
clientDependencies.append("StoreKit")
let appStore: [Target.Dependency] = ["StoreKit"]
// Apple's SDKs have SQLite as a module of their own.
let sqlite: [Target.Dependency] = ["CSQLite"]
#else
let appStore: [Target.Dependency] = []
let sqlite: [Target.Dependency] = []
#endif

// What the client collects, for the App Store; elsewhere nobody reads it.
#if os(Linux)
let privacyManifest: (excluded: [String], resources: [Resource]) = (["PrivacyInfo.xcprivacy"], [])
#else
let privacyManifest: (excluded: [String], resources: [Resource]) = (
  [], [.copy("PrivacyInfo.xcprivacy")]
)
#endif

var targets: [Target] = [
  library("IAPModel"),
  library("IAPEntitlements", ["IAPModel"]),
  library("IAPSignatures", ["IAPModel"]),
  .target(
    name: "IAPKit",
    dependencies: clientDependencies,
    exclude: privacyManifest.excluded,
    resources: privacyManifest.resources,
    swiftSettings: strict
  ),
  library("IAPKitCallbacks", ["IAPKit", "IAPModel"] + appStore),
  library("IAPKitTesting", ["IAPKit", "IAPModel", "IAPSignatures"]),
  library("IAPKitUI", ["IAPKit", "IAPModel"] + appStore),
  adapter("SQLiteAdapter", sqlite),
  library("IAPKitSQLite", ["IAPKit", "SQLiteAdapter"]),
  tests("IAPModelTests", ["IAPModel"]),
  tests("IAPEntitlementsTests", ["IAPEntitlements", "IAPModel"]),
  tests("IAPKitTestingTests", ["IAPKit", "IAPKitTesting"]),
  tests("IAPKitUITests", ["IAPKit", "IAPKitTesting", "IAPKitUI", "IAPModel"]),
  // An app that has not moved to Swift 6 yet.
  .testTarget(
    name: "Swift5AppTests",
    dependencies: ["IAPKit", "IAPKitCallbacks", "IAPKitTesting"],
    swiftSettings: [.swiftLanguageMode(.v5)]
  ),
]

#if os(Linux)
// The simulated App Store, the Linux StoreKit module, the server and the command. Their C libraries
// come from the system's package manager (Scripts/bootstrap).
products += [
  .executable(name: "iap", targets: ["iap"])
]

targets += [
  .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
  .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
  .systemLibrary(name: "CPostgreSQL", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
  .systemLibrary(
    name: "CMicroHTTPD",
    pkgConfig: "libmicrohttpd",
    providers: [.apt(["libmicrohttpd-dev"])]
  ),
  .systemLibrary(
    name: "CCurl",
    pkgConfig: "libcurl",
    providers: [.apt(["libcurl4-openssl-dev"])]
  ),

  library("HTTPValues"),
  adapter("OpenSSLCrypto", ["IAPSignatures", "COpenSSL"]),
  adapter("MicroHTTP", ["HTTPValues", "CMicroHTTPD"]),
  adapter("HTTPClient", ["HTTPValues", "CCurl"]),
  adapter("PostgresAdapter", ["CPostgreSQL"]),

  library("StoreKit"),
  library("AppStoreSimulator", ["IAPModel", "IAPSignatures", "HTTPValues"]),
  library("SimulatedDevice", ["StoreKit", "AppStoreSimulator", "IAPModel"]),

  library("AppStoreServerAPI", ["IAPModel", "IAPSignatures", "HTTPValues"]),
  library("ServerStorage", ["IAPModel", "IAPEntitlements"]),
  library(
    "SQLiteStorage",
    ["ServerStorage", "IAPModel", "IAPEntitlements", "SQLiteAdapter"]
  ),
  library(
    "PostgresStorage",
    ["ServerStorage", "IAPModel", "IAPEntitlements", "PostgresAdapter"]
  ),
  library(
    "EntitlementServer",
    [
      "ServerStorage", "AppStoreServerAPI", "IAPModel", "IAPEntitlements", "IAPSignatures",
      "HTTPValues",
    ]
  ),

  library(
    "Dashboard",
    ["EntitlementServer", "ServerStorage", "IAPModel", "IAPEntitlements", "HTTPValues"]
  ),

  library(
    "SimulatedApp",
    ["IAPKit", "SimulatedDevice", "AppStoreSimulator", "StoreKit", "IAPModel"]
  ),
  library(
    "Simulation",
    [
      "IAPKit", "SimulatedApp", "SimulatedDevice", "AppStoreSimulator", "StoreKit",
      "EntitlementServer", "ServerStorage", "AppStoreServerAPI", "HTTPValues", "IAPSignatures",
      "IAPModel",
    ]
  ),
  library(
    "WebDemo",
    [
      "IAPKit", "IAPKitUI", "SimulatedApp", "SimulatedDevice", "AppStoreSimulator", "HTTPValues",
      "IAPModel",
    ]
  ),
  .executableTarget(
    name: "iap",
    dependencies: [
      "Simulation", "WebDemo",
      "IAPModel", "IAPEntitlements", "IAPSignatures", "OpenSSLCrypto", "HTTPValues", "MicroHTTP",
      "HTTPClient", "StoreKit", "AppStoreSimulator", "SimulatedDevice", "SimulatedApp", "IAPKit",
      "ServerStorage", "SQLiteStorage", "PostgresStorage", "EntitlementServer",
      "AppStoreServerAPI", "Dashboard",
    ],
    swiftSettings: strict
  ),

  tests(
    "SimulationTests",
    ["Simulation", "AppStoreSimulator", "IAPKit", "IAPSignatures", "IAPModel", "OpenSSLCrypto"]
  ),
  tests("IAPSignaturesTests", ["IAPSignatures", "OpenSSLCrypto", "IAPModel"]),
  tests("OpenSSLCryptoTests", ["OpenSSLCrypto", "IAPSignatures"]),
  tests("MicroHTTPTests", ["MicroHTTP", "HTTPClient", "HTTPValues"]),
  tests(
    "AppStoreSimulatorTests",
    ["AppStoreSimulator", "OpenSSLCrypto", "IAPSignatures", "IAPModel", "HTTPValues"]
  ),
  tests(
    "SimulatedDeviceTests",
    [
      "SimulatedDevice", "StoreKit", "AppStoreSimulator", "OpenSSLCrypto", "IAPModel",
      "IAPSignatures",
    ]
  ),
  // A process that writes into the client's storage, for tests that kill it.
  .executableTarget(
    name: "JournalWriter",
    dependencies: ["IAPKit", "IAPKitSQLite"],
    path: "Tests/JournalWriter",
    swiftSettings: strict
  ),
  tests(
    "IAPKitTests",
    [
      "JournalWriter",
      "IAPKit", "IAPModel", "IAPEntitlements", "IAPSignatures", "StoreKit", "SimulatedDevice",
      "SimulatedApp", "AppStoreSimulator", "OpenSSLCrypto", "MicroHTTP", "HTTPValues",
      "AppStoreServerAPI", "EntitlementServer", "ServerStorage", "IAPKitSQLite", "SQLiteAdapter",
    ]
  ),
  tests(
    "IAPKitCallbacksTests",
    [
      "IAPKit", "IAPKitCallbacks", "IAPKitTesting", "IAPModel", "StoreKit", "SimulatedDevice",
      "SimulatedApp", "AppStoreSimulator", "OpenSSLCrypto",
    ]
  ),
  // What of the demo app needs no SwiftUI, with the app's own tests.
  .target(
    name: "IAPDemo",
    dependencies: ["IAPKit", "IAPKitCallbacks"],
    path: "Demo/IAPDemo",
    exclude: [
      "ContentView.swift", "DemoScreens.swift", "IAPDemo.entitlements", "IAPDemoApp.swift",
      "Info.plist", "ObjectiveC",
    ],
    swiftSettings: [.treatAllWarnings(as: .error)]
  ),
  .testTarget(
    name: "IAPDemoTests",
    dependencies: ["IAPDemo", "IAPKit", "IAPKitTesting"],
    path: "Demo/IAPDemoTests",
    swiftSettings: [.treatAllWarnings(as: .error)]
  ),
  tests(
    "IAPKitUIDeviceTests",
    [
      "IAPKit", "IAPKitUI", "IAPModel", "StoreKit", "SimulatedDevice", "SimulatedApp",
      "AppStoreSimulator", "OpenSSLCrypto",
    ]
  ),
  tests(
    "AppStoreServerAPITests",
    [
      "AppStoreServerAPI", "AppStoreSimulator", "OpenSSLCrypto", "IAPSignatures", "IAPModel",
      "HTTPValues",
    ]
  ),
  tests(
    "ServerStorageTests",
    [
      "ServerStorage", "SQLiteStorage", "SQLiteAdapter", "PostgresStorage", "IAPModel",
      "IAPEntitlements",
    ]
  ),
  tests(
    "PostgresStorageTests",
    ["PostgresStorage", "PostgresAdapter", "ServerStorage", "IAPModel", "IAPEntitlements"]
  ),
  tests(
    "EntitlementServerTests",
    [
      "EntitlementServer", "AppStoreServerAPI", "ServerStorage", "SQLiteStorage",
      "AppStoreSimulator", "OpenSSLCrypto", "IAPEntitlements", "IAPSignatures", "IAPModel",
      "HTTPValues", "IAPKit",
    ]
  ),
  tests(
    "DashboardTests",
    [
      "Dashboard", "EntitlementServer", "ServerStorage", "AppStoreSimulator", "OpenSSLCrypto",
      "IAPEntitlements", "IAPSignatures", "IAPModel", "HTTPValues", "BrowserDriver", "MicroHTTP",
    ]
  ),
  tests(
    "CommandTests",
    [
      "HTTPClient", "HTTPValues", "AppStoreSimulator", "OpenSSLCrypto", "IAPSignatures", "IAPModel",
      "IAPKit", "MicroHTTP", "SimulatedApp", "SimulatedDevice",
      "PostgresStorage", "SQLiteStorage", "ServerStorage", "IAPEntitlements",
    ]
  ),
  // A real browser for tests, driven over WebDriver.
  .target(
    name: "BrowserDriver",
    dependencies: ["HTTPClient", "HTTPValues", "IAPModel"],
    path: "Tests/BrowserDriver",
    swiftSettings: strict
  ),
  tests(
    "WebDemoTests",
    [
      "WebDemo", "IAPKit", "IAPKitUI", "SimulatedApp", "SimulatedDevice", "AppStoreSimulator",
      "OpenSSLCrypto", "HTTPValues", "IAPModel",
    ]
  ),
  tests("BrowserTests", ["BrowserDriver", "MicroHTTP", "HTTPValues", "IAPModel"]),
  tests("TidyTests"),
]
#endif

#if os(Linux)
// The linter reads Swift with the parser that comes with the toolchain
// (docs/decisions/0860-the-linter-and-the-toolchains-parser.md).
if let parser = toolchainParser() {
  let settings: [SwiftSetting] = strict + [.unsafeFlags(["-I", parser])]
  let libraries: [LinkerSetting] = [
    .unsafeFlags(["-L", parser, "-Xlinker", "-rpath", "-Xlinker", parser]),
    .linkedLibrary("SwiftSyntax"), .linkedLibrary("SwiftParser"), .linkedLibrary("SwiftOperators"),
  ]
  products.append(.executable(name: "iap-lint", targets: ["iap-lint"]))
  targets += [
    .target(name: "LintRules", swiftSettings: settings, linkerSettings: libraries),
    .executableTarget(
      name: "iap-lint",
      dependencies: ["LintRules"],
      swiftSettings: settings
    ),
    .testTarget(
      name: "LintTests",
      dependencies: ["LintRules", "iap-lint"],
      swiftSettings: settings
    ),
  ]
}

/// The folder with SwiftSyntax, beside the Swift runtime that runs this manifest.
///
/// IAP_SWIFT_SYNTAX names another folder; when it is empty or has no SwiftSyntax, there is no
/// linter. A package that depends on this one never builds it.
func toolchainParser() -> String? {
  guard !Context.packageDirectory.contains("/checkouts/") else { return nil }
  guard let folder = Context.environment["IAP_SWIFT_SYNTAX"] ?? folderBesideRuntime() else {
    return nil
  }
  let needed = ["SwiftSyntax", "SwiftParser", "SwiftOperators"]
    .flatMap { ["\(folder)/\($0).swiftmodule", "\(folder)/lib\($0).so"] }
  return needed.allSatisfy { access($0, R_OK) == 0 } ? folder : nil
}

/// `…/lib/swift/host`, from the place of the runtime's library in this process.
func folderBesideRuntime() -> String? {
  guard let maps = fopen("/proc/self/maps", "r") else { return nil }
  defer { fclose(maps) }
  var line = [CChar](repeating: 0, count: 8192)
  while fgets(&line, Int32(line.count), maps) != nil {
    let bytes = line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:))
    let text = String(decoding: bytes, as: UTF8.self)
    guard text.contains("libswiftCore.so"), let start = text.firstIndex(of: "/") else { continue }
    // lib/swift/linux/libswiftCore.so
    let folder = text[start...].split(separator: "/").dropLast(2)
    return "/" + folder.joined(separator: "/") + "/host"
  }
  return nil
}
#endif

#if os(Linux)
// Fuzzers: they are built with a sanitizer of their own (Scripts/fuzz), so nobody else sees them.
if Context.environment["IAP_FUZZ"] != nil {
  let base: [Target.Dependency] = ["FuzzSupport", "IAPModel", "IAPSignatures"]
  func fuzzer(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(
      name: name,
      dependencies: base + dependencies,
      path: "Fuzz/\(name)",
      // The fuzzer brings the `main`.
      swiftSettings: strict + [.unsafeFlags(["-parse-as-library"])]
    )
  }
  targets += [
    .target(
      name: "FuzzSupport",
      dependencies: ["AppStoreSimulator", "IAPModel", "IAPSignatures", "OpenSSLCrypto"],
      path: "Fuzz/FuzzSupport",
      swiftSettings: strict
    ),
    .target(
      name: "FuzzServers",
      dependencies: [
        "EntitlementServer", "FuzzSupport", "HTTPValues", "IAPModel", "IAPSignatures",
        "OpenSSLCrypto", "ServerStorage",
      ],
      path: "Fuzz/FuzzServers",
      swiftSettings: strict
    ),
    fuzzer("FuzzJWS", ["OpenSSLCrypto"]),
    fuzzer("FuzzReceipts", ["AppStoreSimulator", "OpenSSLCrypto"]),
    fuzzer("FuzzStoreKit", ["AppStoreSimulator"]),
    fuzzer("FuzzBodies", ["EntitlementServer", "FuzzServers", "HTTPValues"]),
    fuzzer("FuzzJournal", ["IAPKit"]),
    fuzzer("FuzzHTTP", ["EntitlementServer", "FuzzServers", "HTTPValues", "MicroHTTP"]),
  ]
}
#endif

// Whoever works on one part builds its tests only: IAP_TESTS="IAPKitTests TidyTests".
if let wanted = Context.environment["IAP_TESTS"] {
  let names = Set(wanted.split(separator: " ").map(String.init))
  targets.removeAll { $0.type == .test && !names.contains($0.name) }
}

let package = Package(
  name: "IAPKit",
  defaultLocalization: "en",
  platforms: [.iOS(.v14), .macOS(.v11), .tvOS(.v14), .watchOS(.v7), .visionOS(.v1)],
  products: products,
  targets: targets
)
