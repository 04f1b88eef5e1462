/// Which systems compile each line of a source, as far as `#if` decides it.
struct ConditionReader {
  /// A system on which a source may be compiled.
  enum Target: Hashable, CaseIterable {
    case apple(AppleSystem)
    case linux

    static let allCases: [Target] = AppleSystem.allCases.map { .apple($0) } + [.linux]
  }

  /// The systems for each line, from line 1 on at index 0.
  private(set) var targets: [Set<Target>] = []

  fileprivate struct Branches {
    /// The systems on which the whole `#if` is compiled.
    let around: Set<Target>
    /// Those that no branch so far has taken for certain.
    var left: Set<Target>
    var active: Set<Target>
  }

  init(code: String) {
    let everywhere = Set(Target.allCases)
    var open: [Branches] = []
    for line in code.split(separator: "\n", omittingEmptySubsequences: false) {
      let text = String(line).trimmed
      let isEnd = text.hasPrefix("#endif")
      if text.hasPrefix("#if") {
        let around = open.last?.active ?? everywhere
        open.append(Branches(around: around, left: around, active: []))
        open[open.count - 1].take(String(text.dropFirst("#if".count)))
        targets.append(around)
        continue
      }
      if text.hasPrefix("#elseif") || text.hasPrefix("#else"), !open.isEmpty {
        let condition =
          text.hasPrefix("#elseif") ? String(text.dropFirst("#elseif".count)) : "true"
        open[open.count - 1].take(condition)
        targets.append(open[open.count - 1].around)
        continue
      }
      if isEnd, let closed = open.popLast() {
        targets.append(closed.around)
        continue
      }
      targets.append(open.last?.active ?? everywhere)
    }
  }

  /// Apple's systems that compile a line.
  func systems(line: Int) -> Set<AppleSystem> {
    guard targets.indices.contains(line - 1) else { return Set(AppleSystem.allCases) }
    return Set(
      targets[line - 1].compactMap { target in
        if case .apple(let system) = target { system } else { nil }
      }
    )
  }
}

extension ConditionReader.Branches {
  /// Makes a branch the active one.
  fileprivate mutating func take(_ condition: String) {
    active = []
    for target in left {
      var parser = ConditionParser(condition, target)
      switch parser.parse() {
      case true?:
        active.insert(target)
        left.remove(target)
      // Whoever builds decides, by a flag for example: both branches count.
      case nil: active.insert(target)
      case false?: break
      }
    }
  }
}

/// Judges a condition of `#if` for one system; nil where only the build knows.
private struct ConditionParser {
  private var tokens: [String]
  private let target: ConditionReader.Target

  init(_ text: String, _ target: ConditionReader.Target) {
    tokens = Self.words.matches(in: text).map { $0.groups[0] }.reversed()
    self.target = target
  }

  private static let words = Pattern(#"\w+|&&|\|\||!|\(|\)|>=|<|[\d.]+"#)

  mutating func parse() -> Bool? {
    var result = conjunction()
    while tokens.last == "||" {
      tokens.removeLast()
      let right = conjunction()
      result = result == true || right == true ? true : result == nil || right == nil ? nil : false
    }
    return result
  }

  private mutating func conjunction() -> Bool? {
    var result = term()
    while tokens.last == "&&" {
      tokens.removeLast()
      let right = term()
      result =
        result == false || right == false ? false : result == nil || right == nil ? nil : true
    }
    return result
  }

  private mutating func term() -> Bool? {
    guard let token = tokens.popLast() else { return nil }
    switch token {
    case "!": return term().map { !$0 }
    case "(":
      let inner = parse()
      if tokens.last == ")" { tokens.removeLast() }
      return inner
    case "true": return true
    case "false": return false
    default:
      guard tokens.last == "(" else { return nil }
      tokens.removeLast()
      var arguments: [String] = []
      // Bound: each turn takes a token away.
      while let next = tokens.popLast(), next != ")" { arguments.append(next) }
      return judge(token, arguments.joined())
    }
  }

  private func judge(_ function: String, _ argument: String) -> Bool? {
    switch (function, target) {
    case ("os", .apple(let system)): return argument == system.rawValue
    case ("os", .linux): return argument == "Linux"
    case ("canImport", .apple(let system)):
      if Self.linuxOnly.contains(argument) { return false }
      if Self.onEverySystem.contains(argument) { return true }
      return Self.onSomeSystems[argument].map { $0.contains(system) }
    case ("canImport", .linux):
      if argument == "FoundationNetworking" || argument == "Glibc" { return true }
      if ["StoreKit", "Foundation", "Dispatch"].contains(argument) { return true }
      return !Self.onEverySystem.contains(argument) && Self.onSomeSystems[argument] == nil
        ? nil : false
    default: return nil
    }
  }

  private static let linuxOnly: Set = ["FoundationNetworking", "Glibc", "Musl"]
  private static let onEverySystem: Set = [
    "Darwin", "ObjectiveC", "os", "OSLog", "CryptoKit", "Security", "StoreKit", "SwiftUI",
    "Combine", "Foundation", "Dispatch", "CommonCrypto",
  ]
  private static let onSomeSystems: [String: Set<AppleSystem>] = [
    "UIKit": [.iOS, .tvOS, .watchOS, .visionOS], "AppKit": [.macOS],
    "WatchKit": [.watchOS], "IOKit": [.macOS],
  ]
}
