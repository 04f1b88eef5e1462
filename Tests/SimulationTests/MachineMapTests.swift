import IAPKit
import Simulation
import Testing

@Suite("The map of the delivery machine")
struct MachineMapTests {
  private static let map = MachineMap.all()

  @Test("knows every state, and begins with an arrival only")
  func states() {
    let states = Set(Self.map.cells.compactMap { $0.split(separator: "/").first.map(String.init) })
    #expect(states == Set(RecordState.allCases.map(\.rawValue) + ["new"]))
    #expect(Self.map.cells.filter { $0.hasPrefix("new/") } == ["new/arrived"])
  }

  @Test("has the way of a purchase that everybody agrees to")
  func usualWay() {
    let way: Set<String> = [
      "new/arrived/0:save", "new/arrived/2:validate", "received/accepted/0:save",
      "received/accepted/2:deliver.grant", "accepted/delivered/0:save",
      "accepted/delivered/2:acknowledge", "accepted/delivered/3:finish",
      "delivered/finished/0:save", "finished/serverTold/0:save",
    ]
    #expect(way.subtracting(Self.map.steps) == [])
  }

  @Test("is found with few decisions, each made once")
  func bound() {
    #expect(Self.map.decisionCount < 100_000)
    #expect(Self.map.nodeCount < 10_000)
  }

  @Test("has as many cells and actions as the machine")
  func size() {
    #expect(Self.map.cells.count >= 80)
    #expect(Self.map.steps.count >= 300)
  }

  @Test("has nothing that the machine cannot do")
  func impossible() {
    #expect(!Self.map.cells.contains("finished/accepted"))
    #expect(
      !Self.map.steps.contains { $0.hasPrefix("quarantined/arrived") && $0.contains("deliver") }
    )
    #expect(!Self.map.steps.contains { $0.hasPrefix("held/") && $0.contains("deliver") })
  }

  @Test("names each action in the cell that it belongs to")
  func cells() {
    let named = Set(
      Self.map.steps.map { $0.split(separator: "/").prefix(2).joined(separator: "/") }
    )
    #expect(named.isSubset(of: Self.map.cells))
  }
}
