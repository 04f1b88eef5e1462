import Foundation

/// Test data that lives beside the project, not in it.
///
/// Found through the environment variable `IAP_VECTORS`, else at `../shared/vectors` from the
/// package's root.
struct Vectors {
  let folder: URL

  /// The folder, nil (and said so) when it is not there.
  static func find() -> Vectors? {
    let package = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let named = ProcessInfo.processInfo.environment["IAP_VECTORS"].map {
      URL(fileURLWithPath: $0)
    }
    let folder =
      named ?? package.deletingLastPathComponent().appendingPathComponent("shared/vectors")
    guard FileManager.default.fileExists(atPath: folder.appendingPathComponent("README.md").path)
    else {
      print("SKIPPED: no test vectors at \(folder.path); set IAP_VECTORS to their folder")
      return nil
    }
    return Vectors(folder: folder)
  }

  static var arePresent: Bool { find() != nil }

  func bytes(_ path: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: folder.appendingPathComponent(path)))
  }

  /// One line of a manifest.
  struct Entry: Decodable {
    var file: String
    var kind: String?
    var verdict: String
    var reason: String
  }

  func manifest(_ path: String) throws -> [Entry] {
    struct Manifest: Decodable { var vectors: [Entry] }
    let data = try Data(contentsOf: folder.appendingPathComponent(path))
    return try JSONDecoder().decode(Manifest.self, from: data).vectors
  }
}
