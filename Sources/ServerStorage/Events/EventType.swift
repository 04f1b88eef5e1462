/// What an event says, as a word with full stops in it: the families that backends tell apart.
///
/// The list grows with time; who reads events passes over words that it does not know.
public struct EventType: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  /// The word.
  public let rawValue: String
  /// Makes a type from its word.
  public init(rawValue: String) { self.rawValue = rawValue }
  /// The word.
  public var description: String { rawValue }

  /// Something was bought: its goods are to be handed over, once for this event.
  public static let granted = Self(rawValue: "purchase.granted")
  /// A further period of a subscription was paid.
  public static let renewed = Self(rawValue: "purchase.renewed")
  /// The goods of a purchase or period are to be taken back.
  public static let clawedBack = Self(rawValue: "purchase.clawedBack")
  /// The goods that were taken back are to be handed over again.
  public static let regranted = Self(rawValue: "purchase.regranted")
  /// A purchase that nobody owned belongs to a customer now.
  public static let claimed = Self(rawValue: "purchase.claimed")
  /// A purchase came to this customer from another.
  public static let transferredIn = Self(rawValue: "purchase.transferredIn")
  /// A purchase went from this customer to another.
  public static let transferredOut = Self(rawValue: "purchase.transferredOut")
  /// This customer presented a purchase that belongs to another.
  public static let conflict = Self(rawValue: "purchase.conflict")
  /// A subscription is in another phase, or its renewal was switched, or its plan is another.
  public static let subscriptionChanged = Self(rawValue: "subscription.changed")
  /// What a customer may use is not what it was: by a purchase, a refund, or the clock.
  public static let entitlementsChanged = Self(rawValue: "entitlements.changed")
  /// The App Store paid a customer back.
  public static let refunded = Self(rawValue: "refund.completed")
  /// The App Store did not pay a customer back.
  public static let refundDeclined = Self(rawValue: "refund.declined")
  /// The App Store took a refund back.
  public static let refundReversed = Self(rawValue: "refund.reversed")
  /// The App Store asks how a purchase was used, because its customer wants the money back.
  public static let consumptionRequested = Self(rawValue: "consumption.requested")
  /// An installation says that it has handed a unit over.
  public static let orderDelivered = Self(rawValue: "order.delivered")
  /// A client could not get a purchase accepted and has set it aside.
  public static let orderQuarantined = Self(rawValue: "order.quarantined")
  /// A case for people was opened.
  public static let reviewOpened = Self(rawValue: "review.opened")
  /// A case for people was decided.
  public static let reviewResolved = Self(rawValue: "review.resolved")

  /// Every type that this version files, in the order of the documentation.
  public static let all: [EventType] = [
    .granted, .renewed, .clawedBack, .regranted, .claimed, .transferredIn, .transferredOut,
    .conflict, .subscriptionChanged, .entitlementsChanged, .refunded, .refundDeclined,
    .refundReversed, .consumptionRequested, .orderDelivered, .orderQuarantined, .reviewOpened,
    .reviewResolved,
  ]
}
