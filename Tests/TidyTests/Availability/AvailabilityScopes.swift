/// Where a source promises that a newer system is there, and where it is not Apple's at all.
///
/// Understood are `if #available`, `guard #available`, `while #available`, `@available` on a
/// declaration, and `#if` around what only Linux compiles. `#unavailable` is not: it promises
/// nothing here.
struct AvailabilityScopes: Sendable {
  private struct Scope: Sendable {
    let range: Range<Int>
    let versions: SystemVersions
  }

  private var scopes: [Scope] = []
  private(set) var linuxLines: [ClosedRange<Int>] = []
  private let lineStarts: [Int]

  init(code: String) {
    let bytes = Array(code.utf8)
    var starts = [0]
    for (index, byte) in bytes.enumerated() where byte == UInt8(ascii: "\n") {
      starts.append(index + 1)
    }
    lineStarts = starts
    let reader = BraceReader(bytes: bytes)
    for match in Self.conditions.matches(in: code) {
      guard let versions = Self.versions(match.groups[1]) else { continue }
      if let range = reader.rangeOfCondition(endingAt: match.end) {
        scopes.append(Scope(range: range, versions: versions))
      }
    }
    for match in Self.attributes.matches(in: code) {
      guard let versions = Self.versions(match.groups[1]) else { continue }
      scopes.append(
        Scope(range: reader.rangeOfDeclaration(after: match.end), versions: versions)
      )
    }
    linuxLines = Self.linuxLines(code)
  }

  private static let conditions = Pattern(#"#available\(([^)]*)\)"#)
  private static let attributes = Pattern(#"@available\(([^)]*)\)"#)

  /// What is promised at a place: the floor, raised by every scope around it.
  func promised(line: Int, column: Int) -> SystemVersions {
    guard line >= 1, line <= lineStarts.count else { return .floor }
    let offset = lineStarts[line - 1] + column - 1
    return scopes.filter { $0.range.contains(offset) }
      .reduce(.floor) { $0.raised(to: $1.versions) }
  }

  func isLinuxOnly(line: Int) -> Bool { linuxLines.contains { $0.contains(line) } }

  /// Reads `iOS 15.0, macOS 12.0, *`; a system that is not named stays at the floor. Nil for the
  /// long form without `introduced`, such as a deprecation.
  private static func versions(_ list: String) -> SystemVersions? {
    var iOS = SystemVersions.floor.iOS
    var macOS = SystemVersions.floor.macOS
    let parts = list.split(separator: ",").map(\.trimmedText)
    if let introduced = parts.first(where: { $0.hasPrefix("introduced") }) {
      guard let version = SystemVersions.Version(introduced.drop { !$0.isNumber }) else {
        return nil
      }
      if parts[0] == "iOS" { iOS = version }
      if parts[0] == "macOS" { macOS = version }
      return SystemVersions(iOS: iOS, macOS: macOS)
    }
    for part in parts {
      let words = part.split(separator: " ")
      guard words.count == 2, let version = SystemVersions.Version(words[1]) else { continue }
      if words[0] == "iOS" { iOS = version }
      if words[0] == "macOS" { macOS = version }
    }
    return SystemVersions(iOS: iOS, macOS: macOS)
  }

  private static let linuxConditions: Set = [
    "os(Linux)", "canImport(FoundationNetworking)", "canImport(Glibc)", "canImport(Musl)",
    "!canImport(Darwin)", "!canImport(ObjectiveC)", "!canImport(os)", "!canImport(CryptoKit)",
    "!canImport(Security)",
  ]

  private static func linuxLines(_ code: String) -> [ClosedRange<Int>] {
    var result: [ClosedRange<Int>] = []
    /// The line on which each open branch began, nil where it is not Linux's alone.
    var open: [(start: Int?, condition: String)] = []
    for (index, line) in code.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      let text = String(line).trimmedText
      let number = index + 1
      let isEnd = text.hasPrefix("#endif")
      if isEnd || text.hasPrefix("#else") || text.hasPrefix("#elseif"), let branch = open.popLast()
      {
        if let start = branch.start, start < number { result.append(start...number) }
        guard !isEnd else { continue }
        let condition =
          text.hasPrefix("#elseif")
          ? String(text.dropFirst("#elseif".count)).trimmedText : negated(branch.condition)
        open.append((linuxConditions.contains(condition) ? number : nil, condition))
      } else if text.hasPrefix("#if") {
        let condition = String(text.dropFirst("#if".count)).trimmedText
        open.append((linuxConditions.contains(condition) ? number : nil, condition))
      }
    }
    return result
  }

  private static func negated(_ condition: String) -> String {
    condition.hasPrefix("!") ? String(condition.dropFirst()) : "!" + condition
  }
}

/// Finds where blocks and declarations end.
private struct BraceReader {
  let bytes: [UInt8]

