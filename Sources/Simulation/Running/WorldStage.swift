import AppStoreSimulator
import Foundation
import IAPKit
import IAPModel
import ServerStorage
import SimulatedApp
import SimulatedDevice

/// Makes the things of a plan happen in a world.
struct WorldStage {
  let world: SimulatedWorld
  /// How often each kind of thing happened.
  private(set) var counts: [String: Int] = [:]
  /// The places at which something was killed.
  private(set) var crashPoints: Set<String> = []

  init(world: SimulatedWorld) { self.world = world }

  private var store: SimulatedAppStore { world.store }

  mutating func count(_ name: String, _ number: Int = 1) { counts[name, default: 0] += number }

  mutating func notePoint(_ name: String) { crashPoints.insert(name) }

  /// Makes one thing happen; what takes time goes on in tasks.
  mutating func perform(_ action: RunAction) {
    world.trace.note(store.clock.now, "* \(action)")
    switch action {
    case .tap, .closeSheet, .restore, .settle, .interrupting: act(action)
    case .parent, .refund, .reverse, .family, .payment, .autoRenew: sell(action)
    case .launch, .kill, .killAt, .lookAgain, .update, .background, .foreground, .signIn:
      live(action)
    case .offline, .weather, .outage, .notifications, .spoiledSignatures, .disk, .killServer,
      .startServer, .gateway, .serverDisk, .clock:
      spoil(action)
    }
  }

  // MARK: What people do in the app

  private mutating func act(_ action: RunAction) {
    switch action {
    case .tap(let device, let product, let quantity, let answer, let isDoubled):
      tap(device, product, quantity, answer)
      if isDoubled { tap(device, product, quantity, answer) }
    case .closeSheet(let device, let pays):
      let sheet = world.apps[device].device.sheet
      if pays { try? sheet.confirm() } else { try? sheet.cancel() }
    case .restore(let device): restore(device)
    case .settle(let device): _ = try? world.apps[device].device.settlePayment()
    case .interrupting(let device, let isOn):
      world.apps[device].device.person.paymentNeedsAction = isOn
    default: break
    }
  }

  private mutating func tap(_ device: Int, _ product: Int, _ quantity: Int, _ answer: TapAnswer) {
    let app = world.apps[device]
    let person = app.device.person
    switch answer {
    case .pays: person.usualAnswer = .confirm
    case .cancels: person.willAnswer(.cancel)
    case .leavesOpen: person.willAnswer(.hold)
    case .asksParent: person.willAnswer(.askParent)
    }
    count("taps")
    var options = PurchaseOptions(quantity: quantity)
    options.context = ["tap": "\(world.nextTap())"]
    let wanted = SimulationKit.products[product].id
    Task { [options, world] in
      if !app.isAlive { await world.start(device) }
      guard app.isAlive else { return }
      _ = try? await app.buy(wanted, options: options)
    }
  }

  // MARK: What the store and its customers do

  private mutating func sell(_ action: RunAction) {
    switch action {
    case .parent(let place, let approves):
      let waiting = store.pendingPurchases.filter { $0.answer == .waiting }
      guard let pending = waiting.element(at: place) else { return }
      count(approves ? "approvals" : "refusals of parents")
      if approves { _ = try? store.approve(pending.id) } else { try? store.decline(pending.id) }
    case .refund(let place):
      let paid = bought.filter { $0.revocationDate == nil }
      guard let record = paid.element(at: place) else { return }
      count("refunds")
      // Receipts tell time to the second: what was restored in the second of its refund looks like
      // something that was bought again. No refund comes as fast as that.
      store.clock.advance(by: 1)
      try? store.refund(record.transactionID)
    case .reverse(let place):
      let returned = bought.filter { $0.revocationDate != nil && $0.ownership == .purchased }
      guard let record = returned.element(at: place) else { return }
      count("reversals")
      try? store.reverseRefund(record.transactionID)
    case .family(let customer, let joins):
      count("family changes")
      let account = SimulatedWorld.account(customer)
      if joins {
        try? store.joinFamily(SimulatedWorld.family, account)
      } else if customer > 0 {
        try? store.leaveFamily(SimulatedWorld.family, account)
      }
    case .payment(let customer, let works):
      count("changes of the means of payment")
      try? store.setPayment(works: works, of: SimulatedWorld.account(customer))
    case .autoRenew(let place, let isOn):
      guard let subscription = store.subscriptions.element(at: place) else { return }
      count("switches of renewals")
      try? store.setAutoRenew(isOn, of: subscription.originalTransactionID)
    default: break
    }
  }

  private var bought: [StoreTransactionRecord] {
    world.cast.customers.indices.flatMap { store.transactions(of: SimulatedWorld.account($0)) }
      .filter { $0.ownership == .purchased }
  }

  // MARK: The app's life

  private mutating func live(_ action: RunAction) {
    switch action {
    case .launch(let device): launch(device)
    case .kill(let device): kill(device)
    case .killAt(let device, let place, let occurrence):
      count("planned kills")
      world.apps[device].kill(at: place.step, occurrence: occurrence)
    case .lookAgain(let device): lookAgain(device)
    case .update(let device, let usesStoreKit1):
      kill(device)
      count("updates of the app")
      // Nobody goes back to an older system.
      world.apps[device].update { setup in
        if !usesStoreKit1 { setup.generation = .storekit2 }
      }
      launch(device)
    case .background(let device): world.apps[device].device.enterBackground()
    case .foreground(let device): foreground(device)
    case .signIn(let device, let user): signIn(user, on: device)
    default: break
    }
  }

