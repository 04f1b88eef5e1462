import AppStoreSimulator
import Foundation
package import IAPKit
import IAPModel
import SimulatedApp

/// A page on which somebody without a Mac uses the real client: telephones with the app, the store
/// behind them, and the life of every order.
///
/// It moves by ``tick()`` alone: whoever owns it calls that several times a second while the page
/// is served, and a test calls it when it likes.
///
/// - **Concurrency:** on the main actor, like the screens of an app.
@MainActor
package final class WebDemo {
  let world: DemoWorld
  private(set) var account: AccountID
  private(set) var phones: [DemoPhone]
  /// The language of the telephones.
  private(set) var language: IAPError.Language
  var isServerUp = true
  /// Whether time is being moved.
  var isLeaping = false
  var isCardGood = true
  var storefront: String
  /// Why the last button did nothing.
  var trouble: Words?
  private var round = 1
  private var isBusy = false
  private var queue: [CheckedContinuation<Void, Never>] = []

  /// What the page shows, and how often that has changed.
  private(set) var snapshot = DemoSnapshot()
  private(set) var version = 1
  private var waiters: [Int: Waiter] = [:]
  private var nextWaiter = 0

  private struct Waiter {
    let known: Int
    var ticksLeft: Int
    let continuation: CheckedContinuation<Void, Never>
  }

  /// The countries whose prices can be looked at.
  nonisolated static let storefronts = ["USA", "CHN", "DEU", "JPN"]

  /// Sets up the first telephone and starts the app on it.
  ///
  /// - Parameters:
  ///   - world: What stands around it.
  ///   - language: The language that the telephone speaks at first.
  /// - Throws: ``DemoError`` when the store knows the demo's account already.
  package init(
    world: DemoWorld,
    language: IAPError.Language = .english
  ) async throws(DemoError) {
    self.world = world
    self.language = language
    account = Self.account(1)
    storefront = Self.storefronts[0]
    do {
      phones = [try Self.firstPhone(account, .storekit2, world)]
      try await phones[0].launch(language)
    } catch {
      throw DemoError(.notPossible, "the telephone cannot be set up: \(error)")
    }
    look()
  }

  private static func account(_ round: Int) -> AccountID { AccountID("mia-\(round)") }

  private static func firstPhone(
    _ account: AccountID,
    _ generation: StoreGeneration,
    _ world: DemoWorld
  ) throws(SimulatorError) -> DemoPhone {
    try world.store.addAccount(account)
    return try DemoPhone(.first, of: account, generation: generation, world: world)
  }

  func phone(_ name: DemoPhone.Name) -> DemoPhone? { phones.first { $0.name == name } }

  /// Gives the person a second telephone.
  func addSecondPhone() async throws {
    guard phone(.second) == nil else { return }
    let phone = try DemoPhone(
      .second,
      of: account,
      generation: phones[0].generation,
      world: world
    )
    phones.append(phone)
    try await phone.launch(language)
  }

  /// Takes everything away and begins with another person.
  func startOver() async throws {
    for phone in phones { phone.kill() }
    if !isServerUp {
      try await world.server.start()
      isServerUp = true
    }
    round += 1
    account = Self.account(round)
    isCardGood = true
    storefront = Self.storefronts[0]
    trouble = nil
    phones = [try Self.firstPhone(account, phones[0].generation, world)]
    try await phones[0].launch(language)
  }

  /// Lets the telephones speak another language: apps that run are started again, as the system
  /// does it.
  package func speak(_ language: IAPError.Language) async {
    guard language != self.language else { return }
    await alone {
      guard language != self.language else { return }
      self.language = language
      for phone in phones where phone.screens != nil { try? await phone.launch(language) }
    }
    look()
  }

  /// Runs one change after the other.
  func alone(_ body: () async -> Void) async {
    if isBusy { await withCheckedContinuation { queue.append($0) } }
    isBusy = true
    await body()
    isBusy = false
    if !queue.isEmpty {
      isBusy = true
      queue.removeFirst().resume()
    }
  }

  // MARK: Seeing

  /// Looks at everything once, and wakes those who wait for a change.
  package func tick() {
    if !waiters.isEmpty { look() }
    for (number, waiter) in waiters {
      waiters[number]?.ticksLeft -= 1
      guard waiter.known != version || waiter.ticksLeft <= 1 else { continue }
      waiters[number] = nil
      waiter.continuation.resume()
    }
  }

  /// Brings what the page shows up to date.
  func look() {
    for phone in phones { phone.noteDeath() }
    let seen = DemoSnapshot(self)
    guard seen != snapshot else { return }
    snapshot = seen
    version += 1
  }

  /// Waits until the page shows something else than it did at a version, or for so many ticks.
  func change(after known: Int, ticks: Int) async {
    guard known == version else { return }
    await withCheckedContinuation { continuation in
      nextWaiter += 1
      waiters[nextWaiter] = Waiter(known: known, ticksLeft: ticks, continuation: continuation)
    }
  }

  /// Waits until nothing has changed for a few ticks, but not for long.
  func settle() async {
    for _ in 0..<Self.settlingTicksMax {
      let known = version
      await change(after: known, ticks: Self.quietTicks)
      if known == version { return }
    }
  }

  private static let settlingTicksMax = 15
  private static let quietTicks = 3

  /// How many ticks a page waits for a change before it asks again: some twenty seconds.
  static let waitTicksMax = 200

  /// Answers everybody who waits: the server is about to stop.
  package func endWaiting() {
    let waiting = waiters.values
    waiters = [:]
    for waiter in waiting { waiter.continuation.resume() }
  }

  /// Ends the apps.
  package func close() {
    endWaiting()
    for phone in phones { phone.kill() }
  }
}
