#if canImport(SwiftUI)
import SwiftUI

/// A text for the user with a button that takes it away; nothing for nil.
struct MessageView: View {
  let text: String?
  let dismissTitle: String
  let dismiss: @MainActor () -> Void

  var body: some View {
    if let text {
      HStack {
        Text(text)
        Spacer()
        Button(dismissTitle, action: dismiss)
      }
    }
  }
}
#endif
