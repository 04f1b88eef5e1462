extension StoreHost {
  /// Asks the host; neither an answer nor an error reaches the code of a dead process.
  func answering<Value>(
    isolation: isolated (any Actor)? = #isolation,
    _ question: () async throws -> Value
  ) async throws -> Value {
    let result: Result<Value, any Error>
    do {
      result = .success(try await question())
    } catch {
      result = .failure(error)
    }
    await passWhileAlive()
    return try result.get()
  }
}

/// How promoted products are shown on the device, as far as the app has overridden it.
package struct StorePromotions: Hashable, Sendable {
  /// The products in the order in which they are shown; empty for the order of the store.
  package var order: [String] = []
  /// Raw values of `Product.PromotionInfo.Visibility` for the products that have one.
  package var visibilities: [String: Int] = [:]

  package init() {}
}
