import SwiftSyntax

/// Sets of names that several rules look for.
enum Vocabulary {
  /// What asks StoreKit 2 for the state of things.
  static let entitlementReads: Set = [
    "currentEntitlements", "currentEntitlement", "subscriptionStatus",
  ]

  /// Moments at which an app comes back.
  static let comingBack: Set = [
    "scenePhase", "didBecomeActiveNotification", "willEnterForegroundNotification",
    "applicationDidBecomeActive", "applicationWillEnterForeground", "sceneDidBecomeActive",
    "sceneWillEnterForeground",
  ]

  /// What shows a message to the person.
  static let messages: Set = [
    "UIAlertController", "NSAlert", "showAlert", "presentAlert", "showError", "presentError",
    "alert", "displayError", "toast", "showToast", "showMessage", "showErrorAlert", "displayAlert",
    "handleError",
  ]

  /// StoreKit 1's types that buy, load and observe.
  static let originalTypes: Set = [
    "SKPaymentQueue", "SKPayment", "SKMutablePayment", "SKProductsRequest", "SKProduct",
    "SKPaymentTransaction", "SKPaymentTransactionObserver", "SKProductsRequestDelegate",
    "SKReceiptRefreshRequest", "SKProductsResponse",
  ]

  /// What restores purchases on the person's wish.
  static let restoring: Set = [
    "restoreCompletedTransactions", "restorePurchases", "restore", "restoreSummary",
    "RestoreButton", "restoreButton",
  ]
}

extension SyntaxProtocol {
  /// Whether the code tells the person something went wrong.
  var showsError: Bool {
    let calls = all(FunctionCallExprSyntax.self)
    if calls.contains(where: { Vocabulary.messages.contains($0.name) }) { return true }
    return all(InfixOperatorExprSyntax.self).contains { operation in
      guard operation.operator.is(AssignmentExprSyntax.self) else { return false }
      let words = operation.leftOperand.lastName?.camelWords ?? []
      let value = operation.rightOperand.text
      guard !["nil", "false", "\"\"", ".none"].contains(value) else { return false }
      // An error that says "cancelled" is told apart where it is shown.
      let meaning = Set(operation.rightOperand.lastName?.camelWords ?? [])
      guard meaning.isDisjoint(with: ["cancelled", "canceled"]) else { return false }
      return !Set(words).isDisjoint(with: ["error", "alert", "message", "toast"])
    }
  }
}
