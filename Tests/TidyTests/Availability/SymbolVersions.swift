import Foundation

/// Since when Apple's systems have each symbol, by the compiler's name for it.
///
/// The toolchain's own modules carry the versions, also on Linux, and `swift symbolgraph-extract`
/// prints them. Our `StoreKit` module carries none: its names are in ``storeKitVersions``.
struct SymbolVersions: Sendable {
  private(set) var byUSR: [String: SystemVersions] = [:]

  subscript(usr: String) -> SystemVersions? { byUSR[usr] }

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
  static func load(
    modules: [String],
    storeKitFolder: String?,
    tools: Toolchain
  ) throws -> SymbolVersions {
    var result = SymbolVersions()
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("symbols-\(ProcessInfo.processInfo.globallyUniqueString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for module in modules {
      for symbol in try graph(module, [], folder, tools) {
        result.add(symbol)
      }
    }
    if let storeKitFolder {
      for symbol in try graph("StoreKit", ["-I", storeKitFolder], folder, tools) {
        result.byUSR[symbol.identifier.precise] = storeKitVersion(of: symbol.pathComponents)
      }
    }
    return result
  }

  private mutating func add(_ symbol: Graph.Symbol) {
    let introduced = { (domain: String) -> SystemVersions.Version? in
      symbol.availability?.first { $0.domain == domain }?.introduced.map {
        SystemVersions.Version($0.major, $0.minor ?? 0)
      }
    }
    let iOS = introduced("iOS")
    let macOS = introduced("macOS")
    guard iOS != nil || macOS != nil else { return }
    let versions = SystemVersions(
      iOS: iOS ?? SystemVersions.floor.iOS,
      macOS: macOS ?? SystemVersions.floor.macOS
    )
    if !SystemVersions.floor.covers(versions) { byUSR[symbol.identifier.precise] = versions }
  }

  private static func graph(
    _ module: String,
    _ options: [String],
    _ folder: URL,
    _ tools: Toolchain
  ) throws -> [Graph.Symbol] {
    let output = folder.appendingPathComponent(module)
    try FileManager.default.createDirectory(at: output, withIntermediateDirectories: true)
    try tools.run(
      [
        "swift", "symbolgraph-extract", "-module-name", module, "-target", tools.triple,
        "-minimum-access-level", "public", "-skip-synthesized-members", "-skip-inherited-docs",
        "-output-dir", output.path,
      ] + options
    )
    let names = try FileManager.default.contentsOfDirectory(atPath: output.path)
    return try names.flatMap { name in
      let data = try Data(contentsOf: output.appendingPathComponent(name))
      return try JSONDecoder().decode(Graph.self, from: data).symbols
    }
  }

  /// The version of a name, or of the nearest type around it that is listed.
  private static func storeKitVersion(of path: [String]) -> SystemVersions? {
    var newest: SystemVersions?
    for count in 1...max(path.count, 1) {
      if let versions = storeKitVersions[path.prefix(count).joined(separator: ".")] {
        newest = newest?.raised(to: versions) ?? versions
      }
    }
    return newest
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
