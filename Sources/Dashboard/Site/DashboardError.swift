import EntitlementServer
import ServerStorage

/// Why a page cannot be shown or an act cannot be done.
package struct DashboardError: Error, Equatable, Sendable, CustomStringConvertible {
  /// What went wrong, as a stable word.
  package struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The word.
    package let rawValue: String
    /// Makes a code from its word.
    package init(rawValue: String) { self.rawValue = rawValue }
    /// The word.
    package var description: String { rawValue }
    /// There is nothing of that name, or nothing that this person sees.
    package static let notFound = Self(rawValue: "notFound")
    /// The person may not do that.
    package static let forbidden = Self(rawValue: "forbidden")
    /// The form is none of ours, or out of date.
    package static let formRefused = Self(rawValue: "formRefused")
    /// What was sent cannot be used.
    package static let unusable = Self(rawValue: "unusable")
    /// Somebody else changed the same.
    package static let conflict = Self(rawValue: "conflict")
    /// It was not possible to look or to store.
    package static let unavailable = Self(rawValue: "unavailable")
    /// This server cannot do that.
    package static let unsupported = Self(rawValue: "unsupported")
  }

  /// What went wrong; the only part that equality looks at.
  package let code: Code
  /// What was seen, in words without anything that was sent.
  package let reason: String

  /// Makes an error.
  package init(_ code: Code, _ reason: String) {
    self.code = code
    self.reason = reason
  }

  init(_ error: StorageError) {
    self.init(.unavailable, "\(error.code)")
  }

  init(_ error: ServerError) {
    let code: Code =
      switch error.status {
      case 404: .notFound
      case 409: .conflict
      case 501: .unsupported
      case 400..<500: .unusable
      default: .unavailable
      }
    self.init(code, error.message)
  }

  var status: Int {
    switch code {
    case .notFound: 404
    case .forbidden, .formRefused: 403
    case .unusable: 400
    case .conflict: 409
    case .unsupported: 501
    default: 503
    }
  }

  /// The code and the reason.
  package var description: String { "\(code): \(reason)" }

  /// Errors are equal when their codes are.
  package static func == (left: Self, right: Self) -> Bool { left.code == right.code }
}
