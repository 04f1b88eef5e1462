import Foundation

/// Since when Apple's systems have each symbol, by the compiler's name for it.
///
/// The toolchain's own modules carry the versions, also on Linux, and `swift symbolgraph-extract`
/// prints them. Our `StoreKit` module carries none: its names are in ``StoreKitNames``.
struct SymbolVersions: Sendable {
  /// What is known of a symbol that is not simply as old as the floor.
  enum Fact: Hashable, Sendable {
    /// It is newer than the floor on some system, or some system does not have it.
    case newer(SystemVersions)
    /// The module does not say since when: a person has to.
    case undated(String)
    /// Apple's StoreKit does not have it.
    case notApples(String)
  }

  private(set) var byUSR: [String: Fact] = [:]
  /// Symbols that are as old as the floor.
  private var old: Set<String> = []

  subscript(usr: String) -> Fact? { byUSR[usr] }

  /// Whether the symbol is in one of the modules that were read.
  func knows(_ usr: String) -> Bool { byUSR[usr] != nil || old.contains(usr) }

  private struct Graph: Decodable {
    struct Symbol: Decodable {
      struct Name: Decodable { let precise: String }
      struct Availability: Decodable {
        struct Version: Decodable {
          let major: Int
          let minor: Int?
        }
        let domain: String?
        let introduced: Version?
        let isUnconditionallyUnavailable: Bool?
      }
      let identifier: Name
      let pathComponents: [String]
      let availability: [Availability]?
    }
    let symbols: [Symbol]
  }

  /// The versions of the modules that the client is made with.
  ///
  /// - Parameters:
  ///   - modules: The toolchain's modules.
  ///   - storeKitFolder: Where the built Linux `StoreKit` module is; nil without it.
  ///   - standInFolder: Where the built stand-ins for SwiftUI and Combine are; nil without them.
  static func load(
    modules: [String],
    storeKitFolder: String?,
    standInFolder: String? = nil,
    tools: Toolchain
  ) throws -> SymbolVersions {
    var result = SymbolVersions()
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("symbols-\(ProcessInfo.processInfo.globallyUniqueString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for module in modules {
      for symbol in try graph(module, "public", [], folder, tools) {
        result.add(symbol, of: module)
      }
    }
    if let storeKitFolder {
      // What the module has for its own sake is not public, and is no name of Apple's either.
      for symbol in try graph("StoreKit", "internal", ["-I", storeKitFolder], folder, tools) {
        result.addStoreKit(symbol)
      }
    }
    let folders = [storeKitFolder, standInFolder].compactMap { $0 }.flatMap { ["-I", $0] }
    for module in standInFolder == nil ? [] : ["SwiftUI", "Combine"] {
      for symbol in try graph(module, "public", folders, folder, tools) {
        result.add(symbol, of: module)
      }
    }
    return result
  }

  /// Modules whose every public symbol says since when it is there, or is as old as Swift.
  private static let dated: Set = [
    "Swift", "_Concurrency", "_StringProcessing", "Synchronization", "SwiftUI", "Combine",
  ]

  private mutating func add(_ symbol: Graph.Symbol, of module: String) {
    let usr = symbol.identifier.precise
    var versions = SystemVersions.floor
    var isDated = false
    for entry in symbol.availability ?? [] {
      guard let system = AppleSystem(rawValue: entry.domain ?? "") else { continue }
      isDated = true
      if entry.isUnconditionallyUnavailable ?? false { versions.versions[system] = nil }
      guard let introduced = entry.introduced else { continue }
      let version = SystemVersions.Version(introduced.major, introduced.minor ?? 0)
      versions.versions[system] = max(version, SystemVersions.floor.versions[system] ?? version)
    }
    if !SystemVersions.floor.covers(versions) {
      byUSR[usr] = .newer(versions)
    } else if isDated || Self.dated.contains(module) {
      old.insert(usr)
    } else {
      byUSR[usr] = .undated(symbol.pathComponents.joined(separator: "."))
    }
  }

  private mutating func addStoreKit(_ symbol: Graph.Symbol) {
    let usr = symbol.identifier.precise
    switch StoreKitNames.look(up: symbol.pathComponents) {
    case .known(let versions) where SystemVersions.floor.covers(versions): old.insert(usr)
    case .known(let versions): byUSR[usr] = .newer(versions)
    case .unknown: byUSR[usr] = .notApples(symbol.pathComponents.joined(separator: "."))
    }
  }

  private static func graph(
    _ module: String,
    _ access: String,
    _ options: [String],
    _ folder: URL,
    _ tools: Toolchain
  ) throws -> [Graph.Symbol] {
    let output = folder.appendingPathComponent(module)
    try FileManager.default.createDirectory(at: output, withIntermediateDirectories: true)
    try tools.run(
      [
        "swift", "symbolgraph-extract", "-module-name", module, "-target", tools.triple,
        "-minimum-access-level", access, "-skip-synthesized-members", "-skip-inherited-docs",
        "-output-dir", output.path,
      ] + options
    )
    let names = try FileManager.default.contentsOfDirectory(atPath: output.path)
    return try names.flatMap { name in
      let data = try Data(contentsOf: output.appendingPathComponent(name))
      return try JSONDecoder().decode(Graph.self, from: data).symbols
    }
  }
}

/// The installed compiler.
struct Toolchain: Sendable {
  let triple: String
  /// The file of `libIndexStore`.
  let indexLibrary: String

  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  init() throws {
    struct Info: Decodable {
      struct Target: Decodable { let triple: String }
      struct Paths: Decodable { let runtimeResourcePath: String }
      let target: Target
      let paths: Paths
    }
    let data = try Self.output(of: ["swift", "-print-target-info"])
    let info = try JSONDecoder().decode(Info.self, from: data)
    triple = info.target.triple
    indexLibrary =
      URL(fileURLWithPath: info.paths.runtimeResourcePath)
      .deletingLastPathComponent().appendingPathComponent("libIndexStore.so").path
  }

  func run(_ words: [String]) throws { _ = try Self.output(of: words) }

  private static func output(of words: [String]) throws -> Data {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = words
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Failure(description: "'\(words.joined(separator: " "))' failed")
    }
    return data
  }
}
