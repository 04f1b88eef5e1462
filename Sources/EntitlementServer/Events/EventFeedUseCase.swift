import Foundation
import HTTPValues
import IAPModel
import ServerStorage
import Synchronization

/// The feed of events, for backends that would rather ask than be called.
///
/// A caller that waits is answered when there is something, or when its time is up. Who reads it as
/// a stream of server-sent events gets what there is and is told to come again: the stream ends
/// after each batch, which its standard allows, so that no connection outlives a request.
///
/// - **Source:** WHATWG HTML, "Server-sent events"; decision 0312.
struct EventFeedUseCase: Sendable {
  let parts: ServerParts

  /// The longest time that a caller may wait, in seconds.
  static let waitSecondsMax: Int64 = 25
  /// How often a waiting request looks for events of other processes, in seconds.
  static let lookSeconds = 1
  /// The most types that a caller may name.
  static let typesMax = 64
  /// How many pages of events that are not wanted one request passes over.
  static let pagesMax = 20
  /// The most requests that wait at the same time; a further one is answered at once.
  static let waitersMax = 256
  /// After how many milliseconds a reader of the stream comes again.
  static let retryMilliseconds = 1000

  private static let event = Shape.object([
    .required("cursor", .count), .required("id", .text(max: 64)),
    .required("type", .text(max: 64)), .required("timestamp", .text(max: 64)),
    .required("created", .date), .required("app", .text(max: 256)),
    .optional("sequence", .count), .optional("environment", .text(max: 64)),
    .optional("customer", .text(max: 1024)), .required("data", .anything),
  ])

  var routes: [Route] {
    [
      Route(
        .get,
        "/v1/events",
        "Lists what happened, oldest first, and waits for more when it is asked to.",
        access: .backend,
        parameters: [
          .app, .after, .limit,
          Route.Parameter(
            name: "customer",
            place: .query,
            shape: .text(max: parts.configuration.limits.accountBytesMax),
            note: "Only what was recorded under this customer's name."
          ),
          Route.Parameter(
            name: "types",
            place: .query,
            shape: .text(max: 4096),
            note: "Only these types, separated by commas."
          ),
          Route.Parameter(
            name: "wait",
            place: .query,
            shape: .integer(0...Self.waitSecondsMax),
            note: "How many seconds to wait when there is nothing yet; 0 unless it is given."
          ),
          .header("Last-Event-ID", "The cursor of a reader of the stream: wins over after."),
        ],
        answers: [
          Route.Answer(
            200,
            .object([
              .required("events", .list(Self.event, max: 1000)), .required("next", .count),
            ]),
            alternative: "text/event-stream"
          )
        ],
        run: { call async throws(ServerError) in try await answer(call) }
      )
    ]
  }

  private struct Wanted: Sendable {
    let app: BundleID
    let lane: EventLane?
    let types: Set<EventType>
    let limit: Int
  }

  private struct Page: Sendable {
    var events: [EventRecord] = []
    /// Where the next page begins, whether something was found or not.
    var next: Int64
    /// Whether there is more that was not looked at.
    var hasMore = false
  }

  private func answer(_ call: Call) async throws(ServerError) -> Reply {
    let isStream = call.request.headers["Accept"]?.contains("text/event-stream") ?? false
    let (asked, limit) = try call.page()
    let after = try cursor(call) ?? asked
    let wanted = Wanted(
      app: try call.app().bundleID,
      lane: try lane(call),
      types: try types(call),
      limit: limit
    )
    let seconds = try wait(call, isStream)
    var page = try await read(wanted, after: after)
    if page.events.isEmpty, seconds > 0 {
      page = try await waited(wanted, page, seconds: seconds)
    }
    return isStream ? .whole(stream(page)) : .ok(object(page))
  }

