/// One step of a database's shape, as data.
///
/// A step that was released is never edited; a change is a new step.
public struct Migration: Hashable, Sendable {
  /// Its number, from 1 without gaps.
  public let version: Int
  /// What it is for.
  public let name: String
  /// The statements, in order, in the dialect of their backend.
  public let statements: [String]

  /// Makes a step.
  ///
  /// - Parameters:
  ///   - version: Its number, from 1 without gaps.
  ///   - name: What it is for.
  ///   - statements: The statements, in order.
  public init(version: Int, name: String, statements: [String]) {
    self.version = version
    self.name = name
    self.statements = statements
  }

  /// The steps that a database still needs.
  ///
  /// - Parameters:
  ///   - all: Every step that is known, in order.
  ///   - current: The version of the database; 0 when it is empty.
  /// - Returns: The steps after `current`.
  /// - Throws: ``StorageError`` with `newerSchema` when the database is ahead of every known step.
  public static func missing(
    from all: [Migration],
    current: Int
  ) throws(StorageError) -> [Migration] {
    precondition(all.map(\.version) == Array(1...max(all.count, 1)), "versions count from 1")
    guard current <= all.count else {
      throw StorageError(
        .newerSchema,
        "the database has version \(current), this software knows up to \(all.count)"
      )
    }
    return Array(all.dropFirst(current))
  }
}
