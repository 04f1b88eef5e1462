import Foundation
import IAPKit
import IAPKitUI
import SwiftUI

/// The first screen: what there is, what it opens, and what waits.
struct ContentView: View {
  let screens: DemoScreens

  var body: some View {
    NavigationView {
      ScrollView {
        VStack(alignment: .leading, spacing: 24) {
          CheckingPurchaseView(model: screens.open)
          PlusView(model: screens.plus)
          WalletView(model: screens.wallet)
          ProductListView(model: screens.goods)
          NavigationLink("Plus", destination: PlansScreen(screens: screens))
          NavigationLink("My Purchases", destination: PurchasesScreen(screens: screens))
          #if os(iOS)
          NavigationLink("Objective-C", destination: ObjectiveCScreen())
          #endif
        }
        .padding()
      }
      .onAppear { Task { await screens.goods.load() } }
    }
  }
}

/// What the entitlement opens: three answers, not two.
private struct PlusView: View {
  let model: AccessModel

  var body: some View {
    AccessView(model: model) { access in
      switch access {
      case .yes: Text("Plus is yours.")
      case .no: Text("Plus is for subscribers.")
      // Nobody has answered yet: no paywall, and nothing is taken away.
      case .unknown: ProgressView()
      }
    }
  }
}

private struct WalletView: View {
  @ObservedObject var model: DemoWallet

  var body: some View { Text("Coins: \(model.coins)") }
}

/// The plans: the system's store where there is one, our own paywall elsewhere.
///
/// Both show the terms, the policies, and the button that restores.
struct PlansScreen: View {
  let screens: DemoScreens

  var body: some View {
    SubscriptionScreen(
      model: screens.plans,
      manager: screens.manager,
      groupId: DemoProducts.group,
      policies: screens.policies
    ) {
      PaywallHeadlineView(headline: screens.plans.state.headline)
    }
  }
}

/// The subscription, what waits and what got lost, restore and the policies.
struct PurchasesScreen: View {
  let screens: DemoScreens
  @Environment(\.openURL) private var openURL

  var body: some View {
    ScrollView {
      VStack(alignment: .leading, spacing: 24) {
        SubscriptionStatusView(model: screens.status)
        OpenPurchasesView(model: screens.open) { text in write(text) }
        RestoreButton(model: screens.restore)
        PolicyLinksView(links: screens.plans.state.policies)
      }
      .padding()
    }
  }

  /// Writes to the app's support.
  private func write(_ text: String) {
    var mail = URLComponents()
    mail.scheme = "mailto"
    mail.path = "support@example.com"
    mail.queryItems = [URLQueryItem(name: "body", value: text)]
    if let url = mail.url { openURL(url) }
  }
}
