import IAPModel

/// Writes tables for spreadsheets: quoted cells, RFC 4180.
enum CSVTable {
  /// A table with its columns' names in the first line.
  static func text(_ columns: [String], _ rows: [JSONObject]) -> String {
    let lines =
      [columns.map { quoted($0) }]
      + rows.map { row in columns.map { cell(row[$0]) } }
    return lines.map { $0.joined(separator: ",") + "\r\n" }.joined()
  }

  private static func cell(_ value: JSONValue?) -> String {
    switch value {
    case nil, .null: ""
    case .string(let text): quoted(text)
    case .number(let number): number.text
    case .bool(let value): value ? "true" : "false"
    case .array, .object: quoted(value?.serializedText ?? "")
    }
  }

  /// A text that a spreadsheet would take for a formula gets a mark in front.
  private static func quoted(_ text: String) -> String {
    let isFormula = text.first.map { "=+-@\t".contains($0) } ?? false
    return "\"" + (isFormula ? "'" : "") + text.replacing("\"", with: "\"\"") + "\""
  }
}
