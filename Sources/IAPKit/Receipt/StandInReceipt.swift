import Foundation

extension IAPConfiguration {
  /// Reads the device's receipt; in a debug build the stand-in where there is none.
  func receiptReader(
    _ read: @escaping @Sendable () -> [UInt8]?
  ) -> @Sendable () -> [UInt8]? {
    #if DEBUG
    let standIn = standInReceipt.map { [UInt8]($0) }
    return { read() ?? standIn }
    #else
    return read
    #endif
  }
}
