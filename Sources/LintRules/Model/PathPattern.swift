/// A pattern of paths: `*` within a name, `**` across folders; a name alone stands for a folder or
/// file of that name anywhere.
struct PathPattern: Sendable {
  private let parts: [String]
  private let isName: Bool

  init(_ text: String) {
    parts = text.split(separator: "/").map(String.init)
    isName = !text.contains("/")
  }

  func matches(_ path: String) -> Bool {
    let names = path.split(separator: "/").map(String.init)
    if isName, let only = parts.first { return names.contains { Self.matches($0, only) } }
    // A folder covers everything in it.
    return (1...max(names.count, 1)).contains { count in
      Self.matches(Array(names.prefix(count))[...], parts[...])
    }
  }

  private static func matches(_ names: ArraySlice<String>, _ parts: ArraySlice<String>) -> Bool {
    guard let part = parts.first else { return names.isEmpty }
    if part == "**" {
      return (0...names.count).contains { matches(names.dropFirst($0), parts.dropFirst()) }
    }
    guard let name = names.first, matches(name, part) else { return false }
    return matches(names.dropFirst(), parts.dropFirst())
  }

  private static func matches(_ name: String, _ pattern: String) -> Bool {
    let pieces = pattern.split(separator: "*", omittingEmptySubsequences: false).map(String.init)
    guard pieces.count > 1, let first = pieces.first, let last = pieces.last else {
      return name == pattern
    }
    guard name.hasPrefix(first), name.hasSuffix(last), name.count >= first.count + last.count else {
      return false
    }
    var rest = name.dropFirst(first.count).dropLast(last.count)
    for piece in pieces.dropFirst().dropLast() where !piece.isEmpty {
      guard let found = String(rest).firstRange(of: piece) else { return false }
      rest = Substring(String(rest)[found.upperBound...])
    }
    return true
  }
}
