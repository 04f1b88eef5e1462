public import Foundation
public import StoreKit

// On Apple's systems these stand in an overlay that 'import StoreKit' and 'import SwiftUI' bring
// together.

@available(iOS 17.0, macOS 14.0, tvOS 17.0, watchOS 10.0, visionOS 1.0, *)
public struct StoreView<Icon: View, PlaceholderIcon: View>: StubView {
  public nonisolated init(
    ids productIDs: some Collection<String>,
    prefersPromotionalIcon: Bool = false,
    @ViewBuilder icon: @escaping (Product) -> Icon,
    @ViewBuilder placeholderIcon: () -> PlaceholderIcon
  ) {}
}

@available(iOS 17.0, macOS 14.0, tvOS 17.0, watchOS 10.0, visionOS 1.0, *)
public struct ProductView<Icon: View, PlaceholderIcon: View>: StubView {
  public nonisolated init(
    id productID: Product.ID,
    prefersPromotionalIcon: Bool = false,
    @ViewBuilder icon: () -> Icon,
    @ViewBuilder placeholderIcon: () -> PlaceholderIcon
  ) {}
}

@available(iOS 17.0, macOS 14.0, tvOS 17.0, watchOS 10.0, visionOS 1.0, *)
public struct SubscriptionStoreView<Content: View>: StubView {
  public nonisolated init(
    groupID: String,
    visibleRelationships: Product.SubscriptionRelationship = .all,
    @ViewBuilder marketingContent: () -> Content
  ) {}
}

