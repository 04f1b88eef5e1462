import EntitlementServer
import Foundation
import HTTPClient
import HTTPValues
import IAPModel
import Synchronization

/// The clock of a simulated store in another process, asked for at each request.
///
/// While the store does not answer the clock stands still: access neither ends nor begins then.
final class FollowedClock: ServerClock {
  private let client = HTTPClient()
  private let url: String
  private let latest: Mutex<Date>

  /// Begins to follow a store's clock.
  ///
  /// - Parameter url: The store's address, or the whole address of its clock.
  /// - Throws: ``CommandError`` when there is no clock.
  init(following url: String) async throws(CommandError) {
    let path = "/control/clock"
    self.url =
      url.hasSuffix(path) ? url : (url.hasSuffix("/") ? String(url.dropLast()) : url) + path
    guard let now = await Self.read(self.url, client) else {
      throw CommandError(
        .failed,
        Words("there is no store's clock at \(self.url).", zh: "\(self.url) 没有商店时钟。")
      )
    }
    latest = Mutex(now)
  }

  /// The store's present instant; never earlier than one that was told before.
  func now() async -> Date {
    let read = await Self.read(url, client)
    return latest.withLock { latest in
      if let read { latest = max(latest, read) }
      return latest
    }
  }

  private static func read(_ url: String, _ client: HTTPClient) async -> Date? {
    let request = HTTPOutgoingRequest(method: .get, url: url, timeout: timeout)
    guard let response = try? await client.send(request), response.status == 200,
      let body = try? JSONParser.parseObject(response.body),
      let milliseconds = body["now"]?.integerValue
    else { return nil }
    return Date(milliseconds: milliseconds)
  }

  private static let timeout = Duration.seconds(5)
}
