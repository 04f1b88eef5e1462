import HTTPValues
import IAPModel

/// All routes, and how a request finds its own.
struct RouteTable: Sendable {
  let routes: [Route]
  private let segments: [[Substring]]

  init(_ routes: [Route]) {
    precondition(
      Set(routes.map { "\($0.method) \($0.path)" }).count == routes.count,
      "a route stands once"
    )
    self.routes = routes
    segments = routes.map(\.segments)
  }

  /// What was found for a request.
  enum Match {
    /// The route, and the values of the parameters in its path.
    case found(Route, [String: String])
    /// There are routes of this path, for these methods.
    case otherMethods(path: String, [HTTPMethod])
    /// There is no such path.
    case nothing
  }

  func match(_ method: HTTPMethod, _ path: [String]) -> Match {
    let candidates = routes.indices.filter { Self.matches(segments[$0], path) }
    // A path that is spelled out wins over one with a parameter in its place.
    let literalCount = candidates.map { Self.literals(segments[$0]) }.max() ?? 0
    let closest = candidates.filter { Self.literals(segments[$0]) == literalCount }
    guard let first = closest.first else { return .nothing }
    guard let index = closest.first(where: { routes[$0].methods.contains(method) }) else {
      return .otherMethods(
        path: routes[first].path,
        closest.flatMap { routes[$0].methods }
      )
    }
    var values: [String: String] = [:]
    for (segment, text) in zip(segments[index], path) where segment.hasPrefix("{") {
      values[String(segment.dropFirst().dropLast())] = text
    }
    return .found(routes[index], values)
  }

  private static func literals(_ segments: [Substring]) -> Int {
    segments.count { !$0.hasPrefix("{") }
  }

  private static func matches(_ segments: [Substring], _ path: [String]) -> Bool {
    segments.count == path.count
      && zip(segments, path).allSatisfy { segment, text in
        segment.hasPrefix("{") ? !text.isEmpty : segment == text
      }
  }
}
