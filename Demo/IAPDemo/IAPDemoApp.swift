import IAPKit
import IAPKitCallbacks
import SwiftUI

/// The demo app.
///
/// What sells is made in the initialiser, before any screen: transactions may wait
/// from an earlier run, and renewals arrive whenever they like.
@main
struct IAPDemoApp: App {
  @StateObject private var screens: DemoScreens
  @Environment(\.scenePhase) private var scenePhase
  private let manager: IAPManager

  init() {
    let goods = DemoGoods.kept()
    let manager = DemoStore.open(goods: goods)
    self.manager = manager
    _screens = StateObject(wrappedValue: DemoScreens(manager: manager, goods: goods))
  }

  var body: some Scene {
    WindowGroup {
      ContentView(screens: screens)
        .onChange(of: scenePhase) { phase in
          // What waits is tried again, and the server is asked what the user may use.
          if phase == .active { manager.applicationDidBecomeActive() }
        }
    }
  }
}
