import EntitlementServer
import Foundation
import IAPKit

/// When each telephone of an account got the same consumable.
struct ConsumableHandovers {
  /// The shortest time after which a claim may have moved (decisions 0504 and 0507): the lease,
  /// less how long the claimer may wait for its handler without asking the server again.
  static let secondOwnerSecondsMin =
    TimeInterval(ServerLimits().claimLeaseSeconds) - DeliveryReducer.claimFreshSecondsMax

  /// When, by telephone.
  let dates: [Int: Date]

  /// Whether each telephone got the goods when the one before it had been silent for a whole lease:
  /// it could neither acknowledge them nor finish them, and nobody can know that it had them.
  var areLeasesApart: Bool {
    let sorted = dates.values.sorted()
    return zip(sorted, sorted.dropFirst())
      .allSatisfy { $1.timeIntervalSince($0) >= Self.secondOwnerSecondsMin }
  }

  /// Whether a telephone had the goods before another one got them after the lease.
  ///
  /// It died before it wrote down that it had handed them over, so it cannot take back what it does
  /// not know of. The last owner has to.
  func isForgotten(by device: Int) -> Bool {
    guard areLeasesApart, let own = dates[device] else { return false }
    return dates.contains { $0.key != device && own < $0.value }
  }
}
