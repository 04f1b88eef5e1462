import Foundation
import IAPModel

/// What a command may touch of its terminal and process, as values.
struct Console: Sendable {
  /// The language of what is written for people.
  let language: Language
  /// The process's environment variables.
  let environment: [String: String]
  /// Writes bytes to standard output, at once.
  let output: @Sendable ([UInt8]) -> Void
  /// Writes bytes to standard error, at once.
  let errors: @Sendable ([UInt8]) -> Void
  /// Reads standard input to its end, but at most so many bytes and one more; nil when it cannot be
  /// read.
  let input: @Sendable (_ sizeBytesMax: Int) async -> [UInt8]?
  /// Reads a file, but at most so many bytes and one more; nil when it cannot be read.
  let file: @Sendable (_ path: String, _ sizeBytesMax: Int) async -> [UInt8]?
  /// The permissions of a file, such as 0o600; nil when there is none.
  let mode: @Sendable (_ path: String) -> UInt16?
  /// Listens from now on whether the process is asked to end: by Ctrl-C, or a termination signal.
  let interruption: @Sendable () async -> Interruption
  /// The wall clock.
  let now: @Sendable () -> Date
  /// Whether what is written to standard output may be coloured.
  var isColored = false
  /// Whether a person watches standard error, so that a line there may be written over.
  var isWatched = false

  /// Writes one line to standard output.
  func line(_ words: Words = "") { output(Array((words(language) + "\n").utf8)) }

  /// Writes one line that no language changes, such as JSON, to standard output.
  func line(verbatim text: String) { output(Array((text + "\n").utf8)) }

  /// Writes one JSON object as one line to standard output.
  func json(_ object: JSONObject) { line(verbatim: JSONValue.object(object).serializedText) }

  /// A text in the colour of its meaning, where colours are wanted.
  func colored(_ text: String, _ color: TerminalColor) -> String {
    isColored ? color.code + text + TerminalColor.end : text
  }

  /// Writes one line to standard error.
  func errorLine(_ words: Words) { errors(Array((words(language) + "\n").utf8)) }

  /// The bytes of a file, or of standard input when the path is `-`.
  ///
  /// - Parameters:
  ///   - path: A file's path, or `-`.
  ///   - sizeBytesMax: The most bytes that are accepted.
  /// - Returns: The bytes.
  /// - Throws: ``CommandError`` with code `file` when it cannot be read or is longer.
  func contents(of path: String, sizeBytesMax: Int) async throws(CommandError) -> [UInt8] {
    let bytes = path == "-" ? await input(sizeBytesMax) : await file(path, sizeBytesMax)
    guard let bytes else {
      throw CommandError(.file, Words("'\(path)' cannot be read.", zh: "无法读取“\(path)”。"))
    }
    guard bytes.count <= sizeBytesMax else {
      throw CommandError(
        .file,
        Words(
          "'\(path)' is longer than \(sizeBytesMax) bytes.",
          zh: "“\(path)”超过 \(sizeBytesMax) 字节。"
        )
      )
    }
    return bytes
  }
}
