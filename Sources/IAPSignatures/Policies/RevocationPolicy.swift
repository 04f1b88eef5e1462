public import Foundation

/// Which signatures a revocation takes down.
///
/// The date of signing is a word of who signed. Where a key may be in other hands, nothing that it
/// signed counts any more, whatever date it bears. Where an authority says that it merely went out
/// of use, what was signed before stays what it was.
///
/// - Source: RFC 5280, section 5.3.1; docs/decisions/0210-asking-about-revocation.md.
public struct RevocationPolicy: Sendable {
  /// The rule's name.
  public let rule = Rule.revocation

  /// Affiliation changed, superseded, cessation of operation: the key was in good hands.
  private static let harmless: Set<Int64> = [3, 4, 5]

  /// Makes the policy.
  public init() {}

  /// Says whether a revocation is a reason to refuse.
  ///
  /// - Parameters:
  ///   - revocation: What the responder said.
  ///   - place: Which certificate it is about, in words.
  ///   - signedDate: When the data says that it was signed.
  /// - Returns: The reason, nil when there is none.
  public func reason(
    _ revocation: Revocation,
    of place: String,
    signedDate: Date
  ) -> String? {
    if let reason = revocation.reason, Self.harmless.contains(reason),
      signedDate < revocation.date
    {
      return nil
    }
    return "the \(place) certificate was revoked at \(CivilTime(revocation.date).text)"
  }
}
