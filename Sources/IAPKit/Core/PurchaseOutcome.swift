/// What became of a purchase: the value-returning form.
public enum PurchaseOutcome: Equatable, Sendable {
  /// Paid, accepted, and handed over.
  case delivered(IAPTransactionResult)
  /// Paid, not yet confirmed or not yet handed over: the goods come by themselves.
  case processing(IAPTransactionResult)
  /// Waits for somebody else (a parent, the bank).
  case pending(orderNumber: String)
  /// A plan change that takes effect at the next renewal.
  case scheduled(IAPTransactionResult?)
  /// The store answered with a purchase that was handed over before.
  case alreadyOwned(IAPTransactionResult)
  /// The customer closed the sheet.
  case cancelled
  /// Nothing was bought, or the server refused what was.
  case failed(IAPError)

  /// Compares everything; errors by their code.
  public static func == (left: PurchaseOutcome, right: PurchaseOutcome) -> Bool {
    switch (left, right) {
    case (.delivered(let one), .delivered(let two)): one == two
    case (.processing(let one), .processing(let two)): one == two
    case (.pending(let one), .pending(let two)): one == two
    case (.scheduled(let one), .scheduled(let two)): one == two
    case (.alreadyOwned(let one), .alreadyOwned(let two)): one == two
    case (.cancelled, .cancelled): true
    case (.failed(let one), .failed(let two)): one == two
    default: false
    }
  }
}
