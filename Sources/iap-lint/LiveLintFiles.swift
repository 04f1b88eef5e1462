import Foundation
import LintRules

/// The disk and the terminal, as the tool uses them.
struct LintFiles: Sendable {
  /// Files that were read.
  struct Tree: Sendable {
    var sources: [LintSource] = []
    /// Whether a folder has the file of a project: Xcode's, or a package's manifest.
    var hasProjectFile = false
  }

  /// The biggest file that is read, in bytes; more is generated.
  static let sourceBytesMax = 4 * 1024 * 1024
  /// Folders that hold what others wrote or a build made.
  static let skipped: Set = [
    ".git", ".build", ".swiftpm", "DerivedData", "Pods", "Carthage", "node_modules", "build",
    "SourcePackages", "vendor",
  ]

  let write: @Sendable (Data) -> Void
  let complain: @Sendable (String) -> Void
  /// How many files a call may read.
  let allowance = FileAllowance()

  static let live = LintFiles(
    write: { try? FileHandle.standardOutput.write(contentsOf: $0) },
    complain: { try? FileHandle.standardError.write(contentsOf: Data($0.utf8)) }
  )

  func isThere(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

  func contents(_ path: String, _ bytesMax: Int) throws(LintError) -> Data {
    guard let data = FileManager.default.contents(atPath: path), data.count <= bytesMax else {
      throw LintError(
        .file,
        LintWords("'\(path)' cannot be read.", zh: "无法读取“\(path)”。")
      )
    }
    return data
  }

  func save(_ data: Data, _ path: String) throws(LintError) {
    do {
      try data.write(to: URL(fileURLWithPath: path), options: .atomic)
    } catch {
      throw LintError(
        .file,
        LintWords("'\(path)' cannot be written.", zh: "无法写入“\(path)”。")
      )
    }
  }

  /// Reads every file with one of some endings, in the order of their paths.
  func texts(_ paths: [String], _ endings: Set<String>) throws(LintError) -> Tree {
    var tree = Tree()
    var allowance = allowance
    for path in paths {
      var isFolder: ObjCBool = false
      guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
        throw LintError(.file, LintWords("There is no '\(path)'.", zh: "“\(path)”不存在。"))
      }
      let prefix = paths.count == 1 ? "" : path.hasSuffix("/") ? path : path + "/"
      if isFolder.boolValue {
        try read(path, prefix, endings, &allowance, &tree)
      } else {
        try allowance.take()
        tree.sources.append(try source(path, named: path))
      }
    }
    tree.sources.sort { $0.path < $1.path }
    return tree
  }

  private func read(
    _ folder: String,
    _ prefix: String,
    _ endings: Set<String>,
    _ allowance: inout FileAllowance,
    _ tree: inout Tree
  ) throws(LintError) {
    guard let walker = FileManager.default.enumerator(atPath: folder) else {
      throw LintError(.file, LintWords("'\(folder)' cannot be read.", zh: "无法读取“\(folder)”。"))
    }
    while let path = walker.nextObject() as? String {
      let name = path.split(separator: "/").last.map(String.init) ?? path
      if Self.skipped.contains(name) || name.hasPrefix(".build-") {
        walker.skipDescendants()
        continue
      }
      let ending = name.split(separator: ".").last.map(String.init) ?? ""
      if ["xcodeproj", "xcworkspace"].contains(ending) || name == "Package.swift" {
        tree.hasProjectFile = true
      }
      guard endings.contains(ending), name.contains(".") else { continue }
      try allowance.take()
      tree.sources.append(try source("\(folder)/\(path)", named: prefix + path))
    }
  }

  private func source(_ path: String, named name: String) throws(LintError) -> LintSource {
    let data = try contents(path, Self.sourceBytesMax)
    return LintSource(path: name, text: String(decoding: data, as: UTF8.self))
  }
}

/// The variables of this process.
enum ProcessEnvironment {
  static var live: [String: String] { ProcessInfo.processInfo.environment }
}
