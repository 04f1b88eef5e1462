import Foundation
import IAPModel

/// Asks the linter which product identifiers an app's sources name.
enum LiveAppSources {
  /// What came of it.
  enum Answer: Sendable {
    case found([ProductID])
    /// There is no linter beside this program.
    case noLinter
    /// It could not look, for example because there are no Swift files.
    case failed
  }

  /// Reads the sources below a folder; identifiers that only tests name are left out.
  ///
  /// - Parameters:
  ///   - folder: The folder.
  ///   - path: The folders in which programs are looked for, divided by colons.
  /// - Returns: The identifiers, or why there are none.
  static func productIDs(in folder: String, path: String) async -> Answer {
    guard let tool = LiveLintTool.find(path: path) else { return .noLinter }
    return ask(tool, folder)
  }

  private static func ask(_ tool: URL, _ folder: String) -> Answer {
    let process = Process()
    process.executableURL = tool
    process.arguments = ["--ids", "--json", "--", folder]
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return .failed }
    // Read before waiting: a full pipe would keep the linter from ending.
    let bytes = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0,
      let object = try? JSONParser.parseObject(Array(bytes), limits: .document),
      let products = object["products"]?.arrayValue
    else { return .failed }
    return .found(
      products.compactMap(\.objectValue).filter { product in
        (product["places"]?.arrayValue ?? []).contains { $0.objectValue?["test"] != true }
      }
      .compactMap { $0["id"]?.stringValue.map { ProductID($0) } }
    )
  }
}
