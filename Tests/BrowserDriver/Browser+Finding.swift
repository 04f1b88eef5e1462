import IAPModel

/// Something on the page.
package struct PageElement: Hashable, Sendable {
  let reference: String

  /// What WebDriver calls a reference to an element.
  static let key = "element-6066-11e4-a52e-4f735466cecf"

  init?(_ value: JSONValue) {
    guard let reference = value.objectValue?[Self.key]?.stringValue else { return nil }
    self.reference = reference
  }
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
    try await locate(
      "the \(role.rawValue) '\(name ?? "")' in \(selector)",
      "page.find(arguments[0], arguments[1], arguments[2])[0]",
      [.string(role.rawValue), name.map { .string($0) } ?? .null, .string(selector)]
    )
  }

  /// Waits for an element, marks it on the page, and asks the driver for what bears the mark.
  ///
  /// - Parameters:
  ///   - what: What is looked for, for the error.
  ///   - expression: JavaScript; may use `arguments`.
  ///   - arguments: Its arguments.
  /// - Returns: The element.
  private func locate(
    _ what: String,
    _ expression: String,
    _ arguments: [JSONValue]
  ) async throws(BrowserError) -> PageElement {
    for _ in 0..<Self.clicksMax {
      let mark = try await wait(for: what, "page.mark(\(expression))", arguments)
      do throws(BrowserError) {
        let value = try await session.post(
          "/element",
          [
            "using": "css selector",
            "value": .string("[\(PageScript.mark)=\"\(mark.stringValue ?? "")\"]"),
          ]
        )
        if let element = PageElement(value) { return element }
      } catch {
        // A page that changes itself replaced it, or it was left.
        guard error.code == "no such element" || error.isOfPageLeft else { throw error }
      }
    }
    throw BrowserError(BrowserError.notFound, what)
  }

  /// Whether something is on the page now.
  package func has(
    _ role: Role,
    _ name: String? = nil,
    in selector: String = "html"
  ) async throws(BrowserError) -> Bool {
    try await ask(
      "return page.find(arguments[0], arguments[1], arguments[2]).length > 0",
      [.string(role.rawValue), name.map { .string($0) } ?? .null, .string(selector)]
    ) == true
  }

  /// The names of everything of a role, in the order of the document.
  package func names(
    _ role: Role,
    in selector: String = "html"
  ) async throws(BrowserError) -> [String] {
    let value = try await ask(
      "return page.find(arguments[0], null, arguments[1]).map(page.name)",
      [.string(role.rawValue), .string(selector)]
    )
    return value.arrayValue?.compactMap(\.stringValue) ?? []
  }

  /// Waits for something that is named by a selector.
  package func element(_ selector: String) async throws(BrowserError) -> PageElement {
    try await locate(selector, "document.querySelector(arguments[0])", [.string(selector)])
  }

  // MARK: Doing

  /// Clicks on something when it is there, as a person does: in its middle, and only when nothing
  /// lies over it.
  package func click(
    _ role: Role,
    _ name: String,
    in selector: String = "html"
  ) async throws(BrowserError) {
    try await whileReplaced { browser throws(BrowserError) in
      try await browser.click(try await browser.find(role, name, in: selector))
    }
  }

  /// Does something with an element, again when the page replaced it between the look and the deed.
  private func whileReplaced(
    _ deed: (Browser) async throws(BrowserError) -> Void
  ) async throws(BrowserError) {
    for _ in 1..<Self.clicksMax {
      do throws(BrowserError) {
        return try await deed(self)
      } catch {
        let isReplaced =
          [
            "stale element reference", "element click intercepted", "element not interactable",
          ].contains(error.code)
        guard isReplaced else { throw error }
      }
    }
    try await deed(self)
  }

  /// How often something is tried on a page that changes.
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
    try await whileReplaced { browser throws(BrowserError) in
      try await browser.write(text, into: try await browser.find(.textbox, name))
    }
  }

  /// Chooses an option of a list by its text.
  package func choose(_ option: String, from name: String) async throws(BrowserError) {
    _ = try await find(.combobox, name)
    try await run(
      """
      const [list] = page.find('combobox', arguments[0], 'html');
      const option = Array.from(list.options).find(o => o.text.trim() === arguments[1]);
      if (!option) throw new Error('no option ' + arguments[1]);
      list.value = option.value;
      list.dispatchEvent(new Event('input', { bubbles: true }));
      list.dispatchEvent(new Event('change', { bubbles: true }));
      """,
      [.string(name), .string(option)]
    )
  }

  /// Gives something the focus without a click.
  package func focus(_ role: Role, _ name: String) async throws(BrowserError) {
    _ = try await find(role, name)
    try await run(
      "page.find(arguments[0], arguments[1], 'html')[0].focus()",
      [.string(role.rawValue), .string(name)]
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
