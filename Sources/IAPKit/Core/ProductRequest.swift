/// A request for products, tidied: each id once, in the order asked for, cut into batches.
package struct ProductRequest: Hashable, Sendable {
  /// The most ids that go into one request to the store.
  package static let idsPerBatchMax = 100
  /// The most requests that wait for the store at the same time.
  package static let batchesInFlightMax = 4
  /// The longest id that can be set up in App Store Connect.
  package static let idCharactersMax = 100

  /// The ids, each once, in the order of their first appearance.
  package let ids: [String]

  /// Drops repeated ids.
  package init(_ ids: [String]) {
    var seen: Set<String> = []
    self.ids = ids.filter { seen.insert($0).inserted }
  }

  /// Whether an id can exist in App Store Connect.
  ///
  /// - **Source:** App Store Connect help: letters, digits, hyphen, period and underscore.
  package static func isPossible(_ id: String) -> Bool {
    (1...idCharactersMax).contains(id.utf8.count)
      && id.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
          UInt8(ascii: "_"):
          true
        default: false
        }
      }
  }

  /// The ids that are worth asking about, in batches of at most ``idsPerBatchMax``.
  package var batches: [[String]] {
    let ids = ids.filter(Self.isPossible)
    return stride(from: 0, to: ids.count, by: Self.idsPerBatchMax).map { start in
      Array(ids[start..<min(start + Self.idsPerBatchMax, ids.count)])
    }
  }

  /// Puts what the store found, in whatever order, into the order asked for.
  ///
  /// - Parameter found: What the store answered; products that nobody asked for are dropped.
  /// - Returns: The products in order, and the ids that were not among them.
  package func answer(_ found: some Sequence<IAPProduct>) -> ProductAnswer {
    let byID = Dictionary(found.map { ($0.id, $0) }) { first, _ in first }
    return ProductAnswer(
      products: ids.compactMap { byID[$0] },
      missing: ids.filter { byID[$0] == nil }
    )
  }

  /// Asks for every batch, a few at a time.
  ///
  /// - Parameter load: Asks the store for one batch.
  /// - Returns: What the store found, in any order.
  /// - Throws: What `load` throws, and `CancellationError`; the other batches are then cancelled.
  package func load(
    _ load: @escaping @Sendable ([String]) async throws -> [IAPProduct]
  ) async throws -> [IAPProduct] {
    var waiting = batches[...]
    return try await withThrowingTaskGroup(of: [IAPProduct].self) { group in
      var found: [IAPProduct] = []
      for batch in waiting.prefix(Self.batchesInFlightMax) {
        group.addTask { try await load(batch) }
      }
      waiting = waiting.dropFirst(Self.batchesInFlightMax)
      while let products = try await group.next() {
        // In a cancelled task StoreKit finds nothing, without an error: that is no answer.
        try Task.checkCancellation()
        found += products
        guard let batch = waiting.popFirst() else { continue }
        group.addTask { try await load(batch) }
      }
      return found
    }
  }
}
