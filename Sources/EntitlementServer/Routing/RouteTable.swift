import HTTPValues
import IAPModel

/// All routes, and how a request finds its own.
struct RouteTable: Sendable {
  /// One part of a route's path.
  private enum Part {
    case text(String)
    case parameter(String)

    init(_ segment: Substring) {
      self =
        segment.hasPrefix("{")
        ? .parameter(String(segment.dropFirst().dropLast())) : .text(String(segment))
    }

    var isText: Bool {
      if case .text = self { true } else { false }
    }

    func matches(_ text: String) -> Bool {
      switch self {
      case .text(let own): own == text
      case .parameter: !text.isEmpty
      }
    }
  }

  let routes: [Route]
  /// The parts of each route's path.
  private let patterns: [[Part]]
  /// How many of them are spelled out.
  private let textCounts: [Int]
  /// Paths without parameters, which win over all others.
  private let plain: [[String]: [Int]]
  /// The other ones, by how many parts they have.
  private let open: [Int: [Int]]

  init(_ routes: [Route]) {
    precondition(
      Set(routes.map { "\($0.method) \($0.path)" }).count == routes.count,
      "a route stands once"
    )
    self.routes = routes
    let patterns = routes.map { $0.segments.map { Part($0) } }
    self.patterns = patterns
    textCounts = patterns.map { $0.count(where: \.isText) }
    let isPlain = patterns.map { $0.allSatisfy(\.isText) }
    plain = Dictionary(grouping: routes.indices.filter { isPlain[$0] }) {
      routes[$0].segments.map { String($0) }
    }
    open = Dictionary(grouping: routes.indices.filter { !isPlain[$0] }) { patterns[$0].count }
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
    let candidates =
      plain[path] ?? (open[path.count] ?? []).filter { Self.matches(patterns[$0], path) }
    // A path that is spelled out wins over one with a parameter in its place.
    let textCount = candidates.map { textCounts[$0] }.max() ?? 0
    let closest = candidates.filter { textCounts[$0] == textCount }
    guard let first = closest.first else { return .nothing }
    guard let index = closest.first(where: { routes[$0].methods.contains(method) }) else {
      return .otherMethods(
        path: routes[first].path,
        closest.flatMap { routes[$0].methods }
      )
    }
    var values: [String: String] = [:]
    for (part, text) in zip(patterns[index], path) {
      if case .parameter(let name) = part { values[name] = text }
    }
    return .found(routes[index], values)
  }

  private static func matches(_ pattern: [Part], _ path: [String]) -> Bool {
    pattern.count == path.count && zip(pattern, path).allSatisfy { $0.matches($1) }
  }
}
