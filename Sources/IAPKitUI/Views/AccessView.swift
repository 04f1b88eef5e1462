#if canImport(SwiftUI)
public import IAPKit
public import SwiftUI

/// Shows what belongs to an answer with three values: unknown, no and yes.
public struct AccessView<Content: View>: View {
  @ObservedObject private var model: AccessModel
  private let content: (Access) -> Content

  /// Makes a view.
  ///
  /// - Parameters:
  ///   - model: The model, which the screen keeps.
  ///   - content: What is shown; for unknown, what was there before, never a paywall.
  public init(model: AccessModel, @ViewBuilder content: @escaping (Access) -> Content) {
    self.model = model
    self.content = content
  }

  /// What belongs to the answer.
  public var body: some View { content(model.state) }
}

extension View {
  /// Tells whether the user may use a feature, now and after each change, while the view is shown.
  ///
  /// A store or a server that does not answer is unknown, not no.
  ///
  /// - Parameters:
  ///   - entitlement: The entitlement's name.
  ///   - manager: The client.
  ///   - action: Gets each answer.
  /// - Returns: The view.
  public func entitlementTask(
    for entitlement: String,
    manager: IAPManager,
    action: @escaping @MainActor (Access) -> Void
  ) -> some View {
    modifier(EntitlementTask(entitlement: entitlement, manager: manager, action: action))
  }
}

private struct EntitlementTask: ViewModifier {
  let entitlement: String
  let manager: IAPManager
  let action: @MainActor (Access) -> Void
  @State private var task: Task<Void, Never>?

  func body(content: Content) -> some View {
    content
      .onAppear {
        task?.cancel()
        let answers = manager.entitlements.accessStream(to: entitlement)
        task = Task { for await answer in answers { action(answer) } }
      }
      .onDisappear { task?.cancel() }
  }
}
#endif
