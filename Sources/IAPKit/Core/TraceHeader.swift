package import Foundation

/// The header field with which a call begins a chain of work, in the words of W3C Trace Context:
/// the server logs the chain, and its webhooks carry it on.
///
/// It names one call and nobody: the next call has another one.
package enum TraceHeader {
  /// The field's name.
  package static let name = "traceparent"

  /// The field's value.
  ///
  /// - Parameters:
  ///   - trace: Names the chain.
  ///   - span: Its first eight bytes name this part of it.
  /// - Returns: The value.
  package static func value(trace: UUID, span: UUID) -> String {
    "00-\(digits(trace))-\(digits(span).prefix(16))-01"
  }

  /// The chain's name as it stands in the server's log: 32 hexadecimal digits.
  ///
  /// - Parameter trace: Names the chain.
  /// - Returns: The digits.
  package static func digits(_ trace: UUID) -> String {
    trace.uuidString.lowercased().filter { $0 != "-" }
  }
}
