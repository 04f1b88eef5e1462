import Dispatch
import Foundation

extension Console {
  /// The console of this process.
  static func live() -> Console {
    // A reader that went away must end as a failed write, not as a killed process.
    signal(SIGPIPE, SIG_IGN)
    let environment = ProcessInfo.processInfo.environment
    let isPlain = !(environment["NO_COLOR"] ?? "").isEmpty || environment["TERM"] == "dumb"
    return Console(
      language: Language(environment: environment),
      environment: environment,
      output: { try? FileHandle.standardOutput.write(contentsOf: Data($0)) },
      errors: { try? FileHandle.standardError.write(contentsOf: Data($0)) },
      input: { sizeBytesMax in
        read(.standardInput, sizeBytesMax)
      },
      file: { path, sizeBytesMax in
        guard let handle = FileHandle(forReadingAtPath: path) else { return nil }
        defer { try? handle.close() }
        return read(handle, sizeBytesMax)
      },
      mode: { path in
        var found = stat()
        return stat(path, &found) == 0 ? UInt16(found.st_mode & 0o7777) : nil
      },
      interruption: { await Interruption.ofSignals() },
      now: { Date() },
      isColored: !isPlain && isatty(STDOUT_FILENO) == 1,
      isWatched: environment["TERM"] != "dumb" && isatty(STDERR_FILENO) == 1
    )
  }

  /// Nil when it cannot be read, such as a folder.
  private static func read(_ handle: FileHandle, _ sizeBytesMax: Int) -> [UInt8]? {
    var bytes: [UInt8] = []
    do {
      while bytes.count <= sizeBytesMax,
        let more = try handle.read(upToCount: sizeBytesMax + 1 - bytes.count), !more.isEmpty
      {
        bytes += more
      }
      return bytes
    } catch {
      return nil
    }
  }
}

extension Interruption {
  /// Listens for signals that ask the process to end; returns once none of them can be missed.
  fileprivate static func ofSignals() async -> Interruption {
    let numbers = [SIGINT, SIGTERM]
    let (requests, request) = AsyncStream<Void>.makeStream()
    let (starts, start) = AsyncStream<Void>.makeStream()
    for number in numbers {
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      // It holds itself, for as long as the process runs.
      source.setEventHandler { withExtendedLifetime(source) { _ = request.yield() } }
      source.setRegistrationHandler { start.yield() }
      source.resume()
    }
    var count = 0
    for await _ in starts {
      count += 1
      if count == numbers.count { break }
    }
    return Interruption(requests: requests)
  }
}
