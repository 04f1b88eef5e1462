public import IAPModel

/// A row of events in which order counts: those of one customer, or of one purchase that nobody
/// owns, or of one case that is about neither.
///
/// - **Shape:** a letter, a colon, and the name: it is the shelf on which the events are filed.
public struct EventLane: Hashable, Sendable {
  /// The shelf.
  public let rawValue: String

  /// Takes a lane as it was stored.
  public init(stored rawValue: String) { self.rawValue = rawValue }

  /// The events of a customer.
  public static func customer(_ customer: CustomerID) -> EventLane {
    EventLane(stored: "c:\(customer)")
  }

  /// The events of a purchase while nobody owns it.
  static func purchase(_ subject: LedgerSubject) -> EventLane {
    EventLane(stored: "p:\(subject.scope.environment):\(subject.original)")
  }

  /// The events of a case that is about no known purchase.
  static func review(_ id: ReviewID) -> EventLane { EventLane(stored: "r:\(id)") }

  /// The events of a customer who was erased, by the place of the first of them.
  static func erased(_ first: Int64) -> EventLane { EventLane(stored: "e:\(first)") }
}
