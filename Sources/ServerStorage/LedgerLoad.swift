/// How busy the connections of a ledger are.
public struct LedgerLoad: Hashable, Sendable {
  /// Connections that read.
  public var readers: Int
  /// Those that are reading.
  public var busyReaders: Int
  /// Reads that wait for one.
  public var waitingReads: Int
  /// Writes that wait for the next commit.
  public var waitingWrites: Int

  /// Names the numbers.
  ///
  /// - Parameters:
  ///   - readers: Connections that read.
  ///   - busyReaders: Those that are reading.
  ///   - waitingReads: Reads that wait for one.
  ///   - waitingWrites: Writes that wait for the next commit.
  public init(readers: Int, busyReaders: Int, waitingReads: Int, waitingWrites: Int) {
    self.readers = readers
    self.busyReaders = busyReaders
    self.waitingReads = waitingReads
    self.waitingWrites = waitingWrites
  }

  /// Of a ledger that has no connections.
  public static let none = LedgerLoad(
    readers: 0,
    busyReaders: 0,
    waitingReads: 0,
    waitingWrites: 0
  )
}

extension Ledger {
  /// Nothing: a ledger in memory waits for nobody.
  public var load: LedgerLoad { .none }
}
