#if canImport(SwiftUI)
import IAPKit
#if canImport(UIKit) && !os(watchOS)
import UIKit
#endif

extension StoreAnchor {
  /// The scene that the user looks at; nil where sheets need none, or cannot be shown.
  @MainActor static var foremost: StoreAnchor? {
    #if canImport(UIKit) && !os(watchOS)
    UIApplication.shared.connectedScenes.first { $0.activationState == .foregroundActive }
      .map { .scene($0) }
    #else
    nil
    #endif
  }
}
#endif
