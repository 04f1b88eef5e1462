/// Who may import what (design, section 2). System modules stand here too: a new one is a decision.
let importRules: [TidyRule] = [
  TidyRule(
    name: "imports.allowed",
    remedy: "keep to the directions of docs/ARCHITECTURE.md; a new edge is a decision",
    bad: ["Sources/AppStoreSimulator/A.swift": "import IAPEntitlements\n"],
    good: ["Sources/IAPModel/A.swift": "public import Foundation\n"]
  ) { tree in
    tree.sources.flatMap { file -> [TidyRule.Finding] in
      guard let target = file.target else { return [] }
      guard let allowed = allowedImports[target] else {
        return [.init(file, "the target \(target) is not in the list of allowed imports")]
      }
      return file.imports.compactMap { found in
        allowed.contains(found.module) || found.module == "Foundation"
          ? nil : .init(file, line: found.line, "\(target) imports \(found.module)")
      }
    }
  },
  TidyRule(
    name: "imports.libraries",
    remedy: "call the C library through its one adapter, which writes 'internal import'",
    bad: [
      "Sources/OpenSSLCrypto/A.swift": "import COpenSSL\n",
      "Tests/ServerStorageTests/B.swift": "internal import CSQLite\n",
    ],
    good: ["Sources/OpenSSLCrypto/A.swift": "internal import COpenSSL\n"]
  ) { tree in
    tree.swiftFiles.flatMap { file in
      file.imports.compactMap { found -> TidyRule.Finding? in
        guard let adapter = adapters[found.module] else { return nil }
        if file.target != adapter {
          return .init(file, line: found.line, "\(found.module) belongs to \(adapter)")
        }
        return found.access == "internal"
          ? nil : .init(file, line: found.line, "\(found.module) without 'internal import'")
      }
    }
  },
  TidyRule(
    name: "imports.return-codes",
    remedy: "call it through the adapter's one funnel for return codes",
    bad: [
      "Sources/SQLiteStorage/A.swift": "let a = sqlite3_step(s)\n",
      "Sources/SQLiteStorage/B.swift": "let b = sqlite3_step(s)\n",
    ],
    good: ["Sources/SQLiteStorage/A.swift": "let a = sqlite3_step(s)\nlet b = sqlite3_step(s)\n"]
  ) { tree in
    funnelled.flatMap { name, pattern -> [TidyRule.Finding] in
      let files = tree.sources.filter { pattern.isFound(in: $0.swift?.code ?? "") }
      return files.count < 2 ? [] : files.map { .init($0, "\(name) in \(files.count) files") }
    }
  },
]

private let foundationNetworking: Set = ["FoundationNetworking"]
private let blocking: Set = ["Dispatch", "Synchronization", "Glibc", "Musl"]

