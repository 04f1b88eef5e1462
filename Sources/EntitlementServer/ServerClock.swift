public import Foundation

/// Tells the server what time it is.
public protocol ServerClock: Sendable {
  /// The present instant: the wall clock's, or a simulated store's.
  func now() async -> Date
}

/// A clock out of a closure: a virtual clock, say.
public struct ClosureClock: ServerClock {
  private let read: @Sendable () -> Date

  /// Makes a clock that asks the closure.
  public init(_ read: @escaping @Sendable () -> Date) { self.read = read }

  /// What the closure says.
  public func now() async -> Date { read() }
}
