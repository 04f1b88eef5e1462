import Foundation
package import IAPKit
import IAPModel
import SimulatedDevice
import Synchronization

/// What the app of a simulated device has handed to its user: kept on the device's disk, as a real
/// app would, so that it outlives a kill.
///
/// An effect is one line that was flushed. A key that is there already has no second effect.
package struct GoodsEffect: Hashable, Sendable, Codable {
  /// The idempotency key.
  package var key: String
  /// Handed over, taken back, or handed over again.
  package var kind: Delivery.Kind
  /// The product.
  package var productId: String
  /// The transaction.
  package var transactionId: String
  /// The first transaction of the product or subscription.
  package var originalTransactionId: String
  /// How many.
  package var quantity: Int
  /// The number of the order, as the app knows it.
  package var orderNumber: String?
  /// What the order was opened with.
  package var context: [String: String]

  init(_ delivery: Delivery) {
    key = delivery.idempotencyKey
    kind = delivery.kind
    productId = delivery.transaction.productId
    transactionId = delivery.transaction.transactionId
    originalTransactionId = delivery.transaction.originalTransactionId
    quantity = delivery.transaction.quantity
    orderNumber = delivery.transaction.orderNumber
    context = delivery.transaction.context
  }
}

/// The app's own book of effects, for one process.
final class GoodsShelf: Sendable {
  static let fileName = "goods.jsonl"

  private struct State {
    var keys: Set<String> = []
    var length = 0
    var isOpen = false
  }

  private let disk: ProcessDisk
  private let state = Mutex(State())

  init(disk: ProcessDisk) { self.disk = disk }

  /// Makes the effect durable, unless it took place before.
  func put(_ effect: GoodsEffect) throws {
    try state.withLock { state in
      if !state.isOpen {
        let bytes = try disk.read(Self.fileName) ?? []
        state.length = bytes.count
        state.keys = Set(Self.effects(in: bytes).map(\.key))
        state.isOpen = true
      }
      guard !state.keys.contains(effect.key) else { return }
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys]
      let line = [UInt8](try encoder.encode(effect)) + [UInt8(ascii: "\n")]
      try disk.append(line, to: Self.fileName, at: state.length)
      state.length += line.count
      state.keys.insert(effect.key)
    }
  }

  /// The effects in a file, oldest first; a line without an end does not count.
  static func effects(in bytes: [UInt8]) -> [GoodsEffect] {
    guard let end = bytes.lastIndex(of: UInt8(ascii: "\n")) else { return [] }
    return bytes[..<end].split(separator: UInt8(ascii: "\n"))
      .compactMap { try? JSONDecoder().decode(GoodsEffect.self, from: Data($0)) }
  }
}
