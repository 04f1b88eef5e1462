import IAPModel

/// Something that happened, before it has its numbers.
struct EventDraft {
  /// Who is told.
  enum Owner: Hashable {
    /// Whoever owns the purchase when the write is worked in.
    case owner(LedgerSubject)
    /// This customer.
    case customer(CustomerID)
    /// Nobody in particular: the case itself.
    case lane(EventLane)
  }

  let type: EventType
  let app: BundleID
  let environment: StoreEnvironment?
  let owner: Owner
  let data: JSONObject

  /// Something about a purchase, for its owner unless another is named.
  init(_ type: EventType, _ subject: LedgerSubject, owner: Owner? = nil, data: JSONObject) {
    self.type = type
    app = subject.scope.app
    environment = subject.scope.environment
    self.owner = owner ?? .owner(subject)
    self.data = data
  }

  /// Something else.
  init(
    _ type: EventType,
    app: BundleID,
    _ environment: StoreEnvironment?,
    _ owner: Owner,
    data: JSONObject
  ) {
    self.type = type
    self.app = app
    self.environment = environment
    self.owner = owner
    self.data = data
  }
}

/// Where an event stands.
struct EventPlace {
  let customer: CustomerID?
  let lane: EventLane
  let number: Int64
  let ordinal: Int64
}
