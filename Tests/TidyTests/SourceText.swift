/// A Swift source in which code, comments and texts are told apart.
///
/// Every byte keeps its place: what does not belong to a view is a space there, so offsets and line
/// numbers agree between views. Code is ASCII; other characters become `?`, one for each byte.
struct SourceText: Sendable {
  /// The source without comments and without the inside of texts; interpolated code stays.
  let code: String
  /// The comments alone.
  let comments: String
  /// The lines as they are.
  let lines: [Substring]

  init(_ text: String) {
    var scanner = SourceScanner(Array(text.utf8))
    scanner.scan()
    code = String(decoding: scanner.code, as: UTF8.self)
    comments = String(decoding: scanner.comments, as: UTF8.self)
    lines = text.split(separator: "\n", omittingEmptySubsequences: false)
  }
}

/// Walks over the bytes once. Understands nested comments, raw and multi-line texts, interpolation.
private struct SourceScanner {
  /// What surrounds the current byte.
  private enum Context {
    /// Code inside an interpolation, with the number of parentheses that are open in it.
    case interpolation(open: Int)
    /// A text, by its number signs and whether it has three quotes.
    case text(signs: Int, isMultiline: Bool)
  }

  let bytes: [UInt8]
  var code: [UInt8]
  var comments: [UInt8]
  private var contexts: [Context] = []
  private var index = 0

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    let blank = bytes.map { $0 == newline ? newline : space }
    code = blank
    comments = blank
  }

  mutating func scan() {
    while index < bytes.count {
      if case .text(let signs, let isMultiline)? = contexts.last {
        scanText(signs, isMultiline)
      } else {
        scanCode()
      }
    }
  }

  private func byte(_ offset: Int) -> UInt8 {
    index + offset < bytes.count ? bytes[index + offset] : 0
  }

  private mutating func keepCode() {
    let byte = bytes[index]
    code[index] = byte < 0x80 ? byte : UInt8(ascii: "?")
    index += 1
  }

  private mutating func keepComment() {
    comments[index] = bytes[index]
    index += 1
  }

  private mutating func scanCode() {
    switch byte(0) {
    case UInt8(ascii: "/") where byte(1) == UInt8(ascii: "/"):
      while index < bytes.count, bytes[index] != newline { keepComment() }
    case UInt8(ascii: "/") where byte(1) == UInt8(ascii: "*"):
      scanBlockComment()
    case UInt8(ascii: "#"):
      scanNumberSigns()
    case quote:
      openText(signs: 0)
    case UInt8(ascii: "("):
      if case .interpolation(let open)? = contexts.last {
        contexts[contexts.count - 1] = .interpolation(open: open + 1)
      }
      keepCode()
    case UInt8(ascii: ")"):
      if case .interpolation(let open)? = contexts.last {
        if open == 0 {
          contexts.removeLast()
          code[index] = UInt8(ascii: ")")
          index += 1
          return
        }
        contexts[contexts.count - 1] = .interpolation(open: open - 1)
      }
      keepCode()
    default:
      keepCode()
    }
  }

  private mutating func scanBlockComment() {
    var depth = 0
    while index < bytes.count {
      if byte(0) == UInt8(ascii: "/"), byte(1) == UInt8(ascii: "*") {
        depth += 1
        keepComment()
        keepComment()
      } else if byte(0) == UInt8(ascii: "*"), byte(1) == UInt8(ascii: "/") {
        depth -= 1
        keepComment()
        keepComment()
        if depth == 0 { return }
      } else {
        keepComment()
      }
    }
  }

  private mutating func scanNumberSigns() {
    var signs = 0
    while byte(signs) == UInt8(ascii: "#") { signs += 1 }
    if byte(signs) == quote {
      index += signs
      openText(signs: signs)
    } else {
      for _ in 0..<signs { keepCode() }
    }
  }

  private mutating func openText(signs: Int) {
    let isMultiline = byte(1) == quote && byte(2) == quote
    let quotes = isMultiline ? 3 : 1
    for offset in 0..<quotes { code[index + offset] = quote }
    index += quotes
    contexts.append(.text(signs: signs, isMultiline: isMultiline))
  }

  private mutating func scanText(_ signs: Int, _ isMultiline: Bool) {
    let quotes = isMultiline ? 3 : 1
    if byte(0) == UInt8(ascii: "\\"), (0..<signs).allSatisfy({ byte(1 + $0) == UInt8(ascii: "#") })
    {
      if byte(1 + signs) == UInt8(ascii: "(") {
        index += 1 + signs
        code[index] = UInt8(ascii: "(")
        index += 1
        contexts.append(.interpolation(open: 0))
      } else {
        index += 2 + signs
      }
    } else if (0..<quotes).allSatisfy({ byte($0) == quote }),
      (0..<signs).allSatisfy({ byte(quotes + $0) == UInt8(ascii: "#") })
    {
      for offset in 0..<quotes { code[index + offset] = quote }
      index += quotes + signs
      contexts.removeLast()
    } else {
      // A text on one line ends with it, whatever is missing.
      if byte(0) == newline, !isMultiline { contexts.removeLast() }
      index += 1
    }
  }
}

private let newline = UInt8(ascii: "\n")
private let space = UInt8(ascii: " ")
private let quote = UInt8(ascii: "\"")
