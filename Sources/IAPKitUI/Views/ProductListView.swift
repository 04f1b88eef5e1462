#if canImport(SwiftUI)
import Foundation
import IAPKit
public import SwiftUI

/// A list of products with their buttons.
public struct ProductListView: View {
  @ObservedObject private var model: PaywallModel

  /// Makes a list.
  ///
  /// - Parameter model: The model, which the screen keeps and loads.
  public init(model: PaywallModel) { self.model = model }

  /// The rows, or what stands in their place.
  public var body: some View {
    VStack(alignment: .leading, spacing: 16) {
      if let placeholder = model.state.placeholder {
        HStack {
          if model.state.phase == .loading { ProgressView() }
          Text(placeholder)
        }
      }
      if model.state.canReload {
        Button(model.state.reloadTitle) { Task { await model.load() } }
      }
      ForEach(model.state.rows) { row in
        ProductRowView(row: row) { Task { await model.buy(row.id) } }
      }
    }
  }
}

/// One product: what has to be said about it, and its button.
public struct ProductRowView: View {
  private let row: PaywallState.Row
  private let buy: @MainActor () -> Void

  /// Makes a row.
  ///
  /// - Parameters:
  ///   - row: What it shows.
  ///   - buy: What its button does.
  public init(row: PaywallState.Row, buy: @escaping @MainActor () -> Void) {
    self.row = row
    self.buy = buy
  }

  /// The name, the terms, the price that is charged, and the button.
  public var body: some View {
    VStack(alignment: .leading, spacing: 4) {
      Text(row.terms.title).font(.headline)
      Text(row.terms.details)
      // What is charged is the most prominent amount: review asks for it.
      Text(row.terms.price).font(.title2)
      TermsText(row.terms.unitPrice)
      TermsText(row.terms.length)
      TermsText(row.terms.offer)
      TermsText(row.terms.renewal)
      TermsText(row.terms.sharing)
      PurchaseButton(state: row.button, action: buy)
    }
  }
}

/// A button that buys one product.
public struct PurchaseButton: View {
  private let state: PurchaseButtonState
  private let action: @MainActor () -> Void

  /// Makes a button.
  ///
  /// - Parameters:
  ///   - state: What it shows: ``PaywallState/Row/button``.
  ///   - action: What it does.
  public init(state: PurchaseButtonState, action: @escaping @MainActor () -> Void) {
    self.state = state
    self.action = action
  }

  /// The button, with a wheel while it is busy, and what explains it below.
  public var body: some View {
    VStack(alignment: .leading, spacing: 4) {
      Button(action: action) {
        HStack {
          if state.isBusy { ProgressView() }
          Text(state.title)
        }
      }
      .disabled(!state.isEnabled)
      TermsText(state.caption)
    }
  }
}

/// A line in small print; nothing for nil.
struct TermsText: View {
  private let text: String?

  init(_ text: String?) { self.text = text }

  var body: some View {
    if let text { Text(text).font(.footnote) }
  }
}
#endif
