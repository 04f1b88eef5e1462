import Synchronization

/// How many servers share the ledger, as this one saw last.
final class ServerCount: Sendable {
  private let number = Atomic<Int>(1)

  var value: Int { number.load(ordering: .relaxed) }

  func set(_ count: Int) { number.store(count, ordering: .relaxed) }
}
