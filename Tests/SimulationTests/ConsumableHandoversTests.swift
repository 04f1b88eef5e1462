import Foundation
import Testing

@testable import Simulation

@Suite("A consumable on several telephones")
struct ConsumableHandoversTests {
  private let lease = ConsumableHandovers.secondOwnerSecondsMin

  private func handovers(_ seconds: TimeInterval...) -> ConsumableHandovers {
    ConsumableHandovers(
      dates: Dictionary(
        uniqueKeysWithValues: seconds.enumerated().map {
          ($0.offset, Date(timeIntervalSince1970: $0.element))
        }
      )
    )
  }

  @Test("may come a second time when the first one was silent for the lease, and no earlier")
  func afterTheLease() {
    #expect(handovers(0).areLeasesApart)
    #expect(handovers(0, lease).areLeasesApart)
    #expect(!handovers(0, lease - 1).areLeasesApart)
    #expect(handovers(2 * lease, 0, lease).areLeasesApart)
    #expect(!handovers(2 * lease, 0, lease + 1).areLeasesApart)
  }

  @Test("is taken back by its last owner alone")
  func lastOwner() {
    let three = handovers(lease, 0, 2 * lease)
    #expect(three.isForgotten(by: 0))
    #expect(three.isForgotten(by: 1))
    #expect(!three.isForgotten(by: 2))
    #expect(!handovers(0).isForgotten(by: 0))
    #expect(!three.isForgotten(by: 3), "it never had it")
  }

  @Test("is taken back by each of two that had it within a lease")
  func withinALease() {
    let two = handovers(0, lease - 1)
    #expect(!two.isForgotten(by: 0))
    #expect(!two.isForgotten(by: 1))
  }
}
