import Foundation
import Synchronization

/// What happened in a run, line by line, when somebody wants to read it.
package final class RunTrace: Sendable {
  private struct State {
    var lines: [String] = []
    var start: Date?
  }

  /// Whether lines are kept.
  package let isOn: Bool
  private let state = Mutex(State())

  package init(isOn: Bool) { self.isOn = isOn }

  /// Everything so far.
  package var lines: [String] { state.withLock { $0.lines } }

  func note(_ now: Date, _ text: @autoclosure () -> String) {
    guard isOn else { return }
    let text = text()
    state.withLock { state in
      let start = state.start ?? now
      state.start = start
      let milliseconds = Int(((now.timeIntervalSince(start)) * 1000).rounded())
      let seconds = milliseconds / 1000
      let rest = String(milliseconds % 1000 + 1000).dropFirst()
      state.lines.append("\(seconds).\(rest) \(text)")
    }
  }
}
