import Foundation
import IAPKit
import Testing

@Suite("The real disk")
struct LiveFilesTests {
  private let directory = URL(fileURLWithPath: NSTemporaryDirectory())
    .appendingPathComponent("iapkit-\(UUID().uuidString)", isDirectory: true)

  private func withFiles(_ body: (LiveFiles) throws -> Void) throws {
    defer { try? FileManager.default.removeItem(at: directory) }
    try body(LiveFiles(directory: directory))
  }

  @Test("gives back what was written, and nothing for what was not")
  func readsBack() throws {
    try withFiles { files in
      #expect(try files.read("a") == nil)
      try files.append(Array("one".utf8), to: "a", at: 0)
      try files.append(Array("two".utf8), to: "a", at: 3)
      #expect(try files.read("a") == Array("onetwo".utf8))
      try files.replace("a", with: Array("three".utf8))
      #expect(try files.read("a") == Array("three".utf8))
    }
  }

  @Test("cuts a torn end off before it writes")
  func cutsTornEnds() throws {
    try withFiles { files in
      try files.append(Array("good-torn".utf8), to: "a", at: 0)
      try files.append(Array("!".utf8), to: "a", at: 4)
      #expect(try files.read("a") == Array("good!".utf8))
    }
  }

  @Test("lends a lock to one holder at a time")
  func locks() throws {
    try withFiles { files in
      let lock = try files.lock("journal")
      #expect(throws: IAPError.storage(.inUse)) { _ = try files.lock("journal") }
      lock.release()
      lock.release()
      _ = try files.lock("journal")
    }
  }

  @Test("says when its folder cannot be used")
  func unusableFolder() throws {
    let files = LiveFiles(directory: URL(fileURLWithPath: "/dev/null/folder"))
    #expect(throws: IAPError.storage(.inputOutput)) {
      try files.append([1], to: "a", at: 0)
    }
  }

  @Test("says that the device is full")
  func full() throws {
    let files = LiveFiles(directory: URL(fileURLWithPath: "/dev", isDirectory: true))
    do {
      try files.append([1], to: "full", at: 0)
      Issue.record("nothing was thrown")
    } catch IAPError.storage(let problem) {
      #expect(problem == .full || problem == .readOnly)
    }
  }
}
