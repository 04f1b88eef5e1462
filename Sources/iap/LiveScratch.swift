import Foundation
import Glibc

/// A folder for files that are gone after the run.
enum LiveScratch {
  static func makeFolder() throws(CommandError) -> URL {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("iap-\(UUID().uuidString)")
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    } catch {
      throw CommandError(
        .file,
        Words("no temporary folder could be made: \(error)", zh: "无法创建临时文件夹：\(error)")
      )
    }
    return folder
  }

  static func remove(_ folder: URL) { try? FileManager.default.removeItem(at: folder) }

  /// Appends to a file and flushes it to the disk.
  struct Flusher: Sendable {
    private static let sizeBytes = 4096
    private let handle: FileHandle

    init(_ url: URL) throws {
      try Data().write(to: url)
      handle = try FileHandle(forWritingTo: url)
    }

    /// Writes and flushes once; whether both went well.
    func run() -> Bool {
      do {
        try handle.write(contentsOf: Data(count: Self.sizeBytes))
        return fdatasync(handle.fileDescriptor) == 0
      } catch {
        return false
      }
    }
  }
}
