#if canImport(SwiftUI)
import Foundation
public import SwiftUI

/// Purchases that are not with the user yet: waiting, being checked, or lost, with the code for
/// support.
public struct OpenPurchasesView: View {
  @ObservedObject private var model: OpenPurchasesModel
  private let contact: (@MainActor (String) -> Void)?

  /// Makes a screen.
  ///
  /// - Parameters:
  ///   - model: The model, which the screen keeps.
  ///   - contact: Writes to the app's support; it gets the text to send. Nil for no such button.
  public init(model: OpenPurchasesModel, contact: (@MainActor (String) -> Void)? = nil) {
    self.model = model
    self.contact = contact
  }

  /// One part for each kind that there is something of.
  public var body: some View {
    VStack(alignment: .leading, spacing: 24) {
      TermsText(model.state.placeholder)
      ForEach(model.state.kinds, id: \.self) { kind in
        VStack(alignment: .leading, spacing: 12) {
          Text(model.state.title(kind)).font(.headline)
          ForEach(model.state.rows(kind)) { row in
            LostPurchaseView(model: model, row: row, contact: contact)
          }
        }
      }
      TermsText(model.state.messageText)
    }
    .onAppear { Task { await model.load() } }
  }
}

/// One purchase that is not with the user yet: what happened, the code for support, and what can be
/// done.
public struct LostPurchaseView: View {
  @ObservedObject private var model: OpenPurchasesModel
  private let row: OpenPurchasesState.Row
  private let contact: (@MainActor (String) -> Void)?

  /// Makes a screen, or a part of one.
  ///
  /// - Parameters:
  ///   - model: The model, which the screen keeps.
  ///   - row: The purchase.
  ///   - contact: Writes to the app's support; it gets the text to send.
  public init(
    model: OpenPurchasesModel,
    row: OpenPurchasesState.Row,
    contact: (@MainActor (String) -> Void)? = nil
  ) {
    self.model = model
    self.row = row
    self.contact = contact
  }

  /// The product, the words, the code and the buttons.
  public var body: some View {
    VStack(alignment: .leading, spacing: 4) {
      Text(row.title)
      TermsText(row.day)
      Text(row.text)
      if let reference = row.reference {
        HStack {
          Text(model.state.referenceTitle)
          Text(reference).font(.system(.body, design: .monospaced))
        }
        .accessibilityElement(children: .combine)
      }
      if row.canRetry {
        Button(model.state.retryTitle) { Task { await model.retry(row.id) } }
          .disabled(row.isBusy)
      }
      if let contact, let text = model.supportText(row.id) {
        Button(model.state.contactTitle) { contact(text) }
      }
    }
  }
}

/// A strip that says that a purchase is being checked; nothing while none is.
public struct CheckingPurchaseView: View {
  @ObservedObject private var model: OpenPurchasesModel

  /// Makes a strip, for the top of any screen.
  ///
  /// - Parameter model: The model, which the app keeps.
  public init(model: OpenPurchasesModel) { self.model = model }

  /// The strip.
  public var body: some View {
    if model.state.kinds.contains(.checking) {
      HStack {
        ProgressView()
        Text(model.state.title(.checking))
      }
      .accessibilityElement(children: .combine)
    }
  }
}
#endif
