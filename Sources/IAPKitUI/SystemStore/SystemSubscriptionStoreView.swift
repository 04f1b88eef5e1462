#if canImport(SwiftUI)
public import IAPKit
public import StoreKit
public import SwiftUI

/// The system's view of a subscription group, selling through a manager.
@available(iOS 17.0, macOS 14.0, tvOS 17.0, watchOS 10.0, visionOS 1.0, *)
public struct SystemSubscriptionStoreView<Marketing: View>: View {
  private let groupId: String
  private let relationships: Product.SubscriptionRelationship
  private let style: SystemStoreStyle
  private let grouping: SystemStoreGrouping
  private let policies: PolicyLinks?
  private let marketing: Marketing
  // Kept over redrawings: it knows the orders whose sheets are open.
  @State private var purchases: SystemPurchases
  private let onEnd: @MainActor (Product, PurchaseOutcome) -> Void

  /// Makes a view with marketing of the app's own.
  ///
  /// - Parameters:
  ///   - purchases: The link to the manager, which the screen keeps.
  ///   - groupId: The subscription group.
  ///   - relationships: Which plans whoever is subscribed sees: upgrades only, for example.
  ///   - style: How plans are chosen.
  ///   - grouping: How plans are put together.
  ///   - policies: The app's policies; nil for those in App Store Connect.
  ///   - onEnd: Told how a purchase ended.
  ///   - marketing: What stands above the plans.
  public init(
    purchases: SystemPurchases,
    groupId: String,
    relationships: Product.SubscriptionRelationship = .all,
    style: SystemStoreStyle = .automatic,
    grouping: SystemStoreGrouping = .none,
    policies: PolicyLinks? = nil,
    onEnd: @escaping @MainActor (Product, PurchaseOutcome) -> Void = { _, _ in },
    @ViewBuilder marketing: () -> Marketing
  ) {
    _purchases = State(initialValue: purchases)
    self.groupId = groupId
    self.relationships = relationships
    self.style = style
    self.grouping = grouping
    self.policies = policies
    self.onEnd = onEnd
    self.marketing = marketing()
  }

  /// The plans, with the buttons that restore and redeem codes, and the policies.
  public var body: some View {
    plans
      .modifier(StoreStyleModifier(style: style))
      .modifier(PolicyModifier(policies: policies))
      .storeButton(.visible, for: .restorePurchases, .policies)
      #if !os(tvOS) && !os(watchOS)
    .modifier(RedeemButtonModifier())
      #endif
      .systemPurchases(purchases, onEnd: onEnd)
  }

  @ViewBuilder private var plans: some View {
    if grouping != .none, #available(iOS 18.0, macOS 15.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
    {
      groupedPlans
    } else {
      SubscriptionStoreView(groupID: groupId, visibleRelationships: relationships) { marketing }
    }
  }

  @available(iOS 18.0, macOS 15.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
  @ViewBuilder private var groupedPlans: some View {
    let view = SubscriptionStoreView(groupID: groupId, visibleRelationships: relationships) {
      SubscriptionPeriodGroupSet(marketingContent: { _ in marketing })
    }
    switch grouping {
    case .byPeriodBehindLinks: view.subscriptionStoreOptionGroupStyle(.links)
    case .none, .byPeriodInTabs: view.subscriptionStoreOptionGroupStyle(.tabs)
    }
  }
}

/// Chooses the system's style, or what stands in for it.
@available(iOS 17.0, macOS 14.0, tvOS 17.0, watchOS 10.0, visionOS 1.0, *)
private struct StoreStyleModifier: ViewModifier {
  let style: SystemStoreStyle

  @ViewBuilder func body(content: Content) -> some View {
    switch style {
    case .automatic: content
    case .buttons: content.subscriptionStoreControlStyle(.buttons)
    #if os(tvOS)
    case .picker, .prominentPicker, .compactPicker, .pagedPicker, .pagedProminentPicker:
      content
    #elseif os(watchOS)
    case .picker, .prominentPicker, .compactPicker, .pagedPicker, .pagedProminentPicker:
      content.subscriptionStoreControlStyle(.picker)
    #else
    case .picker: content.subscriptionStoreControlStyle(.picker)
    case .prominentPicker: content.modifier(ProminentPickerModifier())
    case .compactPicker:
      if #available(iOS 18.0, macOS 15.0, visionOS 2.0, *) {
        content.subscriptionStoreControlStyle(.compactPicker)
      } else {
        content.subscriptionStoreControlStyle(.picker)
      }
    case .pagedPicker:
      if #available(iOS 18.0, macOS 15.0, visionOS 2.0, *) {
        content.subscriptionStoreControlStyle(.pagedPicker)
      } else {
        content.subscriptionStoreControlStyle(.picker)
      }
    case .pagedProminentPicker:
      if #available(iOS 18.0, macOS 15.0, visionOS 2.0, *) {
        content.subscriptionStoreControlStyle(.pagedProminentPicker)
      } else {
        content.modifier(ProminentPickerModifier())
      }
    #endif
    }
  }
}

#if !os(tvOS) && !os(watchOS)
@available(iOS 17.0, macOS 14.0, visionOS 1.0, *)
private struct ProminentPickerModifier: ViewModifier {
  func body(content: Content) -> some View {
    #if os(visionOS)
    content.subscriptionStoreControlStyle(.picker)
    #else
    content.subscriptionStoreControlStyle(.prominentPicker)
    #endif
  }
}

@available(iOS 17.0, macOS 14.0, visionOS 1.0, *)
private struct RedeemButtonModifier: ViewModifier {
  @ViewBuilder func body(content: Content) -> some View {
    if #available(iOS 17.0, macOS 15.0, visionOS 1.0, *) {
      content.storeButton(.visible, for: .redeemCode)
    } else {
      content
    }
  }
}
#endif

@available(iOS 17.0, macOS 14.0, tvOS 17.0, watchOS 10.0, visionOS 1.0, *)
private struct PolicyModifier: ViewModifier {
  let policies: PolicyLinks?

  @ViewBuilder func body(content: Content) -> some View {
    #if os(tvOS)
    content
    #else
    if let policies {
      content
        .subscriptionStorePolicyDestination(url: policies.termsOfUse, for: .termsOfService)
        .subscriptionStorePolicyDestination(url: policies.privacyPolicy, for: .privacyPolicy)
    } else {
      content
    }
    #endif
  }
}
#endif
