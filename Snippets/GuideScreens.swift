// The code of docs/guide/screens.md. SwiftUI is not here: Scripts/check-ui checks the types.
#if canImport(SwiftUI)
import Foundation
import IAPKit
import IAPKitUI
import StoreKit
import SwiftUI

/// A paywall: the screen keeps the model, the model keeps the words.
struct ProScreen: View {
  @StateObject private var model: PaywallModel

  init(manager: IAPManager, policies: PolicyLinks) {
    _model = StateObject(
      wrappedValue: PaywallModel(
        manager: manager,
        productIds: ["com.example.pro.yearly", "com.example.pro.monthly"],
        headline: PaywallHeadline(title: "Pro", points: ["All maps", "No limits"]),
        policies: policies
      )
    )
  }

  var body: some View { PaywallView(model: model) }
}

/// What "pro" opens; unknown shows what was there before.
struct MapScreen: View {
  let manager: IAPManager
  @State private var isPro = false

  var body: some View {
    Text(isPro ? "All maps" : "One map")
      .entitlementTask(for: "pro", manager: manager) { access in
        switch access {
        case .yes: isPro = true
        case .no: isPro = false
        case .unknown: break
        }
      }
  }
}

/// Settings: the subscription, what waits or got lost, and restore.
struct PurchasesSettings: View {
  @ObservedObject var status: SubscriptionStatusModel
  @ObservedObject var open: OpenPurchasesModel
  @ObservedObject var restore: RestoreModel
  let writeToSupport: @MainActor (String) -> Void

  var body: some View {
    VStack {
      SubscriptionStatusView(model: status)
      OpenPurchasesView(model: open, contact: writeToSupport)
      RestoreButton(model: restore)
    }
  }
}

/// The system's own store on iOS 17, our paywall before it; both sell through the manager.
struct PlansScreen: View {
  let manager: IAPManager
  let model: PaywallModel
  let policies: PolicyLinks

  var body: some View {
    SubscriptionScreen(
      model: model,
      manager: manager,
      groupId: "21500001",
      style: .prominentPicker,
      policies: policies
    ) {
      Text("Pro").font(.largeTitle)
    }
  }
}

/// A view put together from the system's parts: the modifier gives each purchase its order.
@available(iOS 17.0, macOS 14.0, tvOS 17.0, watchOS 10.0, visionOS 1.0, *)
struct CoinsShelf: View {
  @State private var purchases: SystemPurchases

  init(manager: IAPManager) {
    _purchases = State(
      initialValue: SystemPurchases(manager: manager) { productId in
        SystemPurchases.Order(context: ["screen": "shelf", "product": productId])
      }
    )
  }

  var body: some View {
    ProductView(id: "com.example.coins", prefersPromotionalIcon: true) {
      Image(systemName: "circle.fill")
    } placeholderIcon: {
      ProgressView()
    }
    .systemPurchases(purchases)
  }
}
#endif
