#if os(iOS)
import SwiftUI

/// Shows the Objective-C screen in SwiftUI.
struct ObjectiveCScreen: UIViewControllerRepresentable {
  func makeUIViewController(context: Context) -> DemoCoinsViewController {
    DemoCoinsViewController()
  }

  func updateUIViewController(_ controller: DemoCoinsViewController, context: Context) {}
}
#endif
