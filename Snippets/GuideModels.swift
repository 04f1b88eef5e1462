// The code of docs/guide/screens.md that needs no SwiftUI.
import Foundation
import IAPKit
import IAPKitUI

/// A screen without SwiftUI: it draws a value, again after each change.
@MainActor
final class PlainPaywall {
  private let model: PaywallModel
  private var drawing: Task<Void, Never>?

  init(manager: IAPManager) {
    model = PaywallModel(manager: manager)
    drawing = Task { [model] in
      for await state in model.states { Self.draw(state) }
    }
  }

  func show() async { await model.load() }

  private static func draw(_ state: PaywallState) {
    if let placeholder = state.placeholder { print(placeholder) }
    for row in state.rows {
      print(row.terms.title, row.terms.price, row.terms.offer ?? "", row.terms.renewal ?? "")
      print("[\(row.button.title)]", row.button.caption ?? "")
    }
    if let message = state.messageText { print(message) }
    print("[\(state.restoreTitle)]", state.policies.map(\.title))
  }
}
