/// A value that is bound to a statement.
package enum SQLiteValue {
  case integer(Int64)
  case text(String)
  case blob([UInt8])
  case null

  /// An integer, or null.
  package static func integer(_ value: Int64?) -> SQLiteValue {
    value.map { .integer($0) } ?? .null
  }
  /// A text, or null.
  package static func text(_ value: String?) -> SQLiteValue { value.map { .text($0) } ?? .null }
}
