import IAPModel

/// A place on a page that keeps somebody out.
package struct AccessibilityFinding: Hashable, Sendable, CustomStringConvertible {
  /// The rule, as a stable word.
  package let rule: String
  /// Where, and what is wrong there.
  package let place: String

  package init(_ rule: String, _ place: String) {
    self.rule = rule
    self.place = place
  }

  package var description: String { "\(rule): \(place)" }
}

// The rules of this project for pages that everybody can use.
//
// - Source: WCAG 2.2, level AA: 1.1.1, 1.3.1, 1.4.3, 1.4.10, 1.4.11, 2.1.1, 2.4.1-2.4.4, 2.4.6,
//   2.4.7, 2.5.8, 3.1.1, 3.3.2, 4.1.2.
extension Browser {
  /// What is wrong with the page as it is now.
  ///
  /// - Parameter language: The language that the page has to say it is in, for example `zh-Hans`.
  /// - Returns: Every finding; an empty list is what a test wants.
  package func accessibilityFindings(
    language: String? = nil
  ) async throws(BrowserError) -> [AccessibilityFinding] {
    var findings = try await structureFindings()
    findings += try await nameFindings()
    findings += try await focusFindings()
    if let language {
      let said = try await run("return document.documentElement.lang").stringValue ?? ""
      if said != language {
        findings.append(.init("language", "the page says '\(said)', expected '\(language)'"))
      }
    }
    return findings
  }

  /// What the document and its styles show.
  private func structureFindings() async throws(BrowserError) -> [AccessibilityFinding] {
    let value = try await run(AuditScript.text)
    return (value.arrayValue ?? []).compactMap(\.objectValue).map { finding in
      AccessibilityFinding(
        finding["rule"]?.stringValue ?? "",
        finding["place"]?.stringValue ?? ""
      )
    }
  }

  /// What the browser's own tree for screen readers shows: a control without a name.
  private func nameFindings() async throws(BrowserError) -> [AccessibilityFinding] {
    let tree = try await session.devTools("Accessibility.getFullAXTree")
    let nodes = (tree["nodes"]?.arrayValue ?? []).compactMap(\.objectValue)
    return nodes.compactMap { node in
      guard node["ignored"] != true,
        let role = node["role"]?.objectValue?["value"]?.stringValue,
        Self.namedRoles.contains(role)
      else { return nil }
      let name = node["name"]?.objectValue?["value"]?.stringValue ?? ""
      guard name.allSatisfy(\.isWhitespace) else { return nil }
      return AccessibilityFinding("name", "a \(role) has no name")
    }
  }

  /// Roles that are nothing without a name.
  private static let namedRoles: Set = [
    "button", "link", "heading", "textbox", "searchbox", "checkbox", "radio", "switch", "combobox",
    "listbox", "option", "menuitem", "tab", "tabpanel", "dialog", "alertdialog", "region",
    "img", "image", "slider", "spinbutton", "progressbar", "group",
  ]

  /// What the Tab key shows: everything is reached in the order of the document, and can be seen to
  /// have the focus.
  private func focusFindings() async throws(BrowserError) -> [AccessibilityFinding] {
    let count = try await run(AuditScript.beginFocus).integerValue ?? 0
    for _ in 0..<count {
      try await press(.tab)
      try await run(AuditScript.noteFocus)
    }
    let value = try await run(AuditScript.endFocus)
    return (value.arrayValue ?? []).compactMap(\.stringValue).map { .init("focus", $0) }
  }
}
