import Synchronization

/// A sheet of the system that the person saw.
public struct SheetVisit: Hashable, Sendable {
  /// What a sheet is for.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// Paying.
    case payment
    /// Asking for money back.
    case refund
    /// Entering an offer code.
    case offerCode
    /// Cancelling and changing subscriptions.
    case subscriptions
    /// A higher price.
    case priceIncrease
    /// A charge that failed.
    case billingIssue
    /// An offer that shall win the customer back.
    case winBackOffer
    /// Anything else that the App Store has to say.
    case general
  }

  /// How a visit ended.
  public enum Ending: Hashable, Sendable {
    /// The person did what the sheet is for.
    case done
    /// The person closed it.
    case closed
    /// The store or the system refused, for this reason.
    case refused(String)
  }

  /// What it was for.
  public let kind: Kind
  /// The product, transaction, code or group that it was about; nil for none.
  public let subject: String?
  /// How it ended.
  public let ending: Ending

  /// Describes a visit.
  ///
  /// - Parameters:
  ///   - kind: What the sheet was for.
  ///   - subject: What it was about.
  ///   - ending: How the visit ended.
  public init(kind: Kind, subject: String?, ending: Ending) {
    self.kind = kind
    self.subject = subject
    self.ending = ending
  }
}

/// What the person saw, the oldest first.
final class SheetLog: Sendable {
  private let state = Mutex<[SheetVisit]>([])

  var visits: [SheetVisit] { state.withLock { $0 } }

  func note(_ kind: SheetVisit.Kind, _ subject: String?, _ ending: SheetVisit.Ending) {
    state.withLock { $0.append(SheetVisit(kind: kind, subject: subject, ending: ending)) }
  }
}
