import Foundation
import IAPKit
import IAPModel

/// Every place at which a process can die while it brings one paid order to its end: found by
/// trying the pure machine out, with everything that the server may say and a death at each place.
struct FunnelMap {
  /// What the server does while the first process runs.
  enum Mood: String, CaseIterable {
    case up, down, rejecting
  }

  /// How many processes die before the last one.
  static let deathsMax = 3

  private struct Life: Hashable {
    var record: TransactionRecord?
    var events: [Message]
    /// Whether StoreKit was told.
    var isStoreTold = false
    var deaths = 0
  }

  private enum Message: Hashable {
    case arrived, judged, storeAnswered, notAnnounced, serverTold, reported
    case answered(DueEffect)
    case due(RetryTrigger?)
  }

  private(set) var steps: Set<String> = []
  private let transaction: StoreTransaction
  private let mood: Mood
  private var lives: [Life] = []
  private var seen: Set<Life> = []

  init(_ type: ProductType, _ generation: StoreGeneration, _ mood: Mood) {
    var transaction: StoreTransaction =
      generation == .storekit1 ? .legacy("1", product: "goods") : .coins("1")
    transaction.type = type
    self.transaction = transaction
    self.mood = mood
    begin(Life(record: nil, events: [.arrived]))
    while let life = lives.popLast() { live(life) }
  }

  private mutating func begin(_ life: Life) {
    if seen.insert(life).inserted { lives.append(life) }
  }

  /// What the server does to a process: after the first one has died it is up again, or it still
  /// refuses.
  private func mood(_ life: Life) -> Mood {
    life.deaths > 0 && mood == .down ? .up : mood
  }

  private mutating func live(_ life: Life) {
    guard let message = life.events.first else { return rest(life) }
    guard let event = event(message, life) else { return }
    var next = life
    next.events.removeFirst()
    let known = Set(life.record?.acknowledged ?? [])
    let context = DeliveryContext(
      now: transaction.purchaseDate,
      launch: life.deaths + 1,
      hasJudge: true,
      isKnown: { known.contains($0) }
    )
    guard let machine = DeliveryReducer.reduce(life.record, event, context) else {
      return begin(next)
    }
    for (index, action) in machine.actions.enumerated() {
      let step = DeliveryStep(
        id: transaction.transactionID,
        state: life.record?.state,
        event: event,
        index: index,
        action: action
      )
      if life.deaths < Self.deathsMax { steps.insert(step.name) }
      die(next)
      perform(action, machine.record, &next)
    }
    begin(next)
  }

  private func event(_ message: Message, _ life: Life) -> DeliveryEvent? {
    switch message {
    case .arrived: .arrived(transaction, order: nil)
    case .judged:
      switch mood(life) {
      case .up: .verdict(.accepted(ReceiptValidationResult(isValid: true)))
      case .down: .verdict(.unknown(reason: "down"))
      case .rejecting: .verdict(explicitRefusal)
      }
    case .storeAnswered: .storeAnswered(.finished)
    case .notAnnounced: .storeAnswered(.notAnnounced)
    case .serverTold: .serverTold
    case .reported: .reported
    case .answered(let due): .answered(.delivered, due)
    case .due(let trigger): .due(trigger)
    }
  }

  /// What comes of an action is handled before what waits, as in the funnel.
  private func perform(
    _ action: DeliveryAction,
    _ record: TransactionRecord,
    _ life: inout Life
  ) {
    switch action {
    case .save: life.record = record
    case .validate: life.events.insert(.judged, at: 0)
    case .deliver(let due): life.events.insert(.answered(due), at: 0)
    case .acknowledge: life.events.insert(.serverTold, at: 0)
    case .finish:
      // StoreKit 1 does not know any more what it was told in an earlier process.
      let isForgotten = life.isStoreTold && transaction.generation == .storekit1
      life.isStoreTold = true
      // It may be listed before or after that: neither is certain, so neither is a cell.
      life.events.removeAll { $0 == .arrived }
      life.events.insert(isForgotten ? .notAnnounced : .storeAnswered, at: 0)
    case .report: life.events.append(.reported)
    case .reverify, .retry, .emit: break
    }
  }

  /// The process dies here, and the app is launched again.
  private mutating func die(_ life: Life) {
    guard life.deaths < Self.deathsMax else { return }
    var next = life
    next.deaths += 1
    next.events = life.record?.hasWorkLeft ?? false ? [.due(.launch)] : []
    if !life.isStoreTold { next.events.append(.arrived) }
    begin(next)
  }

  /// Nothing is to be done now: a timer comes next, or, while the server is down, the death of the
  /// process after its second question.
  private mutating func rest(_ life: Life) {
    guard let record = life.record, record.nextAttempt != nil else { return }
    if mood(life) == .down, record.attempts >= 2 { return die(life) }
    var next = life
    next.events = [.due(nil)]
    begin(next)
  }
}
