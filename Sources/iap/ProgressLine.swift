import Foundation

/// One line on standard error that says how far long work is, written over as the work goes on.
///
/// Nothing is written when nobody watches: into a file, a pipe, or a terminal that cannot go back.
struct ProgressLine {
  /// How wide the bar is, in characters.
  private static let barWidth = 24
  /// How long a line stays at least, so that writing it costs nothing beside the work.
  private static let stayingSeconds = 0.1
  /// Goes to the line's start and empties it (ECMA-48, erase in line).
  private static let restart = "\r\u{1B}[K"

  private let console: Console
  private let what: Words
  private let start: Date
  private var shown: Date?

  init(_ what: Words, console: Console) {
    self.console = console
    self.what = what
    start = console.now()
  }

  /// Shows how much is done, unless that was shown a moment ago.
  mutating func show(_ done: Int64, of total: Int64) {
    let now = console.now()
    guard console.isWatched, shown.map({ now.timeIntervalSince($0) >= Self.stayingSeconds }) ?? true
    else { return }
    shown = now
    let part = total > 0 ? min(Double(done) / Double(total), 1) : 0
    let filled = Int(part * Double(Self.barWidth))
    let bar =
      String(repeating: "#", count: filled) + String(repeating: ".", count: Self.barWidth - filled)
    let seconds = now.timeIntervalSince(start)
    let rate = seconds > 0 ? Int64(Double(done) / seconds) : 0
    let percent = Int(part * 100)
    write("\(what(console.language)) [\(bar)] \(percent) % (\(done)/\(total), \(rate)/s)")
  }

  /// Shows a step that cannot be counted.
  mutating func show(_ step: String) {
    guard console.isWatched else { return }
    write(step)
    shown = console.now()
  }

  /// Empties the line, so that what follows begins where it began.
  mutating func end() {
    guard shown != nil else { return }
    write("")
    shown = nil
  }

  private func write(_ text: String) { console.errors(Array((Self.restart + text).utf8)) }
}
