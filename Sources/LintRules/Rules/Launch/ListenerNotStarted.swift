import SwiftSyntax

/// Nobody listens when the app starts.
enum ListenerNotStarted: LintRule {
  static let info = RuleInfo(
    "listener-not-started-at-launch",
    .error,
    .money,
    title: LintWords(
      "Nobody listens for transactions from the launch on",
      zh: "启动时没有开始监听交易"
    ),
    why: LintWords(
      """
      Approved Ask to Buy requests, renewals, refunds, and purchases that a crash interrupted \
      arrive once, right after launch. Who listens later, or never, misses what was paid for.
      """,
      zh: "“请求购买”的批准、续订、退款以及被崩溃打断的购买，只在启动后立即送达一次；晚监听或不监听就会错过已付款的购买。"
    ),
    fix: LintWords(
      """
      Start the listener (or make the IAPManager, or add the observer) in the App's initialiser or \
      in 'didFinishLaunching', before any screen.
      """,
      zh: "在 App 的初始化方法或“didFinishLaunching”中、任何界面之前启动监听（或创建 IAPManager、添加观察者）。"
    )
  )

  static func places(in project: Project) -> [Place] {
    newAPI(project) + originalAPI(project) + facade(project)
  }

  private static func newAPI(_ project: Project) -> [Place] {
    let purchases = project.newPurchases
    let listeners = project.listeners
    if listeners.isEmpty {
      // The facade listens for what the system's views sell as well.
      let views = project.usesFacade ? [] : project.systemViews
      guard let sale = purchases.first ?? views.first else { return [] }
      return [
        sale.unit.place(
          sale.node,
          LintWords("nothing reads Transaction.updates", zh: "没有代码读取 Transaction.updates")
        )
      ]
    }
    guard project.hasLaunch else { return [] }
    let late = listeners.filter { unit, node in
      guard let number = project.body(around: node, in: unit) else { return false }
      return !project.launched.contains(number)
    }
    // One that is there from the start is enough.
    guard late.count == listeners.count, let (unit, node) = late.first else { return [] }
    return [unit.place(node)]
  }

  private static func originalAPI(_ project: Project) -> [Place] {
    guard let payment = project.oldPayments.first else { return [] }
    let observers = project.observers
    if observers.isEmpty {
      return [
        payment.unit.place(
          payment.node,
          LintWords("no observer is added to the payment queue", zh: "没有向支付队列添加观察者")
        )
      ]
    }
    guard project.hasLaunch else { return [] }
    let late = observers.filter { call in
      guard let number = project.body(around: call.node, in: call.unit) else { return false }
      return !project.launched.contains(number)
    }
    guard late.count == observers.count, let first = late.first else { return [] }
    return [first.unit.place(first.node)]
  }

  /// The facade listens from the moment when it is made.
  private static func facade(_ project: Project) -> [Place] {
    let made = project.calls { unit, call in
      unit.importsFacade && call.name == "IAPManager" && call.labels.first == "configuration"
    }
    guard !made.isEmpty else { return [] }
    let late = made.filter { call in
      guard let number = project.body(around: call.node, in: call.unit) else { return false }
      if project.type(of: project.bodies[number])?.isScreen == true {
        return !(project.type(of: project.bodies[number])?.isApp ?? false)
      }
      return project.hasLaunch && !project.launched.contains(number)
    }
    guard late.count == made.count, let first = late.first else { return [] }
    return [
      first.unit.place(
        first.node,
        LintWords(
          "IAPManager is made after the launch, or by a screen",
          zh: "IAPManager 在启动之后或由界面创建"
        )
      )
    ]
  }
}