  /// From a condition to the end of what it guards.
  ///
  /// For `if` and `while` that is the block that follows; for `guard` the rest of the block around
  /// it.
  func rangeOfCondition(endingAt end: Int) -> Range<Int>? {
    guard let open = nextBrace(from: end), let close = closing(open) else { return nil }
    guard lastKeyword(before: end) == "guard" else { return end..<close }
    return end..<(closingOfScope(around: close + 1) ?? bytes.count)
  }

  /// From behind an attribute to the end of its declaration.
  func rangeOfDeclaration(after end: Int) -> Range<Int> {
    var index = end
    var depth = 0
    var hasCode = false
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "("), UInt8(ascii: "["):
        depth += 1
        hasCode = true
      case UInt8(ascii: ")"), UInt8(ascii: "]"):
        depth -= 1
      case UInt8(ascii: "{") where depth == 0:
        return end..<(closing(index) ?? bytes.count)
      case UInt8(ascii: "}") where depth == 0:
        return end..<index
      case UInt8(ascii: "\n") where depth == 0 && hasCode && !continues(after: index):
        return end..<index
      case UInt8(ascii: "\n"), UInt8(ascii: " "), UInt8(ascii: "\t"):
        break
      case UInt8(ascii: "@"):
        // A further attribute is no declaration yet: skip its name.
        while index + 1 < bytes.count, isWord(bytes[index + 1]) { index += 1 }
        if index + 1 < bytes.count, bytes[index + 1] == UInt8(ascii: "(") {
          index = closingParenthesis(index + 1)
        }
      default:
        hasCode = true
      }
      index += 1
    }
    return end..<bytes.count
  }

  private func isWord(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "_") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte & 0xDF)
  }

  private func closingParenthesis(_ open: Int) -> Int {
    var depth = 0
    for index in open..<bytes.count {
      if bytes[index] == UInt8(ascii: "(") { depth += 1 }
      if bytes[index] == UInt8(ascii: ")") {
        depth -= 1
        if depth == 0 { return index }
      }
    }
    return bytes.count - 1
  }

  /// Whether the line behind a line break belongs to the same declaration.
  private func continues(after lineBreak: Int) -> Bool {
    let rest = bytes[(lineBreak + 1)...].drop { $0 == UInt8(ascii: " ") }
    let text = String(decoding: rest.prefix(10), as: UTF8.self)
    return ["{", "->", "async", "throws", "where", "=", "."].contains { text.hasPrefix($0) }
  }

  private func nextBrace(from start: Int) -> Int? {
    var depth = 0
    for index in start..<bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "("): depth += 1
      case UInt8(ascii: ")"): depth -= 1
      case UInt8(ascii: "{") where depth == 0: return index
      default: break
      }
    }
    return nil
  }

  private func closing(_ open: Int) -> Int? {
    var depth = 0
    for index in open..<bytes.count {
      if bytes[index] == UInt8(ascii: "{") { depth += 1 }
      if bytes[index] == UInt8(ascii: "}") {
        depth -= 1
        if depth == 0 { return index }
      }
    }
    return nil
  }

  private func closingOfScope(around start: Int) -> Int? {
    var depth = 0
    for index in start..<bytes.count {
      if bytes[index] == UInt8(ascii: "{") { depth += 1 }
      if bytes[index] == UInt8(ascii: "}") {
        depth -= 1
        if depth < 0 { return index }
      }
    }
    return nil
  }

  /// The nearest of the words that can own a condition.
  private func lastKeyword(before end: Int) -> String? {
    let text = String(decoding: bytes[max(end - 400, 0)..<end], as: UTF8.self)
    let words = text.split { !$0.isLetter }
    return words.last { ["if", "guard", "while"].contains($0) }.map(String.init)
  }
}

extension StringProtocol {
  /// The text without spaces at its ends.
  fileprivate var trimmedText: String {
    var text = Substring(self)
    while text.first?.isWhitespace ?? false { text.removeFirst() }
    while text.last?.isWhitespace ?? false { text.removeLast() }
    return String(text)
  }
}
