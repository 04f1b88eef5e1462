/// The roots at which a chain may end.
///
/// Nothing but these is trusted: a root that comes along with signed data counts for nothing.
public struct TrustAnchors: Hashable, Sendable {
  /// Whose roots they are.
  public enum Kind: String, Hashable, Sendable {
    /// Apple's own, embedded here.
    case apple
    /// A simulated store's: every answer has to be marked.
    case simulated
    /// The self-signed certificate of StoreKit testing in Xcode: no chain, no marks.
    case xcode
  }

  /// Whose roots they are.
  public let kind: Kind
  /// The roots.
  public let roots: [Certificate]

  private init(kind: Kind, roots: [Certificate]) {
    self.kind = kind
    self.roots = roots
  }

  /// Apple's roots: the one of generation 3 signs transactions, the old one receipts.
  ///
  /// - **Source:** Apple PKI, `https://www.apple.com/certificateauthority/`.
  public static let apple = TrustAnchors(
    kind: .apple,
    roots: [EmbeddedRoots.appleRootCAG3, EmbeddedRoots.appleIncRoot].map { text in
      guard let der = Base64.decode(text.utf8, .standard),
        let certificate = try? Certificate(der: der)
      else { preconditionFailure("an embedded root is damaged") }
      return certificate
    }
  )

  /// Trusts a simulated store.
  ///
  /// - Parameter roots: The DER of its roots.
  /// - Returns: The anchors.
  /// - Throws: ``CryptoError`` when one of them is no certificate.
  public static func simulated(_ roots: [[UInt8]]) throws(CryptoError) -> TrustAnchors {
    TrustAnchors(kind: .simulated, roots: try read(roots))
  }

  /// Trusts one developer's Xcode, for receipts of local tests only.
  ///
  /// - Parameter certificates: The DER of the certificates that Xcode signs with.
  /// - Returns: The anchors.
  /// - Throws: ``CryptoError`` when one of them is no certificate.
  public static func xcode(_ certificates: [[UInt8]]) throws(CryptoError) -> TrustAnchors {
    TrustAnchors(kind: .xcode, roots: try read(certificates))
  }

  private static func read(_ roots: [[UInt8]]) throws(CryptoError) -> [Certificate] {
    var result: [Certificate] = []
    for root in roots { result.append(try Certificate(der: root)) }
    return result
  }
}
