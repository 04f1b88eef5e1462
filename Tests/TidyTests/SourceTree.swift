import Foundation

/// One file of the project.
struct ProjectFile: Sendable {
  /// The path from the project's folder, with `/`.
  let path: String
  /// The contents; files that are not UTF-8 text are not part of a tree.
  let text: String
  /// The contents by their role; only for Swift files.
  let swift: SourceText?
  /// The declarations; only for Swift files.
  let outline: SourceOutline?

  init(path: String, text: String) {
    self.path = path
    self.text = text
    swift = path.hasSuffix(".swift") ? SourceText(text) : nil
    outline = swift.map { SourceOutline(code: $0.code) }
  }

  /// The last part of the path.
  var name: String { path.split(separator: "/").last.map(String.init) ?? path }
  /// The target of a file under `Sources` or `Tests`; nil elsewhere.
  var target: String? {
    let parts = path.split(separator: "/")
    return parts.count > 2 && ["Sources", "Tests"].contains(parts[0]) ? String(parts[1]) : nil
  }
  var isSource: Bool { path.hasPrefix("Sources/") && swift != nil }
  var isTest: Bool { path.hasPrefix("Tests/") && swift != nil }
  /// Whether the file may read the real clock, chance and environment.
  var isLive: Bool {
    name.hasPrefix("Live") || path.contains("/Live/") || path == "Sources/iap/main.swift"
  }
  func isIn(_ folder: String) -> Bool { path.hasPrefix(folder + "/") }
}

/// The files that rules look at.
struct SourceTree: Sendable {
  let files: [ProjectFile]
  /// The paths of pictures and other files that are no text: nothing is read in them.
  let others: Set<String>

  var sources: [ProjectFile] { files.filter(\.isSource) }
  var tests: [ProjectFile] { files.filter(\.isTest) }
  var swiftFiles: [ProjectFile] { files.filter { $0.swift != nil } }

  init(_ files: [String: String], others: Set<String> = []) {
    self.others = others
    self.files = files.sorted { $0.key < $1.key }.map { ProjectFile(path: $0.key, text: $0.value) }
  }

  func file(_ path: String) -> ProjectFile? { files.first { $0.path == path } }

  /// The project that this test was built from.
  static let project: SourceTree = {
    let (files, others) = readFolder(root)
    return SourceTree(files, others: others)
  }()

  /// The project's folder.
  static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  private static let skipped: Set = [".git", ".swiftpm", "DerivedData"]

  private static func readFolder(_ folder: URL) -> ([String: String], Set<String>) {
    var files: [String: String] = [:]
    var others: Set<String> = []
    let manager = FileManager.default
    let base = folder.path.hasSuffix("/") ? folder.path : folder.path + "/"
    guard let walker = manager.enumerator(at: folder, includingPropertiesForKeys: nil) else {
      return (files, others)
    }
    for case let url as URL in walker {
      let name = url.lastPathComponent
      if skipped.contains(name) || name.hasPrefix(".build") {
        walker.skipDescendants()
        continue
      }
      let path = String(url.path.dropFirst(base.count))
      guard let data = manager.contents(atPath: url.path), data.count < fileSizeBytesMax,
        let text = String(data: data, encoding: .utf8)
      else {
        others.insert(path)
        continue
      }
      files[path] = text
    }
    return (files, others)
  }

  /// Larger files are data, not source.
  private static let fileSizeBytesMax = 1024 * 1024
}
