import Foundation
import HTTPClient
import HTTPValues
import Synchronization

/// Writes down what other machines' clocks say, and which did not answer, while they are asked.
final class DoctorNotes: Sendable {
  /// What one machine said.
  struct Note: Sendable {
    /// By how many seconds its clock is ahead of ours; nil when it did not say.
    var skew: TimeInterval?
    /// Why it did not answer, as a stable word; nil when it did.
    var failure: String?
    /// The status of its last answer.
    var status: Int?
  }

  private let notes = Mutex<[String: Note]>([:])

  /// What was said so far, by host.
  var all: [String: Note] { notes.withLock(\.self) }

  /// Sends a request and writes down what comes back.
  func send(
    _ request: HTTPOutgoingRequest,
    in world: DoctorWorld
  ) async throws(HTTPClientError)
    -> HTTPResponse
  {
    let host = Self.host(request.url)
    let begin = world.now()
    do throws(HTTPClientError) {
      let response = try await world.send(request)
      let middle = begin.addingTimeInterval(world.now().timeIntervalSince(begin) / 2)
      let date = response.headers["Date"].flatMap { Self.date($0) }
      notes.withLock {
        $0[host] = Note(
          // The header has whole seconds: its middle is meant.
          skew: date.map { $0.timeIntervalSince(middle) + 0.5 } ?? $0[host]?.skew,
          failure: nil,
          status: response.status
        )
      }
      return response
    } catch {
      notes.withLock { $0[host, default: Note()].failure = error.code.rawValue }
      throw error
    }
  }

  /// Scheme, host and port.
  static func host(_ url: String) -> String {
    guard let parts = URLComponents(string: url), let host = parts.host else { return url }
    return (parts.scheme.map { "\($0)://" } ?? "") + host + (parts.port.map { ":\($0)" } ?? "")
  }

  /// Reads the date of an HTTP header.
  static func date(_ text: String) -> Date? {
    let format = DateFormatter()
    format.locale = Locale(identifier: "en_US_POSIX")
    format.timeZone = TimeZone(secondsFromGMT: 0)
    format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss zzz"
    return format.date(from: text)
  }
}
