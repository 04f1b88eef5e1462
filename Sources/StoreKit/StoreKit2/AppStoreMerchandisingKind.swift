/// What a merchandising sheet shows; the sheet itself exists on Apple's platforms only.
public struct AppStoreMerchandisingKind: Sendable {
  let subscriptionGroupID: String

  public static func subscriptionBundle(_ groupID: String) -> AppStoreMerchandisingKind {
    Self(subscriptionGroupID: groupID)
  }

  public enum PresentationResult: Sendable {
    case dismissed
    case purchaseCompleted(Product.PurchaseResult)
  }
}