private let allowedImports: [String: Set<String>] = [
  "IAPModel": [],
  "IAPEntitlements": ["IAPModel"],
  "IAPSignatures": ["IAPModel"],
  "IAPKit": [
    "IAPModel", "IAPEntitlements", "IAPSignatures", "StoreKit", "FoundationNetworking", "Glibc",
    "Musl", "Darwin", "CryptoKit", "Security", "os", "OSLog", "UIKit", "AppKit", "WatchKit",
    "SwiftUI", "Combine", "Network", "Dispatch",
  ],
  "IAPKitCallbacks": ["IAPKit", "IAPModel", "StoreKit", "Dispatch", "UIKit", "AppKit"],
  "IAPKitTesting": ["IAPKit", "IAPModel", "IAPSignatures"],
  "IAPKitUI": ["IAPKit", "IAPModel", "Combine", "SwiftUI", "StoreKit", "UIKit"],
  "SQLiteAdapter": ["CSQLite", "SQLite3"],
  "IAPKitSQLite": ["IAPKit", "SQLiteAdapter"],
  "StoreKit": ["Synchronization"],
  "HTTPValues": [],
  "OpenSSLCrypto": ["IAPSignatures", "COpenSSL", "Synchronization"],
  "MicroHTTP": blocking.union(["HTTPValues", "CMicroHTTPD"]),
  "AppStoreServerAPI": [
    "Foundation", "Synchronization", "IAPModel", "IAPSignatures", "HTTPValues",
  ],
  "HTTPClient": blocking.union(["HTTPValues", "CCurl"]),
  "AppStoreSimulator": ["IAPModel", "IAPSignatures", "HTTPValues", "Synchronization"],
  "SimulatedDevice": ["StoreKit", "AppStoreSimulator", "IAPModel", "Synchronization"],
  "SimulatedApp": [
    "IAPKit", "SimulatedDevice", "AppStoreSimulator", "IAPModel", "StoreKit", "Synchronization",
  ],
  "ServerStorage": ["IAPModel", "IAPEntitlements", "Synchronization", "Dispatch"],
  "SQLiteStorage": blocking.union([
    "ServerStorage", "IAPModel", "IAPEntitlements", "SQLiteAdapter",
  ]),
  "PostgresAdapter": ["CPostgreSQL", "Glibc", "Musl"],
  "PostgresStorage": blocking.union([
    "ServerStorage", "IAPModel", "IAPEntitlements", "PostgresAdapter",
  ]),
  "EntitlementServer": [
    "ServerStorage", "AppStoreServerAPI", "IAPModel", "IAPEntitlements", "IAPSignatures",
    "HTTPValues",
    "Synchronization",
  ],
  "Dashboard": [
    "EntitlementServer", "ServerStorage", "IAPModel", "IAPEntitlements", "HTTPValues",
    "Synchronization",
  ],
  // Never IAPEntitlements: it must not share the logic that it judges.
  "Simulation": [
    "IAPKit", "SimulatedApp", "SimulatedDevice", "AppStoreSimulator", "StoreKit",
    "EntitlementServer", "ServerStorage", "AppStoreServerAPI", "HTTPValues", "IAPSignatures",
    "IAPModel", "Synchronization", "_Concurrency",
  ],
  // The parser of the toolchain: only the linter's rules see it.
  "LintRules": ["SwiftSyntax", "SwiftParser", "SwiftOperators"],
  "iap-lint": ["LintRules"],
  "WebDemo": [
    "IAPKit", "IAPKitUI", "SimulatedApp", "SimulatedDevice", "AppStoreSimulator", "HTTPValues",
    "IAPModel",
  ],
  "iap": blocking.union([
    "Simulation", "WebDemo", "IAPModel", "IAPEntitlements", "IAPSignatures", "OpenSSLCrypto",
    "HTTPValues", "MicroHTTP", "HTTPClient", "StoreKit", "AppStoreSimulator", "SimulatedDevice",
    "SimulatedApp", "IAPKit",
    "ServerStorage", "SQLiteStorage", "PostgresStorage", "EntitlementServer",
    "AppStoreServerAPI", "Dashboard",
  ]),
]

private let adapters = [
  "COpenSSL": "OpenSSLCrypto",
  "CSQLite": "SQLiteAdapter",
  "SQLite3": "SQLiteAdapter",
  "CPostgreSQL": "PostgresAdapter",
  "CMicroHTTPD": "MicroHTTP",
  "CCurl": "HTTPClient",
]

private let funnelled: [(String, Pattern)] = [
  ("sqlite3_step", Pattern(#"\bsqlite3_step\("#)),
  ("PQgetResult", Pattern(#"\bPQgetResult\("#)),
  ("curl_easy_perform", Pattern(#"\bcurl_easy_perform\("#)),
  ("ERR_get_error", Pattern(#"\bERR_(?:get|peek_last)_error\("#)),
]

private let importLine = Pattern(
  #"^[ \t]*(?:@\w+(?:\([^)]*\))?[ \t]+)*(?:(public|package|internal|private|fileprivate)[ \t]+)?import[ \t]+(?:(?:struct|class|enum|protocol|func|var|let|typealias)[ \t]+)?(\w+)"#
)

extension ProjectFile {
  /// The modules that the file imports, with the access level as written.
  var imports: [(line: Int, access: String, module: String)] {
    importLine.matches(in: swift?.code ?? "").map { ($0.line, $0.groups[1], $0.groups[2]) }
  }
}
