import Foundation
import Testing

/// What needs SwiftUI, checked without it: see `Tests/SwiftUIStubs/README.md`.
@Suite("Views")
struct ViewTests {
  private static let products = URL(fileURLWithPath: CommandLine.arguments[0])
    .resolvingSymlinksInPath().deletingLastPathComponent()

  /// Runs `Scripts/check-ui` and leaves what it built in a folder.
  private func check(into folder: URL) throws -> (status: Int32, output: String) {
    let process = Process()
    process.executableURL = SourceTree.root.appendingPathComponent("Scripts/check-ui")
    process.environment = ProcessInfo.processInfo.environment.merging(
      ["BIN": Self.products.path, "INDEX": folder.path]
    ) { $1 }
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: data, as: UTF8.self))
  }

  @Test(
    "fit the stand-in for SwiftUI, and use nothing newer than they ask for",
    .enabled(if: AvailabilityTests.hasIndex, "needs a debug build")
  )
  func viewsFit() throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("views-\(ProcessInfo.processInfo.globallyUniqueString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let (status, output) = try check(into: folder)
    #expect(status == 0, "\(output)")
    let tools = try Toolchain()
    let store = try #require(
      IndexStore(path: folder.appendingPathComponent("store").path, library: tools.indexLibrary)
    )
    let versions = try SymbolVersions.load(
      modules: [
        "Swift", "_Concurrency", "_StringProcessing", "FoundationEssentials",
        "FoundationInternationalization", "Foundation",
      ],
      storeKitFolder: Self.products.appendingPathComponent("Modules").path,
      standInFolder: folder.appendingPathComponent("modules").path,
      tools: tools
    )
    let uses = store.uses(inModules: ["IAPKitUI"]).filter { $0.file.contains("/IAPKitUI/") }
    // The check is worth nothing if it does not see the views, or what is newer in them.
    #expect(uses.contains { $0.file.hasSuffix("PaywallView.swift") })
    #expect(uses.contains { $0.name.hasPrefix("subscriptionStoreControlStyle") })
    #expect(uses.count { if case .newer = versions[$0.usr] { true } else { false } } > 20)
    let findings = try AvailabilityFindings(versions).of(uses)
    #expect(findings == [])
  }
}
