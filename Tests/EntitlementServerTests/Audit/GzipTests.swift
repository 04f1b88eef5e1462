import Foundation
import Testing

@testable import EntitlementServer

@Suite struct GzipTests {
  /// Packs with the system's own packer; nil where there is none.
  private func packed(_ bytes: [UInt8], level: Int = 6) async throws -> [UInt8]? {
    let tool = ["/usr/bin/gzip", "/bin/gzip"].first {
      FileManager.default.isExecutableFile(atPath: $0)
    }
    guard let tool else {
      print("SKIPPED gzip: there is no packer on this machine")
      return nil
    }
    var result: [UInt8] = []
    try await withTemporaryFolder { folder in
      let file = URL(fileURLWithPath: folder + "/report.txt")
      try Data(bytes).write(to: file)
      let process = Process()
      process.executableURL = URL(fileURLWithPath: tool)
      process.arguments = ["-\(level)", file.path]
      try process.run()
      process.waitUntilExit()
      result = Array(try Data(contentsOf: URL(fileURLWithPath: file.path + ".gz")))
    }
    return result
  }

  private func unpacked(
    _ bytes: [UInt8],
    max: Int = 1_000_000
  ) -> (fault: Gzip.Fault?, text: [UInt8]) {
    var text: [UInt8] = []
    let fault = Gzip.unpack(bytes, bytesMax: max) { text += $0 }
    return (fault, text)
  }

  /// Texts of different kinds: empty, repetitive, long, and without any pattern.
  private static let texts: [[UInt8]] = {
    var seed: UInt64 = 7
    let noise = (0..<100_000).map { _ -> UInt8 in
      seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return UInt8(truncatingIfNeeded: seed >> 33)
    }
    let lines = (0..<5000).flatMap { Array("coins\tIA1\t\($0)\t01/31/2026\tUSD\t0.99\n".utf8) }
    return [[], [65], Array(repeating: 66, count: 70_000), lines, noise]
  }()

  @Test(arguments: 0..<5, [1, 6, 9])
  func whatWasPackedComesOutAgain(index: Int, level: Int) async throws {
    let text = Self.texts[index]
    guard let bytes = try await packed(text, level: level) else { return }
    #expect(Gzip.isOne(bytes))
    let (fault, out) = unpacked(bytes)
    #expect(fault == nil)
    #expect(out == text)
    let twice = unpacked(bytes + bytes)
    #expect(twice.fault == nil)
    #expect(twice.text == text + text)
  }

  @Test func moreThanTheLimitDoesNotComeOut() async throws {
    let text = Array(repeating: UInt8(66), count: 70_000)
    guard let bytes = try await packed(text) else { return }
    #expect(unpacked(bytes, max: 70_000).fault == nil)
    let over = unpacked(bytes, max: 69_999)
    #expect(over.fault == .tooLong)
    #expect(over.text.count <= 69_999)
  }

  @Test func everyCutIsNoticed() async throws {
    let text = Array("a report that is cut short, a report that is cut short".utf8)
    guard let bytes = try await packed(text) else { return }
    for length in 0..<bytes.count {
      let fault = unpacked(Array(bytes.prefix(length))).fault
      #expect(fault == .truncated || fault == .damaged, "\(length)")
    }
  }

  @Test func everyFlippedBitIsNoticedOrHarmless() async throws {
    let text = (0..<200).flatMap { Array("line \($0) of a report\n".utf8) }
    guard let bytes = try await packed(text, level: 9) else { return }
    for index in bytes.indices {
      for bit in 0..<8 {
        var broken = bytes
        broken[index] ^= 1 << UInt8(bit)
        let (fault, out) = unpacked(broken, max: 100_000)
        // Bits of the head may change what no reader looks at; the text is right all the same.
        #expect(fault != nil || out == text, "byte \(index), bit \(bit)")
      }
    }
  }
}
