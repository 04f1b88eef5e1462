/// All places at which something can die, and all cells of the delivery machine: what a campaign's
/// reach is measured against.
package struct SimulationPlaces: Sendable {
  /// Places in apps and servers at which a process can die.
  package let crashPoints: Set<String>
  /// The states of the delivery machine with the events that they can meet.
  package let cells: Set<String>

  /// Finds them.
  package init() {
    let machine = MachineMap.all()
    let places = KillPlace.allCases.filter { $0 != .funnel && $0 != .newFunnelAction }.map(
      \.rawValue
    )
    crashPoints = machine.steps.union(places).union(LivingLedger.places.map { "server: " + $0 })
    cells = machine.cells
  }
}
