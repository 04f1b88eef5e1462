import Foundation
import IAPModel

/// The kinds of a journal's lines, and JSON for people and from lines: dates as UNIX milliseconds.
///
/// ``LineEncoder`` writes the lines.
enum RecordCoding {
  static let transactions = "transaction"
  static let orders = "order"
  static let receipts = "receipt"
  static let meta = "meta"
  /// What is left of a finished record that was let go of: that its effect took place.
  static let effects = "effect"

  /// JSON for people: sorted.
  static func encode(_ value: some Encodable) throws(IAPError) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .custom { date, encoder in
      var container = encoder.singleValueContainer()
      try container.encode(date.milliseconds)
    }
    do {
      return Array(try encoder.encode(value))
    } catch {
      throw .storage(.unencodable)
    }
  }

  static func decode<Value: Decodable>(_ type: Value.Type, _ bytes: [UInt8]) -> Value? {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .custom { decoder in
      Date(milliseconds: try decoder.singleValueContainer().decode(Int64.self))
    }
    return try? decoder.decode(type, from: Data(bytes))
  }
}

/// A transaction's line: the receipt stands in a line of its own, once for all that share it.
struct JournalRecord: Codable {
  var record: TransactionRecord
  var receipt: String?
}

/// What the journal knows of the app itself.
struct JournalMeta: Codable, Hashable {
  var launches: Int
  var installation: InstallationID
}
