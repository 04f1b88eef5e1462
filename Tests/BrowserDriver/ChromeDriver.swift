import Foundation
import Synchronization

/// A chromedriver of one's own, on a port that was free.
///
/// It ends with its last reference, and takes its browsers with it.
package final class ChromeDriver: Sendable {
  /// Where it listens.
  package let base: String
  private let process: Mutex<Process>

  /// What says that tests with a browser were left out.
  package static let absence =
    "no browser: run Scripts/browser install (Debian: chromium, chromium-driver)"

  /// Whether a browser and its driver are on this machine.
  package static var isInstalled: Bool { driver != nil && browser != nil }

  /// The driver's executable.
  static var driver: String? { find(["chromedriver"], named: "IAP_CHROMEDRIVER") }
  /// The browser's executable.
  static var browser: String? { find(["chromium", "google-chrome"], named: "IAP_CHROMIUM") }

  private static func find(_ names: [String], named variable: String) -> String? {
    let environment = ProcessInfo.processInfo.environment
    if let path = environment[variable] { return path }
    let folders = (environment["PATH"] ?? "").split(separator: ":").map(String.init) + ["/usr/bin"]
    let places = names.flatMap { name in folders.map { $0 + "/" + name } }
    return places.first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  /// Starts a driver.
  package init() async throws(BrowserError) {
    guard let driver = Self.driver else {
      throw BrowserError(BrowserError.notStarted, Self.absence)
    }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: driver)
    process.arguments = ["--port=0", "--log-level=SEVERE"]
    process.standardInput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    let output = Pipe()
    process.standardOutput = output
    do { try process.run() } catch {
      throw BrowserError(BrowserError.notStarted, "\(driver) does not start")
    }
    let handle = output.fileHandleForReading
    // The driver says its port once; a thread of its own reads, because reading blocks.
    let port = await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        continuation.resume(returning: Self.port(saidOn: handle))
        // What it says later is thrown away, so that its pipe never fills.
        while !handle.availableData.isEmpty {}
      }
    }
    guard let port else {
      kill(process.processIdentifier, SIGKILL)
      throw BrowserError(BrowserError.notStarted, "\(driver) does not say where it listens")
    }
    base = "http://127.0.0.1:\(port)"
    self.process = Mutex(process)
  }

  deinit {
    // A polite signal does not reach it: a child begins with the signals blocked that the thread
    // of its start had blocked. Its browser was closed with the session.
    process.withLock { if $0.isRunning { kill($0.processIdentifier, SIGKILL) } }
  }

  /// The port in "ChromeDriver was started successfully on port 34567."
  private static func port(saidOn handle: FileHandle) -> Int? {
    var text = ""
    while case let chunk = handle.availableData, !chunk.isEmpty {
      text += String(decoding: chunk, as: UTF8.self)
      guard let place = text.range(of: "successfully on port ") else { continue }
      let digits = text[place.upperBound...].prefix { $0.isNumber }
      if digits.endIndex < text.endIndex, let port = Int(digits) { return port }
    }
    return nil
  }
}
