import AppStoreSimulator

/// Draws what happens.
struct ActionDrawing {
  let cast: Cast
  let profile: RunProfile
  var generator: SeededGenerator

  /// How many products there are to tap on.
  static let productCount = 5

  private enum Kind: CaseIterable {
    case tap, closeSheet, parent, interrupting, settle, refund, reverse, restore
    case launch, kill, killAt, lookAgain, update, background, foreground
    case offline, weather, outage, notifications, spoiledSignatures, disk
    case killServer, startServer, gateway, serverDisk, clock
    case signIn, family, payment, autoRenew

    /// Whether it makes something go wrong.
    var isFault: Bool {
      switch self {
      case .kill, .killAt, .offline, .weather, .outage, .notifications, .spoiledSignatures, .disk,
        .killServer, .startServer, .gateway, .serverDisk, .clock:
        true
      case .tap, .closeSheet, .parent, .interrupting, .settle, .refund, .reverse, .restore,
        .launch, .lookAgain, .update, .background, .foreground, .signIn, .family, .payment,
        .autoRenew:
        false
      }
    }

    var weight: Int {
      switch self {
      case .tap: 30
      case .launch, .killAt: 10
      case .kill, .refund, .foreground, .weather: 5
      case .closeSheet, .parent, .offline, .killServer, .startServer, .gateway, .disk: 3
      case .settle, .reverse, .restore, .lookAgain, .update, .background, .notifications,
        .autoRenew:
        2
      case .interrupting, .outage, .spoiledSignatures, .serverDisk, .clock, .signIn, .family,
        .payment:
        1
      }
    }
  }

  private func weight(of kind: Kind) -> Int {
    switch profile {
    case .standard: return kind.weight
    case .calm: return kind.isFault ? 0 : kind.weight
    case .storm: return kind.isFault ? 2 * kind.weight : kind.weight
    case .subscriptions:
      switch kind {
      case .payment, .autoRenew, .refund, .reverse: return 6
      default: return kind.weight
      }
    case .accounts:
      switch kind {
      case .signIn, .parent: return 8
      case .family, .restore: return 4
      default: return kind.weight
      }
    }
  }

  mutating func wait() -> RunPlan.Wait {
    switch generator.below(10) {
    case 0...4: return .jobs(generator.below(120))
    case 5...7: return .seconds(Double(generator.below(60)))
    case 8: return .seconds(Double(generator.below(4 * 3600)))
    default:
      let days = profile == .subscriptions ? 40 : 2
      return .seconds(Double(generator.below(days * 24)) * 3600)
    }
  }

  mutating func action() -> RunAction {
    var left = generator.below(Kind.allCases.reduce(0) { $0 + weight(of: $1) })
    for kind in Kind.allCases {
      left -= weight(of: kind)
      if left < 0 { return action(kind) }
    }
    return tap()
  }

  private mutating func action(_ kind: Kind) -> RunAction {
    switch kind {
    case .tap: tap()
    case .closeSheet: .closeSheet(device: device(), pays: generator.percent(70))
    case .parent: .parent(place: generator.unit(), approves: generator.percent(75))
    case .interrupting: .interrupting(device: device(), generator.percent(60))
    case .settle: .settle(device: device())
    case .refund: .refund(place: generator.unit())
    case .reverse: .reverse(place: generator.unit())
    case .restore: .restore(device: device())
    case .launch: .launch(device: device())
    case .kill: .kill(device: device())
    case .killAt: killAt()
    case .lookAgain: .lookAgain(device: device())
    case .update: .update(device: device(), usesStoreKit1: generator.percent(30))
    case .background: .background(device: device())
    case .foreground: .foreground(device: device())
    case .offline, .weather, .outage, .notifications, .spoiledSignatures, .disk, .killServer,
      .startServer, .gateway, .serverDisk, .clock:
      trouble(kind)
    case .signIn: signIn()
    case .family: .family(customer: customer(), joins: generator.percent(50))
    case .payment: .payment(customer: customer(), works: generator.percent(40))
    case .autoRenew: .autoRenew(place: generator.unit(), generator.percent(40))
    }
  }

  private mutating func trouble(_ kind: Kind) -> RunAction {
    switch kind {
    case .offline: .offline(device: device(), generator.percent(60))
    case .weather: .weather(weather())
    case .outage: .outage(generator.percent(50))
    case .notifications: .notifications(generator.pick(NotificationTrouble.allCases))
    case .spoiledSignatures: .spoiledSignatures(generator.percent(50))
    case .disk: .disk(device: device(), generator.pick(DiskTrouble.allCases))
    case .killServer: .killServer(generator.below(cast.serverCount))
    case .startServer: .startServer(generator.below(cast.serverCount))
    case .gateway:
      .gateway(generator.percent(40) ? .passing : generator.pick(GatewayMood.allCases))
    case .serverDisk: .serverDisk(isFull: generator.percent(50))
    case .clock: .clock(device: device(), seconds: Double(generator.below(20 * 3600) - 36_000))
    default: .weather(.fair)
    }
  }

  private mutating func tap() -> RunAction {
    let product = generator.below(Self.productCount)
    let answer: TapAnswer =
      switch generator.below(20) {
      case 0...15: .pays
      case 16, 17: .cancels
      case 18: .leavesOpen
      default: .asksParent
      }
    return .tap(
      device: device(),
      product: product,
      quantity: product == 0 && generator.percent(25) ? 1 + generator.below(3) : 1,
      answer: answer,
      isDoubled: generator.percent(15)
    )
  }

  private mutating func killAt() -> RunAction {
    let place: KillPlace =
      switch generator.below(10) {
      case 0...2: .funnel
      case 3...6: .newFunnelAction
      default: generator.pick(KillPlace.allCases)
      }
    return .killAt(
      device: device(),
      place,
      occurrence: 1 + generator.below(place == .funnel ? 12 : 4)
    )
  }

  private mutating func weather() -> Weather {
    guard generator.percent(70) else { return .fair }
    var weather = Weather()
    if generator.percent(50) { weather.lostRequests = 10 + generator.below(50) }
    if generator.percent(50) { weather.lostAnswers = 10 + generator.below(50) }
    if generator.percent(40) { weather.doubledRequests = 10 + generator.below(50) }
    if generator.percent(50) { weather.slowMessages = 20 + generator.below(60) }
    return weather
  }

  private mutating func signIn() -> RunAction {
    let device = device()
    let users = cast.customers[cast.handsets[device].customer].userCount
    return .signIn(device: device, user: generator.below(users))
  }

  private mutating func device() -> Int { generator.below(cast.handsets.count) }

  private mutating func customer() -> Int { generator.below(cast.customers.count) }
}
