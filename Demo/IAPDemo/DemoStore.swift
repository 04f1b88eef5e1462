import Foundation
import IAPKit
import IAPKitCallbacks

/// How the demo app sells.
enum DemoStore {
  /// Makes the manager, which begins to listen and to recover at once.
  ///
  /// The Objective-C screen uses the shared client, so that it and the rest of the app have the
  /// same manager. An app without such screens calls `IAPManager(configuration:)`.
  static func open(goods: DemoGoods) -> IAPManager {
    SharedClient.configure(configuration(goods: goods))
    return SharedClient.requests.manager
  }

  /// What Info.plist says, and what only code can say.
  static func configuration(goods: DemoGoods) -> IAPConfiguration {
    var configuration: IAPConfiguration
    do {
      configuration = try IAPConfiguration(infoDictionary: Bundle.main.infoDictionary ?? [:])
    } catch {
      // Each bad key is named in the log; the app sells without a server then.
      print(error)
      configuration = IAPConfiguration(productIds: DemoProducts.all)
    }
    configuration.productIds = DemoProducts.all
    configuration.delivery = { delivery in await goods.apply(delivery) }
    configuration.entitlements = [
      DemoProducts.monthly: [DemoProducts.plus],
      DemoProducts.yearly: [DemoProducts.plus],
      DemoProducts.lifetime: [DemoProducts.plus],
    ]
    return configuration
  }
}
