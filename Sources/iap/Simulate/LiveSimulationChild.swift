import Foundation
import Synchronization

/// A child process of this program that runs simulations.
///
/// It ends when the task that waits for it is cancelled, and when it says nothing for too long.
enum SimulationChild {
  /// How a child ended.
  enum End: Hashable, Sendable {
    /// By itself: 0 when it did all that it was asked for.
    case exited(Int32)
    /// It was killed, or could not be started.
    case died
    /// It said nothing for too long and was ended.
    case silent
  }

  /// Runs a child to its end.
  ///
  /// - Parameters:
  ///   - order: What it does.
  ///   - patienceSeconds: How long it may say nothing.
  ///   - take: Gets each line that it prints.
  /// - Returns: How it ended.
  static func run(
    _ order: SimulationProcess.Order,
    patienceSeconds: Int,
    take: @escaping @Sendable (String) -> Void
  ) async -> End {
    guard let path = Bundle.main.executablePath else { return .died }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = [SimulationProcess.name] + order.words
    // Hashed collections have the same order in each process then, wherever it slipped through.
    // Memory is kept between runs in the place of being given back and fetched again.
    process.environment = [
      "SWIFT_DETERMINISTIC_HASHING": "1", "TZ": "UTC", "LC_ALL": "C",
      "MALLOC_TRIM_THRESHOLD_": "268435456", "MALLOC_MMAP_THRESHOLD_": "33554432",
    ]
    let output = Pipe()
    process.standardOutput = output
    // What the runtime says of tasks that a kill left behind is no news.
    process.standardError = FileHandle.nullDevice
    process.standardInput = FileHandle.nullDevice
    let (ends, end) = AsyncStream<End>.makeStream()
    process.terminationHandler = { process in
      end.yield(process.terminationReason == .exit ? .exited(process.terminationStatus) : .died)
      end.finish()
    }
    do { try process.run() } catch { return .died }
    let child = process.processIdentifier
    let isSilent = Mutex(false)
    return await withTaskCancellationHandler {
      for await line in lines(of: output.fileHandleForReading, patienceSeconds) {
        guard let line else {
          isSilent.withLock { $0 = true }
          kill(child, SIGKILL)
          break
        }
        take(line)
      }
      for await end in ends { return isSilent.withLock { $0 } ? .silent : end }
      return .died
    } onCancel: {
      kill(child, SIGKILL)
    }
  }

  /// What a child prints, line by line, until it ends; nil when nothing came for too long.
  private static func lines(
    of handle: FileHandle,
    _ patienceSeconds: Int
  ) -> AsyncStream<String?> {
    let (lines, continuation) = AsyncStream<String?>.makeStream()
    // A thread of its own, because reading blocks: a handler of the file was seen to miss its end.
    Thread.detachNewThread {
      var rest = Data()
      while isReadable(handle, patienceSeconds) {
        let data = handle.availableData
        guard !data.isEmpty else { return continuation.finish() }
        rest += data
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
          continuation.yield(String(decoding: rest[rest.startIndex..<end], as: UTF8.self))
          rest = Data(rest[(end + 1)...])
        }
      }
      continuation.yield(nil)
      continuation.finish()
    }
    return lines
  }

  /// Whether there is something to read, or the end, before patience is over.
  private static func isReadable(_ handle: FileHandle, _ patienceSeconds: Int) -> Bool {
    var wish = pollfd(fd: handle.fileDescriptor, events: Int16(POLLIN), revents: 0)
    return poll(&wish, 1, Int32(patienceSeconds * 1000)) != 0
  }
}

/// Where a campaign begins when nobody says so.
enum FreshSeed {
  /// A number that nobody drew before, small enough to be typed.
  static func live() -> UInt64 { UInt64.random(in: 1...999_999_999) }
}
