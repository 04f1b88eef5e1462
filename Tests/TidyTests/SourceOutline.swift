import Foundation

/// A declaration with a body, found by its braces.
struct Declaration: Sendable {
  enum Kind: String, Sendable {
    case type
    case function
    case other
  }

  let kind: Kind
  /// The keyword: `struct`, `func`, `init`, and so on; empty for a closure or a statement.
  let keyword: String
  /// The name behind the keyword.
  let name: String
  /// The code from the start of the keyword's line to the opening brace.
  let header: String
  /// The line of the keyword, from one.
  let firstLine: Int
  /// The line of the closing brace.
  let lastLine: Int
  /// The names of the types around it, outermost first.
  let enclosing: [String]

  var lineCount: Int { lastLine - firstLine + 1 }
  var isPublic: Bool { Self.publicWord.isFound(in: header) }

  private static let publicWord = Pattern(#"^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:public|open)\b"#)
}

/// The signature of a function or initialiser, with or without a body.
struct Signature: Sendable {
  let line: Int
  /// What stands before `func` or `init` on its line: `public static`, for example.
  let modifiers: String
  /// The name; `init` for an initialiser.
  let name: String
  let parameters: String
  /// What stands between the parameters and the body: `async throws -> Int`, for example.
  let effects: String

  private static let start = Pattern(
    #"^[ \t]*((?:@\w+(?:\([^)\n]*\))?[ \t]+|[a-z]+(?:\([a-z]+\))?[ \t]+)*)(?:func[ \t]+([^\s(<]+)|(init)[?!]?)[ \t]*[<(]"#
  )
  private static let continuations = ["async", "throws", "rethrows", "->", "where", "{"]

  /// Every signature in a file's code.
  static func all(in code: String) -> [Signature] {
    let bytes = Array(code.utf8)
    return start.matches(in: code).compactMap { match in
      var index = match.end - 1
      // Generic parameters hold no parentheses in practice.
      while index < bytes.count, bytes[index] != UInt8(ascii: "(") { index += 1 }
      let open = index
      var depth = 0
      while index < bytes.count {
        if bytes[index] == UInt8(ascii: "(") { depth += 1 }
        if bytes[index] == UInt8(ascii: ")") { depth -= 1 }
        index += 1
        if depth == 0 { break }
      }
      return Signature(
        line: match.line,
        modifiers: match.groups[1],
        name: match.groups[2].isEmpty ? "init" : match.groups[2],
        parameters: String(decoding: bytes[open..<index], as: UTF8.self),
        effects: effects(in: bytes[index...])
      )
    }
  }

  private static func effects(in rest: ArraySlice<UInt8>) -> String {
    var taken: [String] = []
    for (number, line) in rest.prefix(2_000).split(
      separator: UInt8(ascii: "\n"),
      omittingEmptySubsequences: false
    ).enumerated() {
      let text = String(decoding: line, as: UTF8.self).trimmingCharacters(in: .whitespaces)
      if number > 0, !continuations.contains(where: { text.hasPrefix($0) }) { break }
      if let brace = text.firstIndex(of: "{") {
        taken.append(String(text[..<brace]))
        break
      }
      taken.append(text)
    }
    return taken.joined(separator: " ")
  }
}

/// The declarations of one file, in the order in which they end.
struct SourceOutline: Sendable {
  let declarations: [Declaration]

  init(code: String) {
    var reader = OutlineReader(code: Array(code.utf8))
    reader.read()
    declarations = reader.declarations
  }
}

private struct OutlineReader {
  private struct Scope {
    let keyword: String
    let name: String
    let header: String
    let firstLine: Int
  }

  let code: [UInt8]
  var declarations: [Declaration] = []
  private var scopes: [Scope] = []
  private var line = 1
  /// Where the text since the last brace begins, and on which line.
  private var start = 0
  private var startLine = 1

  init(code: [UInt8]) { self.code = code }

  mutating func read() {
    // A brace inside parentheses belongs to an argument: it opens and closes without a name.
    for (index, byte) in code.enumerated() {
      switch byte {
      case UInt8(ascii: "\n"):
        line += 1
      case UInt8(ascii: "{"):
        scopes.append(scope(before: index))
        restart(index + 1)
      case UInt8(ascii: "}"):
        close()
        restart(index + 1)
      default:
        break
      }
    }
  }

  private mutating func restart(_ index: Int) {
    start = index
    startLine = line
  }

  private func scope(before brace: Int) -> Scope {
    let text = Array(code[start..<brace])
    guard let found = lastKeyword(in: text) else {
      return Scope(keyword: "", name: "", header: "", firstLine: line)
    }
    let lineStart = text[..<found.offset].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    let skipped = text[..<found.offset].count { $0 == UInt8(ascii: "\n") }
    return Scope(
      keyword: found.word,
      name: name(in: text, from: found.offset + found.word.utf8.count),
      header: String(decoding: text[lineStart...], as: UTF8.self),
      firstLine: startLine + skipped
    )
  }

  /// The last word outside parentheses that begins a declaration or a statement.
  private func lastKeyword(in text: [UInt8]) -> (word: String, offset: Int)? {
    var result: (word: String, offset: Int)?
    var depth = 0
    var index = 0
    while index < text.count {
      let byte = text[index]
      if byte == UInt8(ascii: "(") || byte == UInt8(ascii: "[") {
        depth += 1
      } else if byte == UInt8(ascii: ")") || byte == UInt8(ascii: "]") {
        depth -= 1
      } else if isWord(byte) {
        let first = index
        while index < text.count, isWord(text[index]) { index += 1 }
        if depth == 0, first == 0 || text[first - 1] != UInt8(ascii: ".") {
          let word = String(decoding: text[first..<index], as: UTF8.self)
          if keywords.contains(word), !(word == "class" && result?.word == "func") {
            result = (word, first)
          }
        }
        continue
      }
      index += 1
    }
    return result
  }

  private func name(in text: [UInt8], from offset: Int) -> String {
    let rest = text[offset...].drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "`") }
    let name = rest.prefix { isWord($0) || $0 == UInt8(ascii: ".") }
    return String(decoding: name, as: UTF8.self)
  }

  private mutating func close() {
    guard let scope = scopes.popLast(), !scope.keyword.isEmpty else { return }
    let types = scopes.filter { typeKeywords.contains($0.keyword) }
    let isFunction = functionKeywords.contains(scope.keyword)
    let isType = typeKeywords.contains(scope.keyword)
    declarations.append(
      Declaration(
        kind: isType ? .type : isFunction ? .function : .other,
        keyword: scope.keyword,
        name: scope.name,
        header: scope.header,
        firstLine: scope.firstLine,
        lastLine: line,
        enclosing: types.map(\.name)
      )
    )
  }
}

private func isWord(_ byte: UInt8) -> Bool {
  switch byte {
  case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
    true
  default:
    false
  }
}

private let typeKeywords: Set = ["class", "struct", "enum", "protocol", "extension", "actor"]
private let functionKeywords: Set = ["func", "init", "deinit", "subscript"]
private let keywords: Set = typeKeywords.union(functionKeywords).union([
  "var", "let", "case", "if", "guard", "else", "for", "while", "switch", "do", "catch", "repeat",
  "defer", "get", "set", "return",
])
