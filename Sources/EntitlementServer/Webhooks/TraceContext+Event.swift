import Foundation
import HTTPValues
import IAPModel
import ServerStorage

extension TraceContext {
  /// The chain that an attempt to send an event belongs to: the one that the request which brought
  /// it about was part of, else one that is the event's own, the same in every attempt.
  ///
  /// - Parameters:
  ///   - event: The event.
  ///   - now: When it is sent.
  ///   - digest: SHA-256.
  init?(of event: EventRecord, at now: Date, digest: ([UInt8]) -> [UInt8]) {
    let own = TraceContext(bytes: digest(Array("trace:\(event.id)".utf8)))
    let begun = event.trace.flatMap { TraceContext(header: "00-\($0)-0000000000000001-01") }
    let bytes = digest(Array("span:\(event.id):\(now.milliseconds)".utf8))
    guard let part = (begun ?? own)?.next(bytes) else { return nil }
    self = part
  }
}
