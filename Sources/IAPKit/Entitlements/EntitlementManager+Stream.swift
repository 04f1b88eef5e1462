extension EntitlementManager {
  /// Whether the user may use a feature, now and after each change.
  ///
  /// Time alone changes nothing here: what ends at a date is seen when something else happens, or
  /// when the app comes to the front.
  ///
  /// - Parameter entitlement: The entitlement's name, as for ``access(to:)``.
  /// - Returns: A stream of its own.
  public func accessStream(to entitlement: String) -> AsyncStream<Access> {
    // Asked for first, so that nothing is missed between the two.
    let judged = judged.stream()
    let first = access(to: entitlement)
    return AsyncStream { continuation in
      continuation.yield(first)
      let task = Task { [weak self] in
        var last = first
        for await _ in judged {
          guard let now = self?.access(to: entitlement) else { break }
          guard now != last else { continue }
          last = now
          continuation.yield(now)
        }
        continuation.finish()
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }
}
