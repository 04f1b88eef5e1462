public import Foundation

/// Leaf, intermediate and root with the leaf's key: what a simulated store signs with.
public struct SigningChain: Sendable {
  /// The DER of leaf, intermediate and root, in that order.
  public var certificates: [[UInt8]]
  /// The key of the leaf.
  public var leafKey: any SigningKey

  /// Takes a chain made elsewhere.
  ///
  /// - Parameters:
  ///   - certificates: The DER of the certificates, leaf first.
  ///   - leafKey: The key of the leaf.
  public init(certificates: [[UInt8]], leafKey: any SigningKey) {
    self.certificates = certificates
    self.leafKey = leafKey
  }

  /// The DER of the root, which a verifier has to trust.
  public var root: [UInt8] { certificates.last ?? [] }

  /// What one certificate of a chain looks like.
  public struct Member: Hashable, Sendable {
    /// Whom it is about.
    public var name: CertificateName
    /// Its key.
    public var key: KeyKind
    /// The digest that the issuer signs it with.
    public var digest: DigestAlgorithm
    /// The first valid instant.
    public var notBefore: Date
    /// The last valid instant.
    public var notAfter: Date
    /// Whether it may issue certificates; nil leaves the extension out.
    public var isAuthority: Bool?
    /// How many authorities may follow it.
    public var pathLength: Int?
    /// What its key may be used for; nil leaves the extension out.
    public var usage: KeyUsage?
    /// Further extensions: marks, policies, whatever a test needs.
    public var extensions: [CertificateExtension]

    /// Makes a member.
    ///
    /// - Parameters:
    ///   - name: Whom it is about.
    ///   - key: Its key.
    ///   - digest: The digest that the issuer signs it with.
    ///   - validity: The first and the last valid instant.
    ///   - isAuthority: Whether it may issue certificates.
    ///   - pathLength: How many authorities may follow it.
    ///   - usage: What its key may be used for.
    ///   - extensions: Further extensions.
    public init(
      name: CertificateName,
      key: KeyKind,
      digest: DigestAlgorithm,
      validity: ClosedRange<Date>,
      isAuthority: Bool?,
      pathLength: Int? = nil,
      usage: KeyUsage?,
      extensions: [CertificateExtension] = []
    ) {
      self.name = name
      self.key = key
      self.digest = digest
      self.notBefore = validity.lowerBound
      self.notAfter = validity.upperBound
      self.isAuthority = isAuthority
      self.pathLength = pathLength
      self.usage = usage
      self.extensions = extensions
    }
  }

  /// What a chain looks like before it has keys.
  public struct Shape: Hashable, Sendable {
    /// The certificate that signs data.
    public var leaf: Member
    /// The authority that signs the leaf.
    public var intermediate: Member
    /// The authority that signs the intermediate and itself.
    public var root: Member

    /// Makes a shape.
    ///
    /// - Parameters:
    ///   - leaf: The certificate that signs data.
    ///   - intermediate: The authority that signs the leaf.
    ///   - root: The authority that signs the intermediate and itself.
    public init(leaf: Member, intermediate: Member, root: Member) {
      self.leaf = leaf
      self.intermediate = intermediate
      self.root = root
    }

    /// The shape of the chain that signs transactions: P-256 under P-384.
    ///
    /// - Parameter validity: When all three certificates are valid.
    /// - Returns: The shape.
    public static func transactions(validity: ClosedRange<Date>) -> Self {
      make(
        validity: validity,
        keys: (.p256, .p384, .p384),
        digest: .sha384,
        names: ("Simulated ECC Receipt Signing", "Simulated Relations ECC", "Simulated Root ECC")
      )
    }

    /// The shape of the chain that signs receipts: RSA with 2048 bits throughout.
    ///
    /// - Parameter validity: When all three certificates are valid.
    /// - Returns: The shape.
    public static func receipts(validity: ClosedRange<Date>) -> Self {
      make(
        validity: validity,
        keys: (.rsa(bits: 2048), .rsa(bits: 2048), .rsa(bits: 2048)),
        digest: .sha256,
        names: ("Simulated Receipt Signing", "Simulated Relations", "Simulated Root")
      )
    }

    private static func make(
      validity: ClosedRange<Date>,
      keys: (leaf: KeyKind, intermediate: KeyKind, root: KeyKind),
      digest: DigestAlgorithm,
      names: (leaf: String, intermediate: String, root: String)
    ) -> Self {
      func name(_ commonName: String) -> CertificateName {
        CertificateName(commonName: commonName, organization: "IAPKit Simulator", country: "ZZ")
      }
      return Self(
        leaf: Member(
          name: name(names.leaf),
          key: keys.leaf,
          digest: digest,
          validity: validity,
          isAuthority: false,
          usage: .digitalSignature,
          extensions: [.policies([.receiptSigningPolicy]), .marker(.receiptSigningMarker)]
        ),
        intermediate: Member(
          name: name(names.intermediate),
          key: keys.intermediate,
          digest: digest,
          validity: validity,
          isAuthority: true,
          pathLength: 0,
          usage: [.certificateSigning, .revocationListSigning],
          extensions: [.marker(.intermediateMarker)]
        ),
        root: Member(
          name: name(names.root),
          key: keys.root,
          digest: digest,
          validity: validity,
          isAuthority: true,
          usage: [.certificateSigning, .revocationListSigning]
        )
      )
    }
  }

  /// Makes the chain that belongs to a seed.
  ///
  /// - Parameters:
  ///   - shape: What the certificates look like.
  ///   - seed: Any bytes: the same seed gives the same chain.
  ///   - signing: Makes the keys.
  /// - Throws: ``CryptoError`` when keys of those kinds cannot be made.
  public init(
    shape: Shape,
    seed: [UInt8],
    signing: any SigningPrimitives
  ) throws(CryptoError) {
    let rootKey = try Self.key(of: shape.root, "root", seed, signing)
    let intermediateKey = try Self.key(of: shape.intermediate, "intermediate", seed, signing)
    leafKey = try Self.key(of: shape.leaf, "leaf", seed, signing)
    func certificate(
      _ member: Member,
      _ subject: any SigningKey,
      _ issuer: Member,
      _ issuerKey: any SigningKey
    ) throws(CryptoError) -> [UInt8] {
      let identifier = signing.digest(.sha1, subject.subjectPublicKeyInfo)
      let issuerIdentifier = signing.digest(.sha1, issuerKey.subjectPublicKeyInfo)
      var extensions: [CertificateExtension] = []
      if let isAuthority = member.isAuthority {
        extensions.append(
          .basicConstraints(isAuthority: isAuthority, pathLength: member.pathLength)
        )
      }
      if let usage = member.usage { extensions.append(.keyUsage(usage)) }
      extensions.append(.subjectKeyIdentifier(identifier))
      extensions.append(.authorityKeyIdentifier(issuerIdentifier))
      return try CertificateTemplate(
        serialNumber: [1] + identifier.prefix(7),
        issuer: issuer.name,
        subject: member.name,
        notBefore: member.notBefore,
        notAfter: member.notAfter,
        subjectPublicKeyInfo: subject.subjectPublicKeyInfo,
        extensions: extensions + member.extensions
      ).signed(by: issuerKey, digest: member.digest)
    }
    certificates = [
      try certificate(shape.leaf, leafKey, shape.intermediate, intermediateKey),
      try certificate(shape.intermediate, intermediateKey, shape.root, rootKey),
      try certificate(shape.root, rootKey, shape.root, rootKey),
    ]
  }
}
