/// All places at which something can die, and all cells of the delivery machine: what a campaign's
/// reach is measured against.
package struct SimulationPlaces: Sendable {
  /// Places in apps and servers at which a process can die.
  package let crashPoints: Set<String>
  /// The states of the delivery machine with the events that they can meet.
  package let cells: Set<String>
  /// Places and cells that exist and that no run comes to, with the reason; not among the others.
  package let outOfReach: [(reason: String, names: Set<String>)]

  /// Finds them.
  ///
  /// - Parameter profile: What the runs are about.
  package init(_ profile: RunProfile) {
    let machine = MachineMap.all()
    let places = KillPlace.allCases.filter { !$0.isInFunnel }.map(\.rawValue)
    let points = machine.steps.union(places).union(LivingLedger.places.map { "server: " + $0 })
    let saidByApp = points.union(machine.cells).filter { name in
      name.split(separator: "/").dropFirst().first == "acknowledged"
    }
    let deadly = profile == .calm ? points.subtracting(saidByApp) : []
    crashPoints = points.subtracting(saidByApp).subtracting(deadly)
    cells = machine.cells.subtracting(saidByApp)
    outOfReach = [
      (
        reason: "apps with a handler never say by themselves that they have the goods",
        names: saidByApp
      ), (reason: "nothing dies in this profile", names: deadly),
    ].filter { !$0.names.isEmpty }
  }
}

extension KillPlace {
  /// Whether the actions of the funnel have names of their own.
  fileprivate var isInFunnel: Bool { self == .funnel || self == .newFunnelAction }
}
