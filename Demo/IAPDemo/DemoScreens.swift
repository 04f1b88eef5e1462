import Combine
import IAPKit
import IAPKitUI

/// The view models of all screens: made once, over one manager.
@MainActor
final class DemoScreens: ObservableObject {
  let manager: IAPManager
  let policies = PolicyLinks(
    termsOfUse: DemoPolicies.termsOfUse,
    privacyPolicy: DemoPolicies.privacyPolicy
  )
  let goods: PaywallModel
  let plans: PaywallModel
  let status: SubscriptionStatusModel
  let open: OpenPurchasesModel
  let restore: RestoreModel
  let plus: AccessModel
  let wallet: DemoWallet

  init(manager: IAPManager, goods kept: DemoGoods) {
    self.manager = manager
    goods = PaywallModel(manager: manager, productIds: DemoProducts.goods)
    plans = PaywallModel(
      manager: manager,
      productIds: DemoProducts.plans,
      headline: PaywallHeadline(title: "Plus", points: ["All seasons", "All maps"]),
      policies: policies
    )
    status = SubscriptionStatusModel(manager: manager)
    open = OpenPurchasesModel(manager: manager)
    restore = RestoreModel(manager: manager)
    plus = AccessModel(manager: manager, entitlement: DemoProducts.plus)
    wallet = DemoWallet(manager: manager, goods: kept)
  }
}

/// The coins, as a screen shows them.
@MainActor
final class DemoWallet: ObservableObject {
  private(set) var coins = 0 {
    willSet { objectWillChange.send() }
  }

  init(manager: IAPManager, goods: DemoGoods) {
    let bought = manager.transactionStream
    Task { [weak self] in
      self?.coins = await goods.coins
      for await _ in bought { self?.coins = await goods.coins }
    }
  }
}
