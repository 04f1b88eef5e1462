import Foundation
import IAPModel

/// A body whose end of the way is known from its beginning: a launch with many of them reads only
/// that, and the JSON behind it when somebody asks.
///
/// - **Shape:** `done`, then for a transaction its type, its original, when it was bought in
///   milliseconds, a flag, and the effects that took place, then JSON; parted by tabs, which JSON
///   has none of. An order has nothing between `done` and its JSON.
struct FinishedLine {
  /// What is still to be done with a transaction that is at its end.
  private enum Flag: String {
    /// The server has still to be told that the goods were handed over.
    case owing = "a"
    /// It holds no signed transaction (any more). Older versions do not write it.
    case slim = "s"
    case plain = "-"
  }

  private static let tab = UInt8(ascii: "\t")
  private static let brace = UInt8(ascii: "{")
  private static let mark = Array("done\t".utf8)
  private static let grant = Array("grant:".utf8)
  private static let unknownType = "-"
  /// The fields before the effects.
  private static let headCount = 4

  /// The whole body.
  let body: [UInt8]
  /// Where the JSON begins.
  private let jsonStart: Int
  /// Where the effects begin.
  private let effectsStart: Int
  /// When it was bought, in milliseconds.
  let purchasedAt: Int64
  /// The product's type; nil when it is not known.
  let type: ProductType?
  private let flag: Flag
  /// Where the original's name stands.
  private let originalRange: Range<Int>

  /// Nil when the body is JSON from its beginning.
  init?(_ body: [UInt8]) {
    guard body.starts(with: Self.mark) else { return nil }
    var head: [Range<Int>] = []
    var effectsStart: Int?
    var place = Self.mark.count
    head.reserveCapacity(Self.headCount)
    // The JSON begins with the first brace behind a tab.
    body.withUnsafeBytes { bytes in
      while place < bytes.count, bytes[place] != Self.brace {
        guard let end = bytes.offset(of: Self.tab, from: place) else { break }
        if head.count < Self.headCount { head.append(place..<end) }
        place = end + 1
        if head.count == Self.headCount, effectsStart == nil { effectsStart = place }
      }
    }
    func text(_ index: Int) -> String {
      index < head.count ? String(decoding: body[head[index]], as: UTF8.self) : ""
    }
    self.body = body
    jsonStart = place
    self.effectsStart = effectsStart ?? place
    let typeName = text(0)
    type = typeName.isEmpty || typeName == Self.unknownType ? nil : ProductType(rawValue: typeName)
    originalRange = head.count > 1 ? head[1] : 0..<0
    purchasedAt = Int64(text(2)) ?? 0
    flag = Flag(rawValue: text(3)) ?? .plain
  }

  var json: [UInt8] { Array(body[jsonStart...]) }
  var original: String { String(decoding: body[originalRange], as: UTF8.self) }
  /// Whether the server has still to be told that the goods were handed over.
  var owesAcknowledgement: Bool { flag == .owing }
  /// Whether there may be a signed transaction in it.
  var mayHoldProof: Bool { flag != .slim }

  var effects: [String] {
    body[effectsStart..<jsonStart].split(separator: Self.tab)
      .map { String(decoding: $0, as: UTF8.self) }
  }

  /// Whether the goods were handed over: one of the effects is a grant.
  var isGranted: Bool {
    var start = effectsStart
    while start < jsonStart {
      if body[start..<jsonStart].starts(with: Self.grant) { return true }
      guard let end = body[start..<jsonStart].firstIndex(of: Self.tab) else { return false }
      start = end + 1
    }
    return false
  }

  /// The body of a transaction's line; nil while work is left, or when a name does not fit.
  static func body(of record: TransactionRecord, json: [UInt8]) -> [UInt8]? {
    guard record.state == .finished, record.isFinished else { return nil }
    let flag: Flag =
      record.owesAcknowledgement ? .owing : record.transaction.proof.isMissing ? .slim : .plain
    let fields =
      [
        record.transaction.type?.rawValue ?? unknownType,
        record.transaction.originalTransactionID.rawValue,
        "\(record.purchaseDate.milliseconds)",
        flag.rawValue,
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