  mutating func launch(_ device: Int) {
    let app = world.apps[device]
    guard !app.isAlive else { return }
    count("launches")
    Task { [world] in await world.start(device) }
  }

  private mutating func kill(_ device: Int) {
    let app = world.apps[device]
    guard app.isAlive else { return }
    count("kills")
    app.kill()
  }

  mutating func restore(_ device: Int) {
    let app = world.apps[device]
    guard app.isAlive else { return }
    count("restores")
    Task { _ = try? await app.restore() }
  }

  private mutating func lookAgain(_ device: Int) {
    let app = world.apps[device]
    guard app.isAlive, let order = app.manager.ordersNeedingAttention.first else { return }
    count("orders looked at again")
    Task { _ = try? await app.perform { await $0.retryNow(order.transactionId) } }
  }

  func foreground(_ device: Int) {
    let app = world.apps[device]
    guard app.isAlive else { return }
    Task { try? await app.enterForeground() }
  }

  mutating func signIn(_ user: Int, on device: Int) {
    let app = world.apps[device]
    guard app.isAlive else { return world.signIn(user, on: device) }
    count("switches of users")
    Task { [world] in try? await app.perform { await world.signIn(user, on: device, in: $0) } }
  }

  // MARK: What goes wrong

  private mutating func spoil(_ action: RunAction) {
    switch action {
    case .offline(let device, let isOffline):
      if isOffline { count("devices without network") }
      world.apps[device].device.isInAirplaneMode = isOffline
      let app = world.apps[device]
      if !isOffline, app.isAlive { Task { try? await app.networkReturns() } }
    case .weather(let weather): world.path.weather = weather
    case .outage(let isOut):
      if isOut { count("outages of the store") }
      store.changeFaults { $0.isStoreUnreachable = isOut }
    case .notifications(let trouble): spoilNotifications(trouble)
    case .spoiledSignatures(let isOn):
      if isOn { count("times of wrong signatures") }
      store.changeFaults { $0.signature = isOn ? .broken : .genuine }
    case .disk(let device, let trouble): spoilDisk(device, trouble)
    case .killServer(let index):
      for place in world.farm.kill(index) { notePoint("server: " + place) }
      count("kills of servers")
      let disk = world.farm.disk
      Task { await disk.lose() }
    case .startServer(let index): world.farm.start(index)
    case .gateway(let mood):
      if mood != .passing { count("wrong answers: \(mood.rawValue)") }
      world.farm.mood = mood
    case .serverDisk(let isFull):
      if isFull { count("full disks of servers") }
      world.farm.disk.refusal = isFull ? StorageError(.full, "the disk is full") : nil
    case .clock(let device, let seconds):
      count("jumps of clocks")
      world.apps[device].update { $0.clockOffset += seconds }
    default: break
    }
  }

  private mutating func spoilNotifications(_ trouble: NotificationTrouble) {
    if trouble != .none { count("notifications \(trouble.rawValue)") }
    store.changeFaults { faults in
      faults.duplicatesNotifications = trouble == .doubled
      faults.reordersNotifications = trouble == .reordered
      faults.losesNotificationAnswers = trouble == .answersLost
      faults.notificationFailure = trouble == .unsent ? .noResponse : nil
    }
  }

  private mutating func spoilDisk(_ device: Int, _ trouble: DiskTrouble) {
    if trouble != .none { count("disks \(trouble.rawValue)") }
    let disk = world.apps[device].device.disk
    var faults = DiskFaults()
    switch trouble {
    case .none: break
    case .full:
      let used = disk.names.reduce(0) { $0 + (disk.flushedBytes(of: $1)?.count ?? 0) }
      faults.capacity = used + 300
    case .readOnly: faults.isReadOnly = true
    case .torn: faults.tornBytes = 40
    }
    disk.faults = faults
  }

  /// Whether everybody can be charged.
  func setPayments(work: Bool) {
    for index in world.cast.customers.indices {
      try? store.setPayment(works: work, of: SimulatedWorld.account(index))
    }
  }

  /// Nothing goes wrong any more.
  mutating func calm() {
    world.path.weather = .fair
    world.farm.mood = .passing
    world.farm.disk.refusal = nil
    store.setFaults(StoreFaults())
    for index in 0..<world.farm.count { world.farm.start(index) }
    for app in world.apps {
      app.device.disk.faults = DiskFaults()
      app.device.unlock()
      app.device.isInAirplaneMode = false
      app.device.person.paymentNeedsAction = false
      app.update { $0.clockOffset = 0 }
      while !app.device.sheet.openProducts.isEmpty { try? app.device.sheet.confirm() }
    }
  }
}

extension KillPlace {
  /// The step of a simulated process.
  var step: KillStep {
    switch self {
    case .funnel: SimulatedApp.funnelStep
    case .newFunnelAction: SimulatedApp.newFunnelStep
    default: KillStep(rawValue: rawValue)
    }
  }
}

extension Array {
  /// The element at a place from 0 up to, not including, 1; nil when there is none.
  func element(at place: Double) -> Element? {
    isEmpty ? nil : self[Swift.min(count - 1, Int(place * Double(count)))]
  }
}
