/// A known mistake that can be switched on where planted bugs are compiled in, to show that the
/// checkers find it.
package enum PlantedBug: String, Hashable, Sendable, CaseIterable {
  /// The server answers before the disk has the write.
  case acknowledgesBeforeCommit
  /// The server answers as if a write that failed had not.
  case acknowledgesFailedWrites
}
