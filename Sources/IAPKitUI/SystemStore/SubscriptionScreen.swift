#if canImport(SwiftUI)
public import IAPKit
public import SwiftUI

/// The system's subscription store where there is one, and ``PaywallView`` everywhere else.
///
/// "Everywhere else" is a system before iOS 17 and its season, and a client that is forced to use
/// StoreKit 1.
public struct SubscriptionScreen<Marketing: View>: View {
  @ObservedObject private var model: PaywallModel
  private let manager: IAPManager
  private let groupId: String
  private let style: SystemStoreStyle
  private let policies: PolicyLinks
  private let marketing: Marketing

  /// Makes a screen.
  ///
  /// - Parameters:
  ///   - model: The model of the app's own paywall, which the screen keeps.
  ///   - manager: The client.
  ///   - groupId: The subscription group.
  ///   - style: How plans are chosen in the system's view.
  ///   - policies: The app's policies.
  ///   - marketing: What stands above the plans.
  public init(
    model: PaywallModel,
    manager: IAPManager,
    groupId: String,
    style: SystemStoreStyle = .automatic,
    policies: PolicyLinks,
    @ViewBuilder marketing: () -> Marketing
  ) {
    self.model = model
    self.manager = manager
    self.groupId = groupId
    self.style = style
    self.policies = policies
    self.marketing = marketing()
  }

  /// One of the two.
  public var body: some View {
    if #available(iOS 17.0, macOS 14.0, tvOS 17.0, watchOS 10.0, *),
      manager.generation == .storekit2
    {
      SystemSubscriptionStoreView(
        purchases: SystemPurchases(manager: manager),
        groupId: groupId,
        style: style,
        policies: policies
      ) {
        marketing
      }
    } else {
      PaywallView(model: model) { marketing }
    }
  }
}
#endif
