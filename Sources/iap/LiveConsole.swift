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
      interruption: { await Interruption.first() },
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

/// Signals that ask the process to end.
private enum Interruption {
  /// Returns at the first such signal, or when the task is cancelled.
  static func first() async {
    let (signals, continuation) = AsyncStream<Void>.makeStream()
    let sources = [SIGINT, SIGTERM].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler { continuation.yield() }
      source.resume()
      return source
    }
    for await _ in signals { break }
    for source in sources { source.cancel() }
  }
}
