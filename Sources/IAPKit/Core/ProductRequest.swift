/// A request for products, tidied: each id once, in the order asked for, cut into batches.
package struct ProductRequest: Hashable, Sendable {
  /// The most ids that go into one request to the store.
  package static let idsPerBatchMax = 100
  /// The most requests that wait for the store at the same time.
  package static let batchesInFlightMax = 4

  /// The ids, each once, in the order of their first appearance.
  package let ids: [String]

  /// Drops repeated ids.
  package init(_ ids: [String]) {
    var seen: Set<String> = []
    self.ids = ids.filter { seen.insert($0).inserted }
  }

  /// The ids in batches of at most ``idsPerBatchMax``.
  package var batches: [[String]] {
    stride(from: 0, to: ids.count, by: Self.idsPerBatchMax).map { start in
      Array(ids[start..<min(start + Self.idsPerBatchMax, ids.count)])
    }
  }

  /// Puts what the store found, in whatever order, into the order asked for.
  ///
  /// - Parameter found: What the store answered; products that nobody asked for are dropped.
  /// - Returns: The products in order, and the ids that were not among them.
  package func answer(_ found: [IAPProduct]) -> ProductAnswer {
    let byID = Dictionary(found.map { ($0.id, $0) }) { first, _ in first }
    return ProductAnswer(
      products: ids.compactMap { byID[$0] },
      missing: ids.filter { byID[$0] == nil }
    )
  }

  /// Asks for every batch, a few at a time.
  ///
  /// - Parameter load: Asks the store for one batch.
  /// - Returns: The answer to the whole request.
  /// - Throws: What `load` throws; the other batches are then cancelled.
  package func load(
    _ load: @escaping @Sendable ([String]) async throws -> [IAPProduct]
  ) async throws -> ProductAnswer {
    var waiting = batches[...]
    let found = try await withThrowingTaskGroup(of: [IAPProduct].self) { group in
      var found: [IAPProduct] = []
      for batch in waiting.prefix(Self.batchesInFlightMax) {
        group.addTask { try await load(batch) }
      }
      waiting = waiting.dropFirst(Self.batchesInFlightMax)
      while let products = try await group.next() {
        found += products
        guard let batch = waiting.popFirst() else { continue }
        group.addTask { try await load(batch) }
      }
      return found
    }
    return answer(found)
  }
}
