import Foundation
import IAPKit

/// What the user has: written to the disk, once for each key, before the answer is given.
actor DemoGoods {
  private struct Contents: Codable {
    var applied: Set<String> = []
    var coins = 0
  }

  private let file: URL
  private var contents: Contents

  init(file: URL) {
    self.file = file
    let bytes = try? Data(contentsOf: file)
    contents = bytes.flatMap { try? JSONDecoder().decode(Contents.self, from: $0) } ?? Contents()
  }

  /// The goods of this installation.
  static func kept() -> DemoGoods {
    let folders = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask)
    let folder = folders.first ?? FileManager.default.temporaryDirectory
    return DemoGoods(file: folder.appendingPathComponent("goods.json"))
  }

  var coins: Int { contents.coins }

  /// Puts the goods of a delivery where they belong, or takes them back.
  ///
  /// It may be called again with the same key, after a kill: the second call changes nothing.
  func apply(_ delivery: Delivery) -> DeliveryAnswer {
    guard !contents.applied.contains(delivery.idempotencyKey) else { return .delivered }
    var changed = contents
    changed.applied.insert(delivery.idempotencyKey)
    if delivery.transaction.productId == DemoProducts.coins {
      let sign = delivery.kind == .clawback ? -1 : 1
      changed.coins += sign * 100 * delivery.transaction.quantity
    }
    do {
      let folder = file.deletingLastPathComponent()
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try JSONEncoder().encode(changed).write(to: file, options: .atomic)
    } catch {
      // The disk is full: the same delivery comes again later.
      return .retryLater
    }
    contents = changed
    return .delivered
  }
}
