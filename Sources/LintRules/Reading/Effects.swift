import SwiftSyntax

/// What in an app's code looks like handing over goods.
///
/// There are no types here, so names decide: a verb of giving, or a verb of change beside a word
/// for goods, or an assignment to something that is called after goods.
enum Effects {
  /// Verbs that give by themselves.
  private static let giving: Set = [
    "deliver", "grant", "unlock", "award", "credit", "fulfill", "fulfil", "provision", "activate",
    "give", "entitle", "provide",
  ]
  /// Verbs that give when goods are what they change.
  private static let changing: Set = [
    "add", "update", "apply", "set", "insert", "refresh", "record", "save", "store", "persist",
    "mark", "increment", "append", "handle", "process", "enable", "sync", "register", "post",
    "send", "upload", "verify", "validate", "redeem", "consume", "on", "did", "complete",
  ]
  /// Words for what is sold.
  static let goods: Set = [
    "purchase", "purchases", "purchased", "entitlement", "entitlements", "coin", "coins", "credit",
    "credits", "gem", "gems", "premium", "pro", "subscription", "subscriptions", "subscribed",
    "subscriber", "owned", "unlocked", "balance", "access", "vip", "membership", "member", "lives",
    "tokens", "product", "products", "customer", "tier", "plan", "feature", "features", "ads",
    "pass", "goods", "delivery", "paid",
  ]

  /// Words for what goes on, not for what somebody has.
  private static let passing: Set = [
    "loading", "purchasing", "busy", "processing", "showing", "presented", "restoring", "running",
    "active", "started", "loaded", "ready", "finished", "done", "enabled", "visible", "hidden",
    "cancelled", "pending", "error", "failed",
  ]

  /// The places in some code that hand something over, in source order.
  static func all(in code: some SyntaxProtocol) -> [Syntax] {
    var found: [Syntax] = []
    for call in code.all(FunctionCallExprSyntax.self) where isGiving(call) {
      found.append(Syntax(call))
    }
    for operation in code.all(InfixOperatorExprSyntax.self) where isGiving(operation) {
      found.append(Syntax(operation))
    }
    return found.sorted { $0.position < $1.position }
  }

  static func isGiving(_ call: FunctionCallExprSyntax) -> Bool {
    if call.isFinish || call.name.first?.isUppercase == true { return false }
    let words = call.name.camelWords
    guard let verb = words.first, !["print", "debug", "log"].contains(verb) else { return false }
    if giving.contains(verb) { return true }
    guard changing.contains(verb) else { return false }
    // The check of a signature gives nothing.
    if words.contains("verified") || call.name == "checkVerified" { return false }
    let about = words.dropFirst() + (call.base?.lastName?.camelWords ?? [])
    if !goods.isDisjoint(with: about) { return true }
    return call.arguments.contains { argument in
      !goods.isDisjoint(with: argument.expression.lastName?.camelWords ?? [])
        || argument.expression.lastName.map { $0.lowercased().hasPrefix("productid") } == true
        || !goods.isDisjoint(with: argument.expression.literalText?.camelWords ?? [])
    }
  }

  static func isGiving(_ operation: InfixOperatorExprSyntax) -> Bool {
    let isAssignment = operation.operator.is(AssignmentExprSyntax.self)
    let sign = operation.operator.as(BinaryOperatorExprSyntax.self)?.operator.text ?? ""
    guard isAssignment || ["+=", "-="].contains(sign) else { return false }
    var target = operation.leftOperand.bare
    if let place = target.as(SubscriptCallExprSyntax.self) { target = place.calledExpression }
    let name = target.lastName?.camelWords ?? []
    let words = Set(name)
    // A claim about the person: `hasFamilySync = true`.
    let isClaim =
      ["is", "has"].contains(name.first) && operation.rightOperand.text == "true"
      && words.isDisjoint(with: Self.passing)
    guard isClaim || !goods.isDisjoint(with: words) else { return false }
    // The list of what is for sale, and what is going on with a button, are no goods.
    let value = operation.rightOperand.text
    return words.isDisjoint(with: ["state", "error", "message", "loading", "progress", "task"])
      && value != "nil" && value != "false" && !value.contains(".products(for")
  }
}
