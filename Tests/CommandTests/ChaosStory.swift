import AppStoreSimulator
import Foundation
import IAPModel

/// What fifty devices buy, and what becomes of it: the same for the same seed, however fast it is
/// told.
actor ChaosStory {
  static let devices = 50

  nonisolated let served: ServedStore
  private var random: UInt64
  private var waiting: [[Proof]]
  private var owned: [[TransactionID]]
  private var subscribed: Set<Int> = []
  private var announced: [Proof] = []
  private var isTelling = false
  private(set) var rounds = 0
  /// After so many rounds nothing new is told.
  private var roundsMax: Int?

  init(seed: UInt64, start: Date) throws {
    // Apple answers ten times as often in production: a long run asks a thousand questions.
    served = try ServedStore(seed: seed, environment: .production, start: start)
    random = seed &* 0x9E37_79B9_7F4A_7C15 | 1
    waiting = Array(repeating: [], count: Self.devices)
    owned = Array(repeating: [], count: Self.devices)
    for device in 0..<Self.devices {
      try served.store.addAccount(AccountID("c\(device)"))
      try served.store.addDevice(DeviceID("d\(device)"), account: AccountID("c\(device)"))
    }
  }

  /// What a device has to say next; it stays the next until it was heard. Nil at the end.
  func next(of device: Int) async throws -> Proof? {
    while waiting[device].isEmpty {
      if isTelling {
        await Task.yield()
      } else if let roundsMax, rounds >= roundsMax {
        return nil
      } else {
        try await tellRound()
      }
    }
    return waiting[device].first
  }

  /// What the store has announced and nobody has taken yet.
  func announcements() -> [Proof] {
    defer { announced = [] }
    return announced
  }

  func wasHeard(_ device: Int) { waiting[device].removeFirst() }

  /// Tells nothing new from now on, or behind so many rounds.
  func end(after count: Int? = nil) { roundsMax = count ?? rounds }

  /// One turn of every device, one after another, and what the store announces of it.
  private func tellRound() async throws {
    isTelling = true
    defer { isTelling = false }
    for device in 0..<Self.devices { try turn(of: device) }
    announced += try await served.notifications()
    rounds += 1
  }

  private func draw(_ bound: Int) -> Int {
    random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int(random >> 33) % bound
  }

  private func turn(of device: Int) throws {
    let store = served.store
    switch draw(10) {
    case 0 where !owned[device].isEmpty:
      // The store takes money back; the device is told and presents what it was told.
      let id = owned[device].remove(at: draw(owned[device].count))
      try store.refund(id)
      waiting[device].append(try proof(id, device))
    case 1 where !owned[device].isEmpty:
      let id = owned[device].remove(at: draw(owned[device].count))
      try store.requestRefund(id)
    case 2 where subscribed.insert(device).inserted:
      _ = try buy(DemoCatalog.monthly, device)
    default:
      owned[device].append(try buy(DemoCatalog.coins, device))
    }
  }

  private func buy(_ product: ProductID, _ device: Int) throws -> TransactionID {
    let outcome = try served.store.purchase(
      PurchaseRequest(device: DeviceID("d\(device)"), productID: product)
    )
    guard case .purchased(let record) = outcome else { throw ServedStore.NotBought() }
    waiting[device].append(try proof(record.transactionID, device))
    return record.transactionID
  }

  private func proof(_ id: TransactionID, _ device: Int) throws -> Proof {
    let body: JSONObject = [
      "signedTransaction": .string(try served.store.signedTransaction(id)),
      "account": .string("c\(device)"), "installation": .string("i\(device)"),
    ]
    return Proof(path: "/v1/verify", body: body.serialized)
  }
}
