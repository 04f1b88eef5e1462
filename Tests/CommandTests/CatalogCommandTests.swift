import Foundation
import Testing

/// `iap catalog check` as a person at a terminal meets it.
@Suite("iap catalog")
struct CatalogCommandTests {
  private func file(_ text: String) throws -> String {
    let file = FileManager.default.temporaryDirectory
      .appendingPathComponent("iap-catalog-\(UUID().uuidString).storekit")
    try Data(text.utf8).write(to: file)
    return file.path
  }

  private static let good = """
    {"version":{"major":4},"products":[{"productID":"p","type":"Consumable","displayPrice":"1",
    "localizations":[{"displayName":"P","description":"Q"}]}]}
    """
  private static let bad = #"{"version":{"major":4},"products":[{"productID":"a b"}]}"#

  @Test("a good file is described and ends with 0")
  func good() async throws {
    let result = try await CommandProcess.run(["catalog", "check", try file(Self.good)])
    #expect(result.status == 0)
    #expect(result.output.contains("p  Consumable  1"))
    #expect(result.output.contains("0 errors, 0 warnings"))
  }

  @Test("every mistake is explained, and the status is 1")
  func bad() async throws {
    let result = try await CommandProcess.run(["catalog", "check", try file(Self.bad)])
    #expect(result.status == 1)
    #expect(result.output.contains("error: products[0].productID:"))
    #expect(result.output.contains("error: products[0].displayPrice: the price is missing"))
  }

  @Test("retired identifiers and missing pictures are found in what is given beside the file")
  func beside() async throws {
    let catalog = try file(Self.good)
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("iap-pictures-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let retired = folder.appendingPathComponent("retired.txt")
    try Data("old\np\n".utf8).write(to: retired)
    let call = ["catalog", "check", catalog, "--pictures", folder.path]
    let missing = try await CommandProcess.run(call + ["--retired", retired.path])
    #expect(missing.status == 1)
    #expect(
      missing.output.contains("error: products[0].productID: this identifier was used before")
    )
    #expect(missing.output.contains("warning: products[0]: there is no picture"))
    let picture = folder.appendingPathComponent("p.png")
    try Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]).write(to: picture)
    let there = try await CommandProcess.run(call)
    #expect(there.output.contains("0 errors, 0 warnings"))
    #expect(try await CommandProcess.run(call + ["--retired", "/nowhere"]).status != 0)
  }

  @Test("a call that cannot be used ends with 2")
  func unusable() async throws {
    #expect(try await CommandProcess.run(["catalog", "look", "x"]).status == 2)
    #expect(try await CommandProcess.run(["catalog", "check"]).status == 2)
  }
}
