import Foundation
import IAPModel

/// A body whose end of the way is known from its beginning: a launch with many of them reads only
/// that, and the JSON behind it when somebody asks.
///
/// - **Shape:** `done`, then for a transaction its type, its original, when it was bought in
///   milliseconds, flags, and the effects that took place, then JSON; parted by tabs, which JSON
///   has none of. An order has nothing between `done` and its JSON.
struct FinishedLine {
  private static let tab = UInt8(ascii: "\t")
  private static let mark = Array("done\t".utf8)
  private static let unknownType = "-"
  private static let owing = "a"
  private static let plain = "-"

  private static let brace = UInt8(ascii: "{")

  /// The fields between the mark and the JSON, which begins with the first brace behind a tab.
  private let fields: [ArraySlice<UInt8>]
  private let rest: ArraySlice<UInt8>

  /// Nil when the body is JSON from its beginning.
  init?(_ body: [UInt8]) {
    guard body.starts(with: Self.mark) else { return nil }
    var fields: [ArraySlice<UInt8>] = []
    var rest = body[Self.mark.count...]
    while rest.first != Self.brace, let end = rest.firstIndex(of: Self.tab) {
      fields.append(rest[..<end])
      rest = rest[(end + 1)...]
    }
    self.fields = fields
    self.rest = rest
  }

  var json: [UInt8] { Array(rest) }
  var type: String { text(0) }
  var original: String { text(1) }
  var purchasedAt: Int64 { Int64(text(2)) ?? 0 }
  /// Whether the server has still to be told that the goods were handed over.
  var owesAcknowledgement: Bool { text(3) == Self.owing }
  var effects: [String] { fields.dropFirst(4).map { String(decoding: $0, as: UTF8.self) } }

  private func text(_ index: Int) -> String {
    index < fields.count ? String(decoding: fields[index], as: UTF8.self) : ""
  }

  /// The body of a transaction's line; nil while work is left, or when a name does not fit.
  static func body(of record: TransactionRecord, json: [UInt8]) -> [UInt8]? {
    guard record.state == .finished, record.isFinished else { return nil }
    let fields =
      [
        record.transaction.type?.rawValue ?? unknownType,
        record.transaction.originalTransactionID.rawValue,
        "\(record.purchaseDate.milliseconds)",
        record.owesAcknowledgement ? owing : plain,
      ] + record.acknowledged
    let fits = fields.allSatisfy { !$0.hasPrefix("{") && $0.utf8.allSatisfy { $0 >= 0x20 } }
    guard fits else { return nil }
    return mark + Array(fields.joined(separator: "\t").utf8) + [tab] + json
  }

  /// The body of an order's line; nil while it is under way.
  static func body(of order: Order, json: [UInt8]) -> [UInt8]? {
    order.state == .delivered && order.transactionId != nil ? mark + json : nil
  }
}
