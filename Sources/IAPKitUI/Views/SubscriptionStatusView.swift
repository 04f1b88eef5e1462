#if canImport(SwiftUI)
import Foundation
import IAPKit
public import SwiftUI

/// The customer's subscriptions: what they are in, and what can be done about them.
public struct SubscriptionStatusView: View {
  @ObservedObject private var model: SubscriptionStatusModel
  @Environment(\.openURL) private var openURL

  /// Makes a screen.
  ///
  /// - Parameter model: The model, which the screen keeps.
  public init(model: SubscriptionStatusModel) { self.model = model }

  /// One subscription below the other.
  public var body: some View {
    VStack(alignment: .leading, spacing: 16) {
      TermsText(model.state.placeholder)
      ForEach(model.state.rows) { row in
        VStack(alignment: .leading, spacing: 4) {
          Text(row.title).font(.headline)
          Text(row.headline)
          ForEach(row.lines, id: \.self) { line in TermsText(line) }
          if let title = row.actionTitle {
            Button(title) { Task { await act(on: row.id) } }
          }
        }
      }
      TermsText(model.state.message)
    }
    .onAppear { Task { await model.load() } }
  }

  private func act(on id: String) async {
    if let url = await model.act(on: id, in: StoreAnchor.foremost) { openURL(url) }
  }
}
#endif
