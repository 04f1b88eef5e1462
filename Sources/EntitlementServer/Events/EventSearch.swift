import Foundation
import IAPModel
import ServerStorage

/// Finds places in the feed without reading it: places and dates of events grow together.
enum EventSearch {
  /// The last place before the first event for which something is true: reading goes on behind it.
  ///
  /// - Parameters:
  ///   - app: The app.
  ///   - reader: The ledger.
  ///   - isBehind: False for the events up to a place, true for all further ones.
  /// - Returns: The place; that of the last event when it is true for none.
  /// - Throws: ``StorageError``.
  static func place(
    in app: BundleID,
    _ reader: any LedgerReading,
    isBehind: (EventRecord) -> Bool
  ) throws(StorageError) -> Int64 {
    func isDone(_ place: Int64) throws(StorageError) -> Bool {
      guard let next = try reader.events(of: app, after: place, limit: 1).first else {
        return true
      }
      return isBehind(next)
    }
    var high: Int64 = 1
    while try !isDone(high), high < Int64.max / 4 { high *= 2 }
    var low: Int64 = 0
    guard try !isDone(0) else { return 0 }
    // Between them lies the place: not done at `low`, done at `high`.
    while high - low > 1 {
      let middle = (low + high) / 2
      if try isDone(middle) { high = middle } else { low = middle }
    }
    return high
  }

  /// The place of the last event.
  static func end(of app: BundleID, _ reader: any LedgerReading) throws(StorageError) -> Int64 {
    try place(in: app, reader) { _ in false }
  }
}
