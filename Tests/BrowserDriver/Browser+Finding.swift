package import IAPModel

/// Something on the page.
package struct PageElement: Hashable, Sendable {
  let reference: String

  /// What WebDriver calls a reference to an element.
  static let key = "element-6066-11e4-a52e-4f735466cecf"

  init?(_ value: JSONValue) {
    guard let reference = value.objectValue?[Self.key]?.stringValue else { return nil }
    self.reference = reference
  }

  /// The element as an argument of a script.
  package var argument: JSONValue { .object([Self.key: .string(reference)]) }
}

// Finding as a person does: by what a thing is and what it is called.
extension Browser {
  /// What a thing is to a person, and to a screen reader.
  package enum Role: String, Sendable, Hashable, CaseIterable {
    case button, link, heading, textbox, checkbox, radio, combobox, dialog, alertdialog, alert
    case status, region, main, navigation, banner, contentinfo, form, search, table, row, img
    case tab, tabpanel, list, listitem, group, article, complementary, progressbar
  }

  /// Waits for something and returns it.
  ///
  /// - Parameters:
  ///   - role: What it is.
  ///   - name: What it is called, in full; nil for any name.
  ///   - selector: Where to look.
  /// - Returns: The first in the document.
  package func find(
    _ role: Role,
    _ name: String? = nil,
    in selector: String = "html"
  ) async throws(BrowserError) -> PageElement {
    let found = try await wait(
      for: "the \(role.rawValue) '\(name ?? "")' in \(selector)",
      "page.find(arguments[0], arguments[1], arguments[2])[0]",
      [.string(role.rawValue), name.map { .string($0) } ?? .null, .string(selector)]
    )
    guard let element = PageElement(found) else {
      throw BrowserError(BrowserError.notFound, "\(role.rawValue) '\(name ?? "")'")
    }
    return element
  }

  /// Whether something is on the page now.
  package func has(
    _ role: Role,
    _ name: String? = nil,
    in selector: String = "html"
  ) async throws(BrowserError) -> Bool {
    try await run(
      "return page.find(arguments[0], arguments[1], arguments[2]).length > 0",
      [.string(role.rawValue), name.map { .string($0) } ?? .null, .string(selector)]
    ) == true
  }

  /// The names of everything of a role, in the order of the document.
  package func names(
    _ role: Role,
    in selector: String = "html"
  ) async throws(BrowserError) -> [String] {
    let value = try await run(
      "return page.find(arguments[0], null, arguments[1]).map(page.name)",
      [.string(role.rawValue), .string(selector)]
    )
    return value.arrayValue?.compactMap(\.stringValue) ?? []
  }

  /// Waits for something that is named by a selector.
  package func element(_ selector: String) async throws(BrowserError) -> PageElement {
    let found = try await wait(
      for: selector,
      "document.querySelector(arguments[0])",
      [.string(selector)]
    )
    guard let element = PageElement(found) else {
      throw BrowserError(BrowserError.notFound, selector)
    }
    return element
  }

  // MARK: Doing

  /// Clicks on something when it is there, as a person does: in its middle, and only when nothing
  /// lies over it.
  package func click(
    _ role: Role,
    _ name: String,
    in selector: String = "html"
  ) async throws(BrowserError) {
    // A page that changes itself may replace the element between the look and the click.
    for attempt in 1...Self.clicksMax {
      let element = try await find(role, name, in: selector)
      do throws(BrowserError) {
        return try await click(element)
      } catch {
        let isReplaced =
          [
            "stale element reference", "element click intercepted", "element not interactable",
          ].contains(error.code)
        guard isReplaced, attempt < Self.clicksMax else { throw error }
      }
    }
  }

  /// How often a click is tried on a page that changes.
  private static let clicksMax = 5

  /// Clicks on an element.
  package func click(_ element: PageElement) async throws(BrowserError) {
    try await session.post("/element/\(element.reference)/click")
  }

  /// Writes into a field, in place of what stands there.
  package func write(_ text: String, into element: PageElement) async throws(BrowserError) {
    try await session.post("/element/\(element.reference)/clear")
    try await session.post("/element/\(element.reference)/value", ["text": .string(text)])
  }

  /// Writes into the field of that label.
  package func write(_ text: String, intoFieldNamed name: String) async throws(BrowserError) {
    try await write(text, into: try await find(.textbox, name))
  }

  /// Chooses an option of a list by its text.
  package func choose(_ option: String, from name: String) async throws(BrowserError) {
    let list = try await find(.combobox, name)
    try await run(
      """
      const [list, text] = arguments;
      const option = Array.from(list.options).find(o => o.text.trim() === text);
      if (!option) throw new Error('no option ' + text);
      list.value = option.value;
      list.dispatchEvent(new Event('input', { bubbles: true }));
      list.dispatchEvent(new Event('change', { bubbles: true }));
      """,
      [list.argument, .string(option)]
    )
  }

  /// Presses a key, for example ``Key/tab``.
  package func press(_ key: Key, shift: Bool = false) async throws(BrowserError) {
    var actions: [JSONValue] = [
      ["type": "keyDown", "value": .string(key.rawValue)],
      ["type": "keyUp", "value": .string(key.rawValue)],
    ]
    if shift {
      let value = JSONValue.string(Key.shift.rawValue)
      actions =
        [["type": "keyDown", "value": value]] + actions
        + [["type": "keyUp", "value": value]]
    }
    try await session.post(
      "/actions",
      ["actions": [["type": "key", "id": "keyboard", "actions": .array(actions)]]]
    )
  }

  /// A key that writes nothing.
  package enum Key: String, Sendable {
    case tab = "\u{E004}"
    case enter = "\u{E007}"
    case shift = "\u{E008}"
    case escape = "\u{E00C}"
    case space = " "
    case up = "\u{E013}"
    case down = "\u{E015}"
    case left = "\u{E012}"
    case right = "\u{E014}"
  }
}