  private func waited(
    _ wanted: Wanted,
    _ first: Page,
    seconds: Int64
  ) async throws(ServerError) -> Page {
    guard parts.waiters.enter(Self.waitersMax) else { return first }
    defer { parts.waiters.leave() }
    var page = first
    let end = parts.world.uptime() + .seconds(seconds)
    while page.events.isEmpty, !parts.bell.isClosed, !Task.isCancelled {
      let left = end - parts.world.uptime()
      guard left > .zero || page.hasMore else { break }
      let rings = parts.bell.rings
      page = try await read(wanted, after: page.next)
      guard page.events.isEmpty, !page.hasMore, left > .zero else { continue }
      let pause = min(left, .seconds(Self.lookSeconds))
      await parts.bell.wait(after: rings) { [world = parts.world] in await world.pause(pause) }
    }
    return page
  }

  private func read(_ wanted: Wanted, after: Int64) async throws(ServerError) -> Page {
    try await parts.read { reader throws(StorageError) in
      var page = Page(next: after)
      for _ in 0..<Self.pagesMax {
        let found = try reader.events(
          of: wanted.app,
          in: wanted.lane,
          after: page.next,
          limit: wanted.limit
        )
        for event in found {
          page.next = event.sequence
          guard wanted.types.isEmpty || wanted.types.contains(event.type) else { continue }
          page.events.append(event)
          if page.events.count == wanted.limit { return page }
        }
        page.hasMore = found.count == wanted.limit
        guard page.hasMore else { break }
      }
      return page
    }
  }

  private func object(_ page: Page) -> JSONObject {
    [
      "events": .array(
        page.events.map { event in
          var object = message(event)
          object["cursor"] = .integer(event.sequence)
          return .object(object)
        }
      ),
      "next": .integer(page.next),
    ]
  }

  private func stream(_ page: Page) -> HTTPResponse {
    var text = "retry: \(Self.retryMilliseconds)\n\n"
    for event in page.events {
      let data = JSONValue.object(message(event)).serializedText
      text += "id: \(event.sequence)\nevent: \(event.type)\ndata: \(data)\n\n"
    }
    // A reader that found nothing it wants goes on behind what was passed over.
    if page.events.isEmpty { text += "id: \(page.next)\n: nothing yet\n\n" }
    return HTTPResponse(
      status: 200,
      headers: ["Content-Type": "text/event-stream; charset=utf-8", "Cache-Control": "no-store"],
      body: Array(text.utf8)
    )
  }

  private func message(_ event: EventRecord) -> JSONObject {
    WebhookMessage(event: event, isSimulated: parts.configuration.isSimulated).object
  }

  private func cursor(_ call: Call) throws(ServerError) -> Int64? {
    guard let text = call.request.headers["Last-Event-ID"], !text.isEmpty else { return nil }
    guard let cursor = Int64(text), cursor >= 0 else {
      throw RequestMembers.invalid("Last-Event-ID", Shape.count.wanted)
    }
    return cursor
  }

  private func lane(_ call: Call) throws(ServerError) -> EventLane? {
    guard let text = call.request.queryValue("customer") else { return nil }
    return .customer(
      try RequestMembers.customer(text, "customer", parts.configuration.limits)
    )
  }

  private func types(_ call: Call) throws(ServerError) -> Set<EventType> {
    guard let text = call.request.queryValue("types") else { return [] }
    let words = text.split(separator: ",").map { EventType(rawValue: String($0)) }
    guard (1...Self.typesMax).contains(words.count), words.allSatisfy(EventType.all.contains)
    else {
      throw RequestMembers.invalid("types", "a list of types of events, separated by commas")
    }
    return Set(words)
  }

  private func wait(_ call: Call, _ isStream: Bool) throws(ServerError) -> Int64 {
    guard let text = call.request.queryValue("wait") else {
      return isStream ? Self.waitSecondsMax : 0
    }
    guard let seconds = Int64(text), (0...Self.waitSecondsMax).contains(seconds) else {
      throw RequestMembers.invalid("wait", Shape.integer(0...Self.waitSecondsMax).wanted)
    }
    return seconds
  }
}

/// Counts requests that wait.
final class EventWaiters: Sendable {
  private let count = Mutex(0)

  /// Counts one more unless there are so many.
  func enter(_ most: Int) -> Bool {
    count.withLock { count in
      guard count < most else { return false }
      count += 1
      return true
    }
  }

  /// Counts one less.
  func leave() { count.withLock { $0 -= 1 } }
}
