public import IAPModel
import IAPSignatures
import Synchronization

/// The identifier of a developer's key: ten letters and digits from App Store Connect.
public struct DeveloperKeyID: Identifier {
  /// The spelling.
  public let rawValue: String
  /// Makes the identifier from its spelling.
  public init(_ rawValue: String) { self.rawValue = rawValue }
}

/// The identifier of a developer's team: a UUID from App Store Connect.
public struct IssuerID: Identifier {
  /// The spelling.
  public let rawValue: String
  /// Makes the identifier from its spelling.
  public init(_ rawValue: String) { self.rawValue = rawValue }
}

/// The public half of an In-App Purchase key, with which requests and offers are checked.
struct DeveloperKey: Sendable {
  let id: DeveloperKeyID
  /// The team; nil when nobody said which, as for the key pair of a `.storekit` file.
  let issuer: IssuerID?
  let key: any VerificationKey
}

/// The key pair that the store makes for the developer, as a `.p8` file is downloaded from Apple.
public struct IssuedDeveloperKey: Sendable {
  /// The key.
  public let id: DeveloperKeyID
  /// The team.
  public let issuer: IssuerID
  /// The private key: PKCS#8 between lines of dashes.
  public let p8: String
}

/// The developer's keys that the store knows.
///
/// - **Concurrency:** safe from any thread.
final class DeveloperKeys: Sendable {
  private let keys = Mutex<[DeveloperKey]>([])
  private let offerKeys = Mutex<[BundleID: [DeveloperKey]]>([:])
  // Made when it is first asked for: most stores in tests never are.
  private let own = Mutex<DeveloperKey?>(nil)

  /// The most keys.
  static let countMax = 64

  func find(_ id: DeveloperKeyID) -> DeveloperKey? {
    if let own = own.withLock({ $0 }), own.id == id { return own }
    return keys.withLock { keys in keys.first { $0.id == id } }
  }

  func keepOwn(_ key: DeveloperKey) { own.withLock { $0 = key } }

  var all: [DeveloperKey] { keys.withLock { $0 } }

  func add(_ key: DeveloperKey) throws(SimulatorError) {
    try keys.withLock { keys throws(SimulatorError) in
      guard !keys.contains(where: { $0.id == key.id }) else {
        throw SimulatorError(.duplicate, "there is a key \"\(key.id)\" already")
      }
      guard keys.count < Self.countMax else {
        throw SimulatorError(.notAllowed, "there are \(Self.countMax) keys already")
      }
      keys.append(key)
    }
  }

  /// Lets a key sign the offers of one app; one of the same name takes its place.
  func add(_ key: DeveloperKey, forOffersOf app: BundleID) {
    offerKeys.withLock { keys in
      keys[app, default: []].removeAll { $0.id == key.id }
      keys[app, default: []].append(key)
    }
  }

  func findForOffers(_ id: DeveloperKeyID, of app: BundleID) -> DeveloperKey? {
    offerKeys.withLock { $0[app]?.first { $0.id == id } }
  }

  /// Whether the developer has made a key known that signs the app's offers.
  func haveKeysForOffers(of app: BundleID) -> Bool {
    !all.isEmpty || offerKeys.withLock { $0[app]?.isEmpty == false }
  }

  func remove(_ id: DeveloperKeyID) -> Bool {
    keys.withLock { keys in
      let count = keys.count
      keys.removeAll { $0.id == id }
      return keys.count < count
    }
  }
}

/// Reads the public half of a P-256 key from what developers have at hand.
enum DeveloperKeyReader {
  /// Where the point begins in the DER of a P-256 public key.
  private static let prefix: [UInt8] = [
    0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08,
    0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
  ]
  /// Stands before the point at the end of Apple's `.p8` files: context tag 1, a bit string.
  private static let pointMark: [UInt8] = [0xA1, 0x44, 0x03, 0x42, 0x00]
  private static let pointByteCount = 65
  /// The longest file, in bytes.
  static let sizeBytesMax = 16 * 1024

  /// The DER of the public key in a file with `PUBLIC KEY` or, as Apple gives them out,
  /// `PRIVATE KEY`; nil when there is none.
  static func publicKey(_ pem: [UInt8]) -> [UInt8]? {
    guard pem.count <= sizeBytesMax, let block = PEM.blocks(pem)?.first else { return nil }
    return publicKey(der: block.der)
  }

  /// The key pair of a `.storekit` file; nil when it has none, or no public half inside.
  static func keyPair(of catalog: StoreCatalog) -> (id: DeveloperKeyID, publicKey: [UInt8])? {
    guard let pair = catalog.document["subscriptionOffersKeyPair"]?.objectValue,
      let id = pair["id"]?.stringValue, let text = pair["privateKey"]?.stringValue,
      let der = Base64.decode(text.utf8, .standard), let key = publicKey(der: der)
    else { return nil }
    return (DeveloperKeyID(id), key)
  }

  private static func publicKey(der: [UInt8]) -> [UInt8]? {
    if der.starts(with: prefix), der.count == prefix.count + pointByteCount { return der }
    let tail = der.suffix(pointMark.count + pointByteCount)
    guard tail.starts(with: pointMark) else { return nil }
    return prefix + tail.suffix(pointByteCount)
  }
}
