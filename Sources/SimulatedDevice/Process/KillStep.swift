/// A point that an app process passes, and at which it can be killed.
///
/// The set is open: an app may name steps of its own and pass them with ``AppProcess/pass(_:)``.
public struct KillStep: Hashable, Sendable, RawRepresentable, ExpressibleByStringLiteral {
  /// The step's name.
  public let rawValue: String

  /// Makes a step from its name.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Makes a step from a literal.
  public init(stringLiteral value: String) { rawValue = value }

  /// The person confirmed, the store has not heard of it.
  public static let beforePurchase: Self = "beforePurchase"
  /// The store sold, the app has not heard of it.
  public static let afterPurchase: Self = "afterPurchase"
  /// The app finished a transaction, the store has not heard of it.
  public static let beforeFinish: Self = "beforeFinish"
  /// The store has heard that a transaction is finished.
  public static let afterFinish: Self = "afterFinish"
  /// A transaction is about to reach the app by itself: an update or a callback of the queue.
  public static let beforeUpdate: Self = "beforeUpdate"
  /// Bytes were written and are about to be flushed.
  public static let beforeFlush: Self = "beforeFlush"
  /// Bytes were flushed, the app has not heard of it.
  public static let afterFlush: Self = "afterFlush"
  /// A call to the network is about to leave.
  public static let beforeRequest: Self = "beforeRequest"
  /// An answer of the network has come, the app has not heard of it.
  public static let afterResponse: Self = "afterResponse"
}
