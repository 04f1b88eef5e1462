#if canImport(SwiftUI)
import Foundation
import IAPKit
public import SwiftUI

/// A paywall: what the app says, the products with all that has to be said about them, and below
/// them, on the same level, restore, codes and the policies.
///
/// Nothing is decided here: every word and every flag is in ``PaywallModel/state``.
public struct PaywallView<Header: View>: View {
  @ObservedObject private var model: PaywallModel
  private let header: Header

  /// Makes a paywall with a view of the app's own above the products.
  ///
  /// - Parameters:
  ///   - model: The model, which the screen keeps.
  ///   - header: The app's marketing.
  public init(model: PaywallModel, @ViewBuilder header: () -> Header) {
    self.model = model
    self.header = header()
  }

  /// The whole screen.
  public var body: some View {
    ScrollView {
      VStack(alignment: .leading, spacing: 24) {
        header
        MessageView(
          text: model.state.messageText,
          dismissTitle: model.state.dismissTitle,
          dismiss: model.dismissMessage
        )
        ProductListView(model: model)
        RestoreFooter(model: model)
        PolicyLinksView(links: model.state.policies)
      }
      .padding()
    }
    .onAppear { Task { await model.load() } }
  }
}

extension PaywallView where Header == PaywallHeadlineView {
  /// Makes a paywall with the headline of its model above the products.
  ///
  /// - Parameter model: The model, which the screen keeps.
  public init(model: PaywallModel) {
    self.init(model: model) { PaywallHeadlineView(headline: model.state.headline) }
  }
}

/// What an app says above its products.
public struct PaywallHeadlineView: View {
  private let headline: PaywallHeadline?

  /// Shows a headline; nothing for nil.
  public init(headline: PaywallHeadline?) { self.headline = headline }

  /// The title, what stands below it, and the points.
  public var body: some View {
    if let headline {
      VStack(alignment: .leading, spacing: 8) {
        Text(headline.title).font(.largeTitle)
        if let subtitle = headline.subtitle { Text(subtitle).font(.title3) }
        ForEach(headline.points, id: \.self) { point in
          HStack(alignment: .firstTextBaseline) {
            Image(systemName: "checkmark")
            Text(point)
          }
          .accessibilityElement(children: .combine)
        }
      }
    }
  }
}

/// Restore and codes, below the products.
private struct RestoreFooter: View {
  @ObservedObject var model: PaywallModel

  var body: some View {
    VStack(alignment: .leading, spacing: 12) {
      Button(model.state.restoreTitle) { Task { await model.restore() } }
        .disabled(model.state.isRestoring)
      #if os(iOS) || os(visionOS)
      Button(model.state.redeemTitle) {
        Task { await model.redeemCode(in: StoreAnchor.foremost) }
      }
      #endif
    }
  }
}
#endif
