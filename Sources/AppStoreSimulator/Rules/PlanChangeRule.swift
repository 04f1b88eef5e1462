import IAPModel

/// When a change of plan inside a group takes effect.
///
/// - **Source:** the lifecycle facts, section 4: level 1 is the highest.
enum PlanChangeRule {
  /// When the change takes effect.
  enum Effect: String, Hashable, Sendable {
    /// With a new transaction now.
    case atOnce
    /// With the next renewal.
    case atRenewal
  }

  /// An upgrade, or a change on one level to a product of the same length, takes effect at once.
  static func change(from old: CatalogProduct?, to new: CatalogProduct) -> Effect {
    guard let from = old?.subscription, let to = new.subscription else { return .atOnce }
    if to.level != from.level { return to.level < from.level ? .atOnce : .atRenewal }
    return to.period == from.period ? .atOnce : .atRenewal
  }

  /// Whether a product is of a lower level, which has the greater number.
  static func isLower(_ new: CatalogProduct, than old: CatalogProduct?) -> Bool {
    guard let from = old?.subscription, let to = new.subscription else { return false }
    return to.level > from.level
  }
}
