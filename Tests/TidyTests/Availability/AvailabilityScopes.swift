/// Where a source promises that a newer system is there, and where one is left out.
///
/// Understood are `if #available`, `guard #available`, `while #available`, `@available` on a
/// declaration, and `#if` by system or module. `#unavailable` is not: it promises nothing here.
struct AvailabilityScopes: Sendable {
  private struct Scope: Sendable {
    let range: Range<Int>
    /// What is promised; a system that is not named stays as it is.
    var promised: [AppleSystem: SystemVersions.Version] = [:]
    /// Systems on which the declaration does not exist.
    var left: Set<AppleSystem> = []
  }

  private var scopes: [Scope] = []
  private let systems: [Set<AppleSystem>]
  private let lineStarts: [Int]

  init(code: String) {
    let bytes = Array(code.utf8)
    var starts = [0]
    for (index, byte) in bytes.enumerated() where byte == UInt8(ascii: "\n") {
      starts.append(index + 1)
    }
    lineStarts = starts
    let conditionReader = ConditionReader(code: code)
    systems = starts.indices.map { conditionReader.systems(line: $0 + 1) }
    let reader = BraceReader(bytes: bytes)
    for match in Self.conditions.matches(in: code) {
      guard let range = reader.rangeOfCondition(endingAt: match.end) else { continue }
      scopes.append(Self.scope(range, match.groups[1]))
    }
    for match in Self.attributes.matches(in: code) {
      scopes.append(Self.scope(reader.rangeOfDeclaration(after: match.end), match.groups[1]))
    }
  }

  private static let conditions = Pattern(#"#available\(([^)]*)\)"#)
  private static let attributes = Pattern(#"@available\(([^)]*)\)"#)

  /// What is promised at a place, for the systems that compile it: the floor, raised by every scope
  /// around it.
  func promised(line: Int, column: Int) -> SystemVersions {
    guard line >= 1, line <= lineStarts.count else { return .floor }
    let offset = lineStarts[line - 1] + column - 1
    var result = SystemVersions.floor
    for system in AppleSystem.allCases where !systems[line - 1].contains(system) {
      result.versions[system] = nil
    }
    for scope in scopes where scope.range.contains(offset) {
      for (system, version) in scope.promised {
        result.versions[system] = result.versions[system].map { max($0, version) }
      }
      for system in scope.left { result.versions[system] = nil }
    }
    return result
  }

  /// Whether no system of Apple's compiles the line.
  func isLinuxOnly(line: Int) -> Bool {
    systems.indices.contains(line - 1) && systems[line - 1].isEmpty
  }

  /// Reads `iOS 15.0, macOS 12.0, *`, `iOS, introduced: 15` and `tvOS, unavailable`; anything else,
  /// such as a deprecation, promises nothing.
  private static func scope(_ range: Range<Int>, _ list: String) -> Scope {
    var scope = Scope(range: range)
    let parts = list.split(separator: ",").map { String($0).trimmed }
    if let system = AppleSystem(rawValue: parts.first ?? "") {
      if parts.contains("unavailable") { scope.left = [system] }
      let introduced = parts.first { $0.hasPrefix("introduced") }
      scope.promised[system] = introduced.flatMap { text in
        SystemVersions.Version(text.drop { !$0.isNumber })
      }
      return scope
    }
    for part in parts {
      let words = part.split(separator: " ")
      guard words.count == 2, let system = AppleSystem(rawValue: String(words[0])) else { continue }
      scope.promised[system] = SystemVersions.Version(words[1])
    }
    return scope
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
