/// A rule that signed data has to follow, by its stable name.
public struct Rule: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  /// The name.
  public let rawValue: String
  /// Makes a rule's name.
  public init(rawValue: String) { self.rawValue = rawValue }
  /// The name.
  public var description: String { rawValue }

  /// The text has the outline that it should have.
  public static let format = Self(rawValue: "format")
  /// Nothing is larger or nested deeper than the limits.
  public static let limits = Self(rawValue: "limits")
  /// The header can be read.
  public static let header = Self(rawValue: "header")
  /// The payload can be read and has what it must have.
  public static let payload = Self(rawValue: "payload")
  /// No object names a member twice.
  public static let duplicateMembers = Self(rawValue: "duplicateMembers")
  /// The algorithm is the one that Apple uses.
  public static let algorithm = Self(rawValue: "algorithm")
  /// The header demands nothing that is not known here.
  public static let criticalHeader = Self(rawValue: "criticalHeader")
  /// There are exactly as many certificates as there should be.
  public static let chainLength = Self(rawValue: "chainLength")
  /// The certificates can be read.
  public static let certificates = Self(rawValue: "certificates")
  /// The chain ends at a root that is trusted.
  public static let trustedRoot = Self(rawValue: "trustedRoot")
  /// The third certificate is the trusted root itself, byte by byte.
  public static let pinnedThirdCertificate = Self(rawValue: "pinnedThirdCertificate")
  /// Each certificate names the next one as its issuer.
  public static let issuerNames = Self(rawValue: "issuerNames")
  /// Each certificate is signed by the next one.
  public static let chainSignatures = Self(rawValue: "chainSignatures")
  /// The certificates are signed with algorithms that are strong enough.
  public static let chainAlgorithms = Self(rawValue: "chainAlgorithms")
  /// The signing certificate carries Apple's mark.
  public static let leafMarker = Self(rawValue: "leafMarker")
  /// The intermediate certificate carries Apple's mark.
  public static let intermediateMarker = Self(rawValue: "intermediateMarker")
  /// Those and only those certificates that should are authorities.
  public static let authority = Self(rawValue: "authority")
  /// Each key may be used for what it was used for.
  public static let keyUsage = Self(rawValue: "keyUsage")
  /// No certificate demands what is not known here.
  public static let criticalExtensions = Self(rawValue: "criticalExtensions")
  /// Every certificate is valid at the instant that counts.
  public static let validity = Self(rawValue: "validity")
  /// No certificate was revoked.
  public static let revocation = Self(rawValue: "revocation")
  /// The signing key is of the right kind and strength.
  public static let leafKey = Self(rawValue: "leafKey")
  /// The signature has the length that it should have.
  public static let signatureLength = Self(rawValue: "signatureLength")
  /// The signature fits the bytes and the key.
  public static let signature = Self(rawValue: "signature")
  /// It is the kind of thing that was asked for.
  public static let kind = Self(rawValue: "kind")
  /// It says when it was signed.
  public static let signedDate = Self(rawValue: "signedDate")
  /// It belongs to the app.
  public static let bundle = Self(rawValue: "bundle")
  /// It belongs to the app by Apple's number.
  public static let appAppleID = Self(rawValue: "appAppleID")
  /// It comes from an environment that is allowed here.
  public static let environment = Self(rawValue: "environment")
  /// Nested and outer data say the same.
  public static let agreement = Self(rawValue: "agreement")
  /// The receipt's container can be read.
  public static let container = Self(rawValue: "container")
  /// The receipt has one signer.
  public static let signers = Self(rawValue: "signers")
  /// The receipt is signed over a digest that is strong enough.
  public static let digest = Self(rawValue: "digest")
  /// The signer's certificate is in the receipt.
  public static let signerCertificate = Self(rawValue: "signerCertificate")
  /// The signed attributes of the container fit the content.
  public static let signedAttributes = Self(rawValue: "signedAttributes")
  /// No attribute that may stand once stands twice.
  public static let repeatedAttributes = Self(rawValue: "repeatedAttributes")
  /// The receipt belongs to the device.
  public static let deviceHash = Self(rawValue: "deviceHash")
}
