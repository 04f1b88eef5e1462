#if canImport(SwiftUI)
import Foundation
import IAPKit
public import SwiftUI

/// A button that restores purchases, for a settings screen.
public struct RestoreButton: View {
  @ObservedObject private var model: RestoreModel

  /// Makes a button.
  ///
  /// - Parameter model: The model, which the screen keeps.
  public init(model: RestoreModel) { self.model = model }

  /// The button, and how the last restore ended.
  public var body: some View {
    VStack(alignment: .leading, spacing: 4) {
      Button(model.state.title) { Task { await model.restore() } }
        .disabled(model.state.isRestoring)
      TermsText(model.state.messageText)
    }
  }
}
#endif
