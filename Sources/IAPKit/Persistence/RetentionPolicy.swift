public import Foundation
import IAPModel

/// How long finished purchases are kept on the device.
///
/// Only what is used up goes: consumables, periods of a subscription that has a later one, and
/// orders that were never paid. That the goods were handed over is remembered for ever, so that
/// nothing is handed over twice.
public struct RetentionPolicy: Hashable, Sendable {
  /// The most records that go in one launch.
  public static let recordsPerLaunchMax = 1_000

  /// How many seconds after its purchase a finished record is kept.
  public var finishedSeconds: TimeInterval
  /// How many finished records are kept; the oldest go first.
  public var finishedRecordsMax: Int

  /// Makes a policy; by default 400 days and 10,000 records.
  public init(finishedSeconds: TimeInterval = 400 * 86_400, finishedRecordsMax: Int = 10_000) {
    self.finishedSeconds = finishedSeconds
    self.finishedRecordsMax = finishedRecordsMax
  }
}

extension StoreContents {
  /// What is removed, and what is remembered in its place.
  ///
  /// - Parameters:
  ///   - policy: How long things are kept.
  ///   - keepsOwing: Whether there is a server that has still to be told of deliveries.
  ///   - now: The present instant.
  /// - Returns: Changes of the storage; memories stand before what they are of.
  /// - Throws: ``IAPError/storage(_:)`` when a name cannot be written.
  func retirements(
    _ policy: RetentionPolicy,
    keepsOwing: Bool,
    now: Date
  ) throws(IAPError) -> [StoreChange] {
    let horizon = (now - policy.finishedSeconds).milliseconds
    let excess = finished.count - policy.finishedRecordsMax
    var changes = unpaidOrders(before: now - policy.finishedSeconds)
    guard excess > 0 || finished.values.contains(where: { $0.purchasedAt < horizon }) else {
      return changes
    }
    let candidates = usedUp(keepsOwing: keepsOwing)
    for (index, candidate) in candidates.enumerated() {
      guard index < RetentionPolicy.recordsPerLaunchMax else { break }
      guard index < excess || candidate.purchasedAt < horizon else { break }
      guard let record = peek(candidate.id), record.isForgettable else { continue }
      for effect in record.acknowledged {
        changes.append(try StoreChange(effect: effect, of: candidate.id.rawValue))
      }
      if let number = record.order { changes.append(StoreChange(removing: .order(number))) }
      changes.append(StoreChange(removing: .transaction(candidate.id)))
    }
    return changes
  }

  /// Finished records of used up goods without the signed text that they still have, which nobody
  /// will be shown any more.
  ///
  /// - Parameter others: Changes that are made as well; what they are about is left alone.
  /// - Returns: Changes of the storage.
  /// - Throws: ``IAPError/storage(_:)`` when a record cannot be written.
  func slimmings(besides others: [StoreChange]) throws(IAPError) -> [StoreChange] {
    let gone = Set(others.map(\.entry.key))
    let candidates = usedUp(keepsOwing: true) { $0.mayHoldProof }
      .filter { !gone.contains(.transaction($0.id)) }
    var changes: [StoreChange] = []
    for candidate in candidates {
      guard changes.count < RetentionPolicy.recordsPerLaunchMax else { break }
      guard var record = peek(candidate.id), record.isSettled else { continue }
      if case .jws = record.transaction.proof { record.transaction.proof = .jws("") }
      changes += try self.changes(putting: record)
    }
    return changes
  }

  private func unpaidOrders(before date: Date) -> [StoreChange] {
    orders.all.filter { $0.isClosedUnpaid && $0.updatedAt < date }
      .map { StoreChange(removing: .order($0.number)) }
  }

  /// Finished records of goods that are used up, the oldest first.
  private func usedUp(
    keepsOwing: Bool,
    where isWanted: (FinishedLine) -> Bool = { _ in true }
  ) -> [(id: TransactionID, purchasedAt: Int64)] {
    var newest: [String: Int64] = [:]
    var found: [(id: TransactionID, original: String?, purchasedAt: Int64)] = []
    for (id, line) in finished where !(keepsOwing && line.owesAcknowledgement) {
      switch line.type {
      case .consumable where isWanted(line): found.append((id, nil, line.purchasedAt))
      case .autoRenewable:
        let original = line.original
        newest[original] = max(newest[original] ?? .min, line.purchasedAt)
        if isWanted(line) { found.append((id, original, line.purchasedAt)) }
      default: break
      }
    }
    return found.filter { one in one.original.map { one.purchasedAt < newest[$0] ?? .min } ?? true }
      .map { ($0.id, $0.purchasedAt) }
      .sorted { ($0.purchasedAt, $0.id) < ($1.purchasedAt, $1.id) }
  }

  /// The newest judged record of each purchase that gives access, the newest purchases first.
  mutating func newestOwned(
    _ limit: Int,
    besides others: Set<TransactionID>
  ) -> [TransactionRecord] {
    var newest: [String: (id: TransactionID, at: Int64)] = [:]
    func see(_ id: TransactionID, _ original: String, _ date: Int64) {
      guard !others.contains(id) else { return }
      guard let known = newest[original], (known.at, known.id) >= (date, id) else {
        newest[original] = (id, date)
        return
      }
    }
    for (id, record) in open where record.productType != .consumable {
      switch record.state {
      case .accepted, .delivered, .finished:
        see(id, record.originalTransactionId, record.purchaseDate.milliseconds)
      case .held, .received, .quarantined, .refused: break
      }
    }
    for (id, line) in finished where line.type != .consumable {
      see(id, line.original, line.purchasedAt)
    }
    return newest.values.sorted { ($0.at, $0.id) > ($1.at, $1.id) }.prefix(limit)
      .compactMap { record($0.id) }
  }

  /// What was handed over here and is used up, the newest purchases first.
  mutating func newestUsedUp(_ limit: Int) -> [TransactionRecord] {
    var found: [(id: TransactionID, at: Int64)] = []
    for (id, record) in open where record.productType == .consumable {
      if record.acknowledged.contains(where: { $0.hasPrefix("grant:") }) {
        found.append((id, record.purchaseDate.milliseconds))
      }
    }
    for (id, line) in finished where line.type == .consumable {
      if line.isGranted { found.append((id, line.purchasedAt)) }
    }
    return found.sorted { ($0.at, $0.id) > ($1.at, $1.id) }.prefix(limit)
      .compactMap { record($0.id) }
  }
}

extension TransactionRecord {
  /// Whether the signed text has served its purpose: the goods were handed over, StoreKit and the
  /// server know, and nobody will ask again whose they are.
  var isSpent: Bool {
    state == .finished && isFinished && transaction.type == .consumable && isSettled
      && !owesAcknowledgement
  }

  fileprivate var isSettled: Bool { isForgettable && claimedBy == nil && !isAnothers }

  /// Whether nothing but the name of its effect is needed any more: what was taken back may be
  /// given again, and what another installation handed over has no effect here to remember.
  fileprivate var isForgettable: Bool {
    transaction.revocationDate == nil && !isServedElsewhere && !acknowledged.isEmpty
      && !acknowledged.contains { $0.hasPrefix("clawback:") }
  }
}
