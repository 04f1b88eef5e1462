import Foundation

/// What SARIF 2.1.0 says of the objects that a report is made of: which members they must have, and
/// which they may have. The schema allows no others anywhere but in property bags.
///
/// - **Source:** OASIS, Static Analysis Results Interchange Format Version 2.1.0, section 3.
enum SARIFShape {
  /// What a member holds.
  indirect enum Content: Sendable {
    case text, word(Set<String>), flag, texts
    case matching(String)
    case number(from: Int)
    case object(Object)
    case list(Content)
    case map(Content)
    /// A property bag, or something that a report of ours has no use for.
    case anything
  }

  /// An object by its members.
  struct Object: Sendable {
    var required: [String: Content] = [:]
    var optional: [String: Content] = [:]
  }

  static let levels: Set = ["none", "note", "warning", "error"]

  private static let message = Object(
    required: [:],
    optional: [
      "text": .text, "markdown": .text, "id": .text, "arguments": .texts, "properties": .anything,
    ]
  )
  private static let multiformat = Object(
    required: ["text": .text],
    optional: ["markdown": .text, "properties": .anything]
  )
  private static let tags = Object(optional: ["tags": .texts])
  private static let descriptor = Object(
    required: ["id": .text],
    optional: [
      "name": .text, "shortDescription": .object(multiformat),
      "fullDescription": .object(multiformat), "help": .object(multiformat),
      "helpUri": .text, "guid": .text, "messageStrings": .map(.object(multiformat)),
      "defaultConfiguration": .object(
        Object(optional: [
          "enabled": .flag, "level": .word(levels), "rank": .anything, "parameters": .anything,
          "properties": .anything,
        ])
      ),
      "properties": .object(tags),
    ]
  )
  private static let driver = Object(
    required: ["name": .text],
    optional: [
      "version": .text, "semanticVersion": .matching(#"^\d+\.\d+\.\d+$"#),
      "informationUri": .text, "organization": .text, "rules": .list(.object(descriptor)),
      "properties": .anything,
    ]
  )
  private static let artifact = Object(optional: [
    // A reference that is relative to a base begins with no slash and no scheme.
    "uri": .matching(#"^[A-Za-z0-9._~!$&'()*+,;=@%-][A-Za-z0-9._~!$&'()*+,;=@%/-]*$"#),
    "uriBaseId": .text, "index": .number(from: -1), "description": .object(message),
    "properties": .anything,
  ])
  private static let region = Object(
    required: ["startLine": .number(from: 1)],
    optional: [
      "startColumn": .number(from: 1), "endLine": .number(from: 1), "endColumn": .number(from: 1),
      "snippet": .object(
        Object(optional: ["text": .text, "binary": .text, "rendered": .object(multiformat)])
      ),
      "message": .object(message), "properties": .anything,
    ]
  )
  private static let location = Object(optional: [
    "id": .number(from: -1), "message": .object(message), "properties": .anything,
    "physicalLocation": .object(
      Object(
        required: ["artifactLocation": .object(artifact)],
        optional: ["region": .object(region), "contextRegion": .object(region)]
      )
    ),
  ])
  private static let suppression = Object(
    required: ["kind": .word(["inSource", "external"])],
    optional: [
      "status": .word(["accepted", "underReview", "rejected"]), "justification": .text,
      "location": .object(location), "guid": .text, "properties": .anything,
    ]
  )
  private static let result = Object(
    required: ["message": .object(message)],
    optional: [
      "ruleId": .text, "ruleIndex": .number(from: 0), "level": .word(levels),
      "kind": .word(["pass", "open", "informational", "notApplicable", "review", "fail"]),
      "locations": .list(.object(location)), "suppressions": .list(.object(suppression)),
      "partialFingerprints": .map(.text), "fingerprints": .map(.text),
      "baselineState": .word(["new", "unchanged", "updated", "absent"]), "properties": .anything,
    ]
  )
  private static let run = Object(
    required: ["tool": .object(Object(required: ["driver": .object(driver)]))],
    optional: [
      "columnKind": .word(["utf16CodeUnits", "unicodeCodePoints"]),
      "language": .matching("^[a-zA-Z]{2}(-[a-zA-Z]{2})?$"),
      "invocations": .list(
        .object(Object(required: ["executionSuccessful": .flag], optional: ["exitCode": .anything]))
      ),
      "originalUriBaseIds": .map(.object(artifact)), "results": .list(.object(result)),
      "properties": .anything,
    ]
  )

  /// A whole report.
  static let log = Object(
    required: ["version": .word(["2.1.0"]), "runs": .list(.object(run))],
    optional: ["$schema": .text, "properties": .anything]
  )

  /// What is wrong with a value; empty when it has the shape.
  static func faults(of value: Any, as content: Content, at path: String = "log") -> [String] {
    switch content {
    case .anything: return []
    case .text: return value is String ? [] : ["\(path): no text"]
    case .flag: return value is Bool ? [] : ["\(path): no flag"]
    case .texts: return faults(of: value, as: .list(.text), at: path)
    case .word(let words):
      return (value as? String).map(words.contains) == true ? [] : ["\(path): no word of \(words)"]
    case .matching(let pattern):
      let fits = (value as? String)?.range(of: pattern, options: .regularExpression) != nil
      return fits ? [] : ["\(path): \(value) does not match \(pattern)"]
    case .number(let least):
      return (value as? Int).map { $0 >= least } == true ? [] : ["\(path): no number from \(least)"]
    case .list(let element):
      guard let list = value as? [Any] else { return ["\(path): no list"] }
      return list.enumerated().flatMap { faults(of: $1, as: element, at: "\(path)[\($0)]") }
    case .map(let element):
      guard let map = value as? [String: Any] else { return ["\(path): no object"] }
      return map.flatMap { faults(of: $1, as: element, at: "\(path).\($0)") }
    case .object(let shape):
      guard let object = value as? [String: Any] else { return ["\(path): no object"] }
      let missing = shape.required.keys.filter { object[$0] == nil }.map { "\(path): no \($0)" }
      let inside = object.flatMap { name, value in
        guard let content = shape.required[name] ?? shape.optional[name] else {
          return ["\(path): \(name) is no member"]
        }
        return faults(of: value, as: content, at: "\(path).\(name)")
      }
      return missing + inside
    }
  }
}
