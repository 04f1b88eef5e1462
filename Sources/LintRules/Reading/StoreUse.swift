import SwiftSyntax

/// Where a project talks to the store, by what it calls.
///
/// Modules decide what a name means: `purchase` is StoreKit's in a file that imports StoreKit and
/// does not call it with the facade's label.
extension Project {
  /// Whether the client that this project makes is used.
  var usesFacade: Bool { appUnits.contains(where: \.importsFacade) }

  /// A call in a unit.
  struct Call: Sendable {
    let unit: SourceUnit
    let node: FunctionCallExprSyntax
  }

  /// Every call in the app's own files that a closure likes.
  func calls(_ isWanted: (SourceUnit, FunctionCallExprSyntax) -> Bool) -> [Call] {
    appUnits.flatMap { unit in
      unit.calls.filter { isWanted(unit, $0) }
        .map { Call(unit: unit, node: $0) }
    }
  }

  /// Purchases through StoreKit 2: `product.purchase()`, and the action of the environment.
  var newPurchases: [Call] { sold.new }
  /// Payments of StoreKit 1.
  var oldPayments: [Call] { sold.old }
  /// Purchases through the facade.
  var facadePurchases: [Call] { sold.facade }
  /// Views of the system that sell.
  var systemViews: [Call] { sold.views }

  /// The places where the app sells, the clearest first.
  var sales: [Call] { newPurchases + oldPayments + facadePurchases + systemViews }

  /// Where an app sells, by the way.
  struct Sold: Sendable {
    private(set) var new: [Call] = []
    private(set) var old: [Call] = []
    private(set) var facade: [Call] = []
    private(set) var views: [Call] = []

    init(_ units: [SourceUnit]) {
      for unit in units where !unit.isTest && (unit.importsStoreKit || unit.importsFacade) {
        for node in unit.calls {
          let call = Call(unit: unit, node: node)
          if node.isNewPurchase(in: unit) { new.append(call) }
          if node.isFacadePurchase(in: unit) { facade.append(call) }
          guard unit.importsStoreKit else { continue }
          if ["SKPayment", "SKMutablePayment"].contains(node.name) { old.append(call) }
          if ["StoreView", "SubscriptionStoreView", "ProductView"].contains(node.name) {
            views.append(call)
          }
        }
      }
    }
  }

  /// Reads of `Transaction.updates`.
  var listeners: [(unit: SourceUnit, node: MemberAccessExprSyntax)] {
    sequences(["updates"])
  }

  /// Reads of a sequence of transactions.
  func sequences(
    _ names: Set<String>
  ) -> [(unit: SourceUnit, node: MemberAccessExprSyntax)] {
    appUnits.filter(\.importsStoreKit).flatMap { unit in
      unit.tree.all(MemberAccessExprSyntax.self).filter {
        names.contains($0.declName.baseName.text) && $0.base?.isTransactionType == true
      }.map { (unit, $0) }
    }
  }

  /// Where an observer is given to the queue of StoreKit 1.
  var observers: [Call] {
    calls { unit, call in
      unit.importsStoreKit && call.name == "add" && call.isOnPaymentQueue
        && !call.addsPayment
    }
  }

  /// The types that observe the queue of StoreKit 1.
  var observerTypes: [TypeFacts] {
    types.values.filter { $0.inherited.contains("SKPaymentTransactionObserver") }
      .sorted { $0.name < $1.name }
  }

  /// Whether subscriptions that renew themselves are sold, as far as can be seen.
  var sellsSubscriptions: Bool {
    if catalog.hasSubscription { return true }
    return appUnits.contains { unit in
      (unit.importsStoreKit || unit.importsFacade)
        && !unit.names.isDisjoint(with: Self.subscriptionWords)
    }
  }

  private static let subscriptionWords: Set = [
    "autoRenewable", "SubscriptionInfo", "SubscriptionStoreView", "RenewalInfo", "RenewalState",
    "subscriptionGroupID", "subscriptionPeriod", "introductoryOffer", "introductoryPrice",
    "willAutoRenew", "SubscriptionStatus", "manageSubscriptionsSheet", "subscriptionGroupId",
    "subscriptionStatusTask", "showManageSubscriptions",
  ]
}

extension SourceUnit {
  var importsStoreKit: Bool { imports.contains("StoreKit") }
  var importsFacade: Bool { imports.contains { Self.facade.contains($0) } }

  private static let facade: Set = ["IAPKit", "IAPKitCallbacks", "IAPKitUI", "IAPKitSQLite"]
}

extension ExprSyntax {
  /// `Transaction` or `StoreKit.Transaction`.
  var isTransactionType: Bool {
    let name = text.filter { !$0.isWhitespace }
    return name == "Transaction" || name == "StoreKit.Transaction"
  }
}

extension FunctionCallExprSyntax {
  func isNewPurchase(in unit: SourceUnit) -> Bool {
    guard unit.importsStoreKit, name == "purchase", isAwaited else { return false }
    let known: Set = ["options", "confirmIn", "_"]
    guard labels.allSatisfy(known.contains) else { return false }
    // The action of SwiftUI's environment has no base and takes the product.
    guard let base else { return labels.first == "_" && unit.hasPurchaseAction }
    // An app's own object may have a function of this name.
    let words = Set(base.lastName?.camelWords ?? [])
    return labels.first != "_" && base.bare.text != "self" && words.isDisjoint(with: Self.owners)
  }

  private static let owners: Set = [
    "store", "manager", "model", "service", "shop", "kit", "iap", "purchases", "helper",
    "controller", "coordinator", "client", "shared", "vm", "presenter", "interactor", "storekit",
    "handler", "provider", "repository", "paywall", "purchaser",
  ]

  func isFacadePurchase(in unit: SourceUnit) -> Bool {
    guard unit.importsFacade, base != nil else { return false }
    if name == "purchase" { return labels.first == "productId" }
    return name == "buy" && labels.first == "_" && isAwaited
  }

  var isOnPaymentQueue: Bool {
    let base = baseText.lowercased()
    return base.contains("skpaymentqueue") || base.hasSuffix("paymentqueue") || base == "queue"
  }

  /// `add(payment)` rather than `add(observer)`.
  var addsPayment: Bool {
    guard let first = arguments.first?.expression.bare else { return false }
    if let call = first.as(FunctionCallExprSyntax.self) {
      return call.name.hasSuffix("Payment")
    }
    return first.text.lowercased().hasSuffix("payment")
  }

  /// `await transaction.finish()`, or StoreKit 1's `finishTransaction`.
  var isFinish: Bool {
    if name == "finishTransaction" { return true }
    guard name == "finish", arguments.isEmpty, isAwaited, let base else { return false }
    let words = base.lastName?.camelWords ?? []
    return words.isEmpty || Set(words).isDisjoint(with: ["continuation", "stream", "subject"])
  }
}
