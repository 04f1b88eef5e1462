#if canImport(UIKit) && !os(watchOS)
public import UIKit
#elseif canImport(AppKit)
public import AppKit
#endif

/// Where a sheet of the App Store is shown.
///
/// - **iOS, tvOS, visionOS:** a scene or a view controller. visionOS shows no payment sheet without
///   one; the sheets for refunds, subscriptions and codes need a window scene everywhere.
/// - **macOS:** a window or a view controller; the sheets for refunds and codes need the latter.
/// - **watchOS, Linux:** there is nothing to choose, so that the type has no values.
public enum StoreAnchor: Hashable, Sendable {
  #if canImport(UIKit) && !os(watchOS)
  /// In a scene of the app.
  case scene(UIScene)
  /// Over a view controller.
  case viewController(UIViewController)
  #elseif canImport(AppKit)
  /// In a window.
  case window(NSWindow)
  /// Over a view controller.
  case viewController(NSViewController)
  #endif
}

#if canImport(UIKit) && !os(watchOS)
extension StoreAnchor {
  /// The window scene; nil while there is none.
  @MainActor var windowScene: UIWindowScene? {
    switch self {
    case .scene(let scene): scene as? UIWindowScene
    case .viewController(let controller): controller.viewIfLoaded?.window?.windowScene
    }
  }
}

extension IAPManager {
  /// Buys, with the payment sheet in a scene.
  ///
  /// - Parameters:
  ///   - productId: The product's id.
  ///   - scene: Where the sheet is shown; StoreKit 2 on iOS 17 and later, before it is a hint.
  ///   - options: What the app says beside it.
  /// - Returns: How it ended.
  public func buy(
    _ productId: String,
    confirmIn scene: UIScene,
    options: PurchaseOptions = PurchaseOptions()
  ) async -> PurchaseOutcome {
    await buy(productId, options: options.shown(in: .scene(scene)))
  }

  /// Buys, with the payment sheet over a view controller.
  ///
  /// - Parameters:
  ///   - productId: The product's id.
  ///   - viewController: Where the sheet is shown; StoreKit 2 on iOS 18.2 and later, before it is a
  ///     hint.
  ///   - options: What the app says beside it.
  /// - Returns: How it ended.
  public func buy(
    _ productId: String,
    confirmIn viewController: UIViewController,
    options: PurchaseOptions = PurchaseOptions()
  ) async -> PurchaseOutcome {
    await buy(productId, options: options.shown(in: .viewController(viewController)))
  }
}
#elseif canImport(AppKit)
extension IAPManager {
  /// Buys, with the payment sheet in a window.
  ///
  /// - Parameters:
  ///   - productId: The product's id.
  ///   - window: Where the sheet is shown; StoreKit 2 on macOS 15.2 and later, before it is a hint.
  ///   - options: What the app says beside it.
  /// - Returns: How it ended.
  public func buy(
    _ productId: String,
    confirmIn window: NSWindow,
    options: PurchaseOptions = PurchaseOptions()
  ) async -> PurchaseOutcome {
    await buy(productId, options: options.shown(in: .window(window)))
  }
}
#endif

#if (canImport(UIKit) && !os(watchOS)) || canImport(AppKit)
extension PurchaseOptions {
  /// The same options with a place for the sheet.
  func shown(in anchor: StoreAnchor) -> PurchaseOptions {
    var options = self
    options.anchor = anchor
    return options
  }
}
#endif