@available(iOS 18.0, macOS 15.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
extension SubscriptionStoreView {
  public nonisolated init<C: StoreContent>(
    groupID: String,
    visibleRelationships: Product.SubscriptionRelationship = .all,
    @StoreContentBuilder content: () -> C
  ) where Content == EmptyView {}
}

@available(iOS 18.0, macOS 15.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
@MainActor @preconcurrency
public protocol StoreContent {}

@available(iOS 18.0, macOS 15.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
@resultBuilder
public enum StoreContentBuilder {
  public static func buildBlock<Content: StoreContent>(_ content: Content) -> Content { content }
}

@available(iOS 18.0, macOS 15.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
public struct SubscriptionPeriodGroupSet<MarketingContent: View>: StoreContent {
  public init(
    @ViewBuilder marketingContent: @escaping (Product.SubscriptionPeriod?) -> MarketingContent
  ) {}
}

@available(iOS 17.0, macOS 14.0, tvOS 17.0, watchOS 10.0, visionOS 1.0, *)
extension Product {
  public struct SubscriptionRelationship: OptionSet, Sendable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }
    public static let current = Self(rawValue: 1)
    public static let downgrade = Self(rawValue: 2)
    public static let crossgrade = Self(rawValue: 4)
    public static let upgrade = Self(rawValue: 8)
    public static let all = Self(rawValue: 15)
  }
}

@available(iOS 17.0, macOS 14.0, tvOS 17.0, watchOS 10.0, visionOS 1.0, *)
public enum EntitlementTaskState<Value> {
  case loading
  case failure(any Error)
  case success(Value)
}

@available(iOS 17.0, macOS 14.0, tvOS 17.0, watchOS 10.0, visionOS 1.0, *)
public struct StoreButtonKind: Hashable, Sendable {
  public static let restorePurchases = StoreButtonKind()
  public static let cancellation = StoreButtonKind()
  @available(macOS 15.0, *)
  @available(tvOS, unavailable)
  @available(watchOS, unavailable)
  public static let redeemCode = StoreButtonKind()
  public static let signIn = StoreButtonKind()
  public static let policies = StoreButtonKind()
}

@available(iOS 17.0, macOS 14.0, watchOS 10.0, visionOS 1.0, *)
@available(tvOS, unavailable)
public struct SubscriptionStorePolicyKind: Hashable, Sendable {
  public static let termsOfService = SubscriptionStorePolicyKind()
  public static let privacyPolicy = SubscriptionStorePolicyKind()
}

@available(iOS 17.0, macOS 14.0, tvOS 17.0, watchOS 10.0, visionOS 1.0, *)
@MainActor @preconcurrency
public protocol SubscriptionStoreControlStyle: Sendable {}

@available(iOS 17.0, macOS 14.0, tvOS 17.0, watchOS 10.0, visionOS 1.0, *)
public struct ButtonsSubscriptionStoreControlStyle: SubscriptionStoreControlStyle {}

@available(iOS 17.0, macOS 14.0, watchOS 10.0, visionOS 1.0, *)
@available(tvOS, unavailable)
public struct PickerSubscriptionStoreControlStyle: SubscriptionStoreControlStyle {}

@available(iOS 17.0, macOS 14.0, *)
@available(tvOS, unavailable)
@available(watchOS, unavailable)
@available(visionOS, unavailable)
public struct ProminentPickerSubscriptionStoreControlStyle: SubscriptionStoreControlStyle {}

@available(iOS 18.0, macOS 15.0, visionOS 2.0, *)
@available(tvOS, unavailable)
@available(watchOS, unavailable)
public struct CompactPickerSubscriptionStoreControlStyle: SubscriptionStoreControlStyle {}

@available(iOS 18.0, macOS 15.0, visionOS 2.0, *)
@available(tvOS, unavailable)
@available(watchOS, unavailable)
public struct PagedPickerSubscriptionStoreControlStyle: SubscriptionStoreControlStyle {}

@available(iOS 18.0, macOS 15.0, visionOS 2.0, *)
@available(tvOS, unavailable)
@available(watchOS, unavailable)
public struct PagedProminentPickerSubscriptionStoreControlStyle: SubscriptionStoreControlStyle {}

@available(iOS 17.0, macOS 14.0, tvOS 17.0, watchOS 10.0, visionOS 1.0, *)
extension SubscriptionStoreControlStyle where Self == ButtonsSubscriptionStoreControlStyle {
  public static var buttons: Self { Self() }
}

@available(iOS 17.0, macOS 14.0, watchOS 10.0, visionOS 1.0, *)
@available(tvOS, unavailable)
extension SubscriptionStoreControlStyle where Self == PickerSubscriptionStoreControlStyle {
  public static var picker: Self { Self() }
}

@available(iOS 17.0, macOS 14.0, *)
@available(tvOS, unavailable)
@available(watchOS, unavailable)
@available(visionOS, unavailable)
extension SubscriptionStoreControlStyle where Self == ProminentPickerSubscriptionStoreControlStyle {
  public static var prominentPicker: Self { Self() }
}

@available(iOS 18.0, macOS 15.0, visionOS 2.0, *)
@available(tvOS, unavailable)
@available(watchOS, unavailable)
extension SubscriptionStoreControlStyle where Self == CompactPickerSubscriptionStoreControlStyle {
  public static var compactPicker: Self { Self() }
}

@available(iOS 18.0, macOS 15.0, visionOS 2.0, *)
@available(tvOS, unavailable)
@available(watchOS, unavailable)
extension SubscriptionStoreControlStyle where Self == PagedPickerSubscriptionStoreControlStyle {
  public static var pagedPicker: Self { Self() }
}

@available(iOS 18.0, macOS 15.0, visionOS 2.0, *)
@available(tvOS, unavailable)
@available(watchOS, unavailable)
extension SubscriptionStoreControlStyle
where Self == PagedProminentPickerSubscriptionStoreControlStyle {
  public static var pagedProminentPicker: Self { Self() }
}

@available(iOS 18.0, macOS 15.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
@MainActor @preconcurrency
public protocol SubscriptionOptionGroupStyle {}

@available(iOS 18.0, macOS 15.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
public struct TabsSubscriptionOptionGroupStyle: SubscriptionOptionGroupStyle {}

@available(iOS 18.0, macOS 15.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
public struct LinksSubscriptionOptionGroupStyle: SubscriptionOptionGroupStyle {}

@available(iOS 18.0, macOS 15.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
extension SubscriptionOptionGroupStyle where Self == TabsSubscriptionOptionGroupStyle {
  public static var tabs: Self { Self() }
}

@available(iOS 18.0, macOS 15.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
extension SubscriptionOptionGroupStyle where Self == LinksSubscriptionOptionGroupStyle {
  public static var links: Self { Self() }
}

@available(iOS 17.0, macOS 14.0, tvOS 17.0, watchOS 10.0, visionOS 1.0, *)
extension View {
  public nonisolated func storeButton(
    _ visibility: Visibility,
    for buttonKinds: StoreButtonKind...
  ) -> some View {
    StubModified<Self>()
  }
  @available(tvOS, unavailable)
  public nonisolated func subscriptionStorePolicyDestination(
    url: URL,
    for button: SubscriptionStorePolicyKind
  ) -> some View {
    StubModified<Self>()
  }
  public nonisolated func subscriptionStoreControlStyle(
    _ style: some SubscriptionStoreControlStyle
  ) -> some View {
    StubModified<Self>()
  }
  public nonisolated func onInAppPurchaseStart(
    perform action: ((Product) async -> Void)?
  ) -> some View {
    StubModified<Self>()
  }
  public nonisolated func onInAppPurchaseCompletion(
    perform action: ((Product, Result<Product.PurchaseResult, any Error>) async -> Void)?
  ) -> some View {
    StubModified<Self>()
  }
  public nonisolated func inAppPurchaseOptions(
    _ options: ((Product) async -> Set<Product.PurchaseOption>)?
  ) -> some View {
    StubModified<Self>()
  }
  public nonisolated func currentEntitlementTask(
    for productID: String,
    priority: TaskPriority = .medium,
    action: @escaping (EntitlementTaskState<VerificationResult<Transaction>?>) async -> Void
  ) -> some View {
    StubModified<Self>()
  }
}

@available(iOS 18.0, macOS 15.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
extension View {
  public nonisolated func subscriptionStoreOptionGroupStyle(
    _ style: some SubscriptionOptionGroupStyle
  ) -> some View {
    StubModified<Self>()
  }
}
