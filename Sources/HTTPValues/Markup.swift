/// A piece of a page: a tree that escapes everything when it is written out.
///
/// Text and attributes come from anywhere; names of elements and attributes come from the source
/// alone. There is no way to put ready-made markup, a script, a style or an event's script into it.
package struct Markup: Hashable, Sendable, ExpressibleByStringLiteral {
  private indirect enum Node: Hashable, Sendable {
    case text(String)
    case element(String, [MarkupAttribute], [Markup])
    case many([Markup])
  }

  private let node: Node

  private init(_ node: Node) { self.node = node }

  /// Text of the page's own.
  package init(stringLiteral value: String) { self.init(.text(value)) }

  /// Text, from anywhere.
  package static func text(_ text: String) -> Markup { Markup(.text(text)) }

  /// Text that somebody else wrote, kept from turning the direction of what stands around it.
  package static func foreign(_ text: String) -> Markup { .element("bdi", [], [.text(text)]) }

  /// Several pieces, one after the other.
  package static func many(_ pieces: [Markup]) -> Markup { Markup(.many(pieces)) }

  /// Nothing.
  package static let nothing = Markup(.many([]))

  /// An element.
  ///
  /// - Parameters:
  ///   - name: Its name; `script` and `style` may hold nothing.
  ///   - attributes: Its attributes.
  ///   - content: What stands in it.
  /// - Returns: The element.
  package static func element(
    _ name: StaticString,
    _ attributes: [MarkupAttribute] = [],
    _ content: [Markup] = []
  ) -> Markup {
    let name = name.description
    precondition(
      !["script", "style"].contains(name) || content.isEmpty,
      "scripts and styles are files"
    )
    return Markup(.element(name, attributes, content))
  }

  /// Whether there is nothing in it.
  package var isNothing: Bool {
    switch node {
    case .text(let text): text.isEmpty
    case .element: false
    case .many(let pieces): pieces.allSatisfy(\.isNothing)
    }
  }

  /// A whole page, written out.
  package static func page(_ root: Markup) -> [UInt8] {
    var output = Array("<!DOCTYPE html>\n".utf8)
    root.write(to: &output)
    return output
  }

  /// Written out.
  package var written: [UInt8] {
    var output: [UInt8] = []
    write(to: &output)
    return output
  }

  /// Elements that have no end.
  private static let voids: Set = [
    "area", "base", "br", "col", "hr", "img", "input", "link", "meta", "wbr",
  ]

  private func write(to output: inout [UInt8]) {
    switch node {
    case .text(let text): Self.escape(text, to: &output)
    case .many(let pieces): for piece in pieces { piece.write(to: &output) }
    case .element(let name, let attributes, let content):
      output.append(UInt8(ascii: "<"))
      output += name.utf8
      for attribute in attributes {
        output.append(UInt8(ascii: " "))
        output += attribute.name.utf8
        guard let value = attribute.value else { continue }
        output += "=\"".utf8
        Self.escape(value, to: &output)
        output.append(UInt8(ascii: "\""))
      }
      output.append(UInt8(ascii: ">"))
      guard !Self.voids.contains(name) else { return }
      for piece in content { piece.write(to: &output) }
      output += "</".utf8
      output += name.utf8
      output.append(UInt8(ascii: ">"))
    }
  }

  /// Writes a text so that it is text in content and in a quoted attribute; control characters,
  /// which no page may hold, are left out.
  private static func escape(_ text: String, to output: inout [UInt8]) {
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "&"): output += "&amp;".utf8
      case UInt8(ascii: "<"): output += "&lt;".utf8
      case UInt8(ascii: ">"): output += "&gt;".utf8
      case UInt8(ascii: "\""): output += "&quot;".utf8
      case UInt8(ascii: "'"): output += "&#39;".utf8
      case 0x09, 0x0A, 0x20...0x7E, 0x80...0xFF: output.append(byte)
      default: continue
      }
    }
  }
}

/// An attribute of an element.
package struct MarkupAttribute: Hashable, Sendable {
  fileprivate let name: String
  fileprivate let value: String?

  private init(name: StaticString, _ value: String?) {
    self.name = name.description
    self.value = value
  }

  /// An attribute that neither leads anywhere nor runs anything.
  ///
  /// - Parameters:
  ///   - name: Its name, from the source.
  ///   - value: Its value, from anywhere.
  /// - Returns: The attribute.
  package static func set(_ name: StaticString, _ value: String) -> MarkupAttribute {
    let word = name.description
    precondition(
      !word.hasPrefix("on") && !leading.contains(word),
      "what leads somewhere or runs has a function of its own, or none"
    )
    return MarkupAttribute(name: name, value)
  }

  /// An attribute that is on by being there.
  package static func on(_ name: StaticString) -> MarkupAttribute {
    MarkupAttribute(name: name, nil)
  }

  private static let leading: Set = [
    "href", "src", "action", "formaction", "style", "srcdoc", "data", "xlink:href", "http-equiv",
    "poster", "background",
  ]

  /// Where a link leads: a path of this server, or an address with an allowed scheme.
  package static func href(_ target: MarkupTarget) -> MarkupAttribute {
    MarkupAttribute(name: "href", target.text)
  }

  /// Where a script or picture is.
  package static func src(_ target: MarkupTarget) -> MarkupAttribute {
    MarkupAttribute(name: "src", target.text)
  }

  /// Where a form goes.
  package static func action(_ target: MarkupTarget) -> MarkupAttribute {
    MarkupAttribute(name: "action", target.text)
  }

  /// The classes.
  package static func `class`(_ names: String) -> MarkupAttribute { set("class", names) }

  /// The name within the page.
  package static func id(_ name: String) -> MarkupAttribute { set("id", name) }
}

/// Where something leads: never a script.
package struct MarkupTarget: Hashable, Sendable {
  /// As it is written.
  package let text: String

  /// A path on this server.
  ///
  /// - Parameters:
  ///   - path: The path, from the source.
  ///   - query: Names and values, which may come from anywhere.
  package init(_ path: StaticString, _ query: [(String, String)] = []) {
    precondition(path.description.hasPrefix("/"), "a path begins at the server")
    let items = query.map { "\(PercentCoding.encode($0.0))=\(PercentCoding.encode($0.1))" }
    text = path.description + (items.isEmpty ? "" : "?" + items.joined(separator: "&"))
  }

  /// A place on the same page.
  package init(fragment: StaticString) { text = "#" + fragment.description }

  /// An address that came from somewhere; nil unless it is one of the web.
  ///
  /// - Parameter address: The address.
  package init?(web address: String) {
    let lower = address.lowercased()
    guard lower.hasPrefix("https://") || lower.hasPrefix("http://") else { return nil }
    text = address
  }
}
