import AppStoreSimulator
import Foundation
import IAPKit
import IAPModel
import SimulatedApp

/// Everything that happened to one order: in the app's journal, at the store, on the way to the
/// server.
struct OrderLife: Hashable, Sendable, Identifiable {
  /// Who noted a step.
  enum Lane: String, Hashable, Sendable, CaseIterable {
    /// The client's journal on a telephone.
    case app
    /// The App Store's books.
    case store
    /// What the store told the server.
    case server
  }

  /// One step.
  struct Step: Hashable, Sendable {
    let date: Date
    let lane: Lane
    /// The word for it as it stands in the journal, the ledger or the notification.
    let word: String
    let text: Words
    /// The telephone, when there are two.
    var device: DemoPhone.Name?
    /// How often it happened in a row.
    var count = 1
    /// Whether something went wrong there.
    var isTrouble = false
    /// Whether something arrived where it belongs.
    var isGood = false
  }

  let order: Order
  let device: DemoPhone.Name
  /// Oldest first.
  var steps: [Step]
  /// How often goods were handed over, and taken back, on the telephone that ordered.
  var granted = 0
  var takenBack = 0
  /// What was charged and can be paid back, the newest charge first.
  var refundable: TransactionID?
  /// Whether a restored purchase is among what the second telephone has.
  var isOnBoth = false

  var id: OrderNumber { order.number }
}

extension OrderLife {
  /// The lives of all orders of an account, the newest first.
  @MainActor
  static func all(
    _ phones: [DemoPhone],
    _ store: SimulatedAppStore,
    _ account: AccountID
  ) -> [OrderLife] {
    let charges = store.transactions(of: account)
    let told = store.notifications.filter { $0.transaction?.account == account }
    let originals = Dictionary(
      charges.map { ($0.transactionID, $0.originalTransactionID) },
      uniquingKeysWith: { one, _ in one }
    )
    var lives: [OrderLife] = []
    for phone in phones {
      for order in phone.app.manager.store.orders {
        lives.append(OrderLife(order: order, device: phone.name, steps: []))
      }
    }
    // An order that was reached by several telephones is the one that was opened first.
    lives.sort { ($0.order.createdAt, $0.id) < ($1.order.createdAt, $1.id) }
    let book = Book(
      phones: phones,
      store: store,
      charges: charges,
      told: told,
      originals: originals
    )
    var mine: Set<OriginalTransactionID> = []
    return lives.map { life in
      // The app may not know yet what the store has charged: the order's token travelled with it.
      let own =
        life.order.transactionId.flatMap { originals[$0] }
        ?? charges.first { $0.appAccountToken == life.order.accountToken }?.originalTransactionID
      let isFirst = own.map { mine.insert($0).inserted } ?? false
      return book.filled(life, original: isFirst ? own : nil)
    }.reversed()
  }

  /// What the lives are put together from.
  @MainActor
  private struct Book {
    let phones: [DemoPhone]
    let store: SimulatedAppStore
    let charges: [StoreTransactionRecord]
    let told: [NotificationRecord]
    let originals: [TransactionID: OriginalTransactionID]

    func filled(_ life: OrderLife, original: OriginalTransactionID?) -> OrderLife {
      var life = life
      let hasTwo = phones.count > 1
      var steps: [Step] = []
      for phone in phones {
        let noted = journal(of: phone, life.order.number, original)
        steps += noted.map { step in
          var step = step
          step.device = hasTwo ? phone.name : nil
          return step
        }
      }
      if let original {
        let own = charges.filter { $0.originalTransactionID == original }
        steps += own.flatMap { charge in
          let news = told.filter { $0.transaction?.transactionID == charge.transactionID }
          // A renewal is charged before its period begins.
          let date = (news.map(\.signedDate) + [charge.purchaseDate]).min()
          return Step.charges(charge, at: date ?? charge.purchaseDate)
        }
        steps += told.filter { $0.transaction?.originalTransactionID == original }
          .flatMap { Step.notifications($0) }
        life.refundable = own.last { $0.revocationDate == nil && !$0.isUpgraded }?.transactionID
        count(&life, original)
      }
      life.steps = Self.merged(steps)
      return life
    }

    private func count(_ life: inout OrderLife, _ original: OriginalTransactionID) {
      for phone in phones {
        let effects = phone.app.effects.filter { $0.originalTransactionId == original.rawValue }
        if phone.name == life.device {
          life.granted = effects.count { $0.kind != .clawback }
          life.takenBack = effects.count { $0.kind == .clawback }
        } else if !effects.isEmpty {
          life.isOnBoth = true
        }
      }
    }

    private func original(of id: TransactionID) -> OriginalTransactionID? {
      originals[id] ?? store.transaction(id)?.originalTransactionID
    }

    /// What a telephone's journal noted about the order, with the launches in between.
    private func journal(
      of phone: DemoPhone,
      _ number: OrderNumber,
      _ original: OriginalTransactionID?
    ) -> [Step] {
      let own = phone.events.filter { event in
        if event.order == number { return true }
        guard let original, let id = event.transaction else { return false }
        return self.original(of: id) == original
      }
      var steps: [Step] = []
      var launch = own.first?.launch
      var arrived: Set<TransactionID> = []
      for event in own {
        if let last = launch, event.launch > last {
          let began = phone.events.first { $0.launch == event.launch }?.date ?? event.date
          steps.append(.relaunched(at: began))
        }
        launch = event.launch
        guard let step = Step(event) else { continue }
        let isAgain =
          step.word == "arrived" && event.transaction.map { !arrived.insert($0).inserted } ?? false
        steps.append(isAgain ? .arrivedAgain(at: event.date) : step)
      }
      return steps
    }

    /// In the order of time, with repetitions counted.
    private static func merged(_ steps: [Step]) -> [Step] {
      let sorted = steps.enumerated().sorted {
        ($0.element.date, $0.element.rank, $0.offset) < (
          $1.element.date, $1.element.rank, $1.offset
        )
      }
      return sorted.reduce(into: []) { merged, pair in
        let step = pair.element
        if let last = merged.last, last.isSame(as: step) {
          merged[merged.count - 1].count += 1
        } else {
          merged.append(step)
        }
      }
    }
  }
}

extension OrderLife.Step {
  /// What comes first at one instant: the order, its charge, what the app makes of it, the news.
  fileprivate var rank: Int {
    switch lane {
    case .app: word == "order.opened" ? 0 : 2
    case .store: 1
    case .server: 3
    }
  }

  /// Whether it says the same as another step, at whatever time.
  fileprivate func isSame(as other: Self) -> Bool {
    lane == other.lane && word == other.word && text == other.text && device == other.device
  }
}
