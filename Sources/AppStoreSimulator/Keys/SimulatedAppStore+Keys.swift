import Foundation
import IAPModel
import IAPSignatures

// The developer's keys: who may ask the App Store Server API, and who signs offers.
extension SimulatedAppStore {
  /// The key pair that the store made from its seed, known to it from the beginning.
  ///
  /// - Returns: The key with its private half.
  /// - Throws: ``SimulatorError`` with `signingFailed` when the primitives do not give keys away.
  public func issuedDeveloperKey() throws(SimulatorError) -> IssuedDeveloperKey {
    guard let info = try ownKey().privateKeyInfo else {
      throw SimulatorError(.signingFailed, "these primitives do not give keys away")
    }
    let (id, issuer) = ownKeyIDs
    return IssuedDeveloperKey(
      id: id,
      issuer: issuer,
      p8: ControlRoutes.pem(info, label: "PRIVATE KEY")
    )
  }

  /// Makes a further key of the developer known.
  ///
  /// - Parameters:
  ///   - id: What the header of a token calls it.
  ///   - issuer: The team that it belongs to.
  ///   - pem: A P-256 key: `PUBLIC KEY`, or a `.p8` file of Apple's.
  /// - Throws: ``SimulatorError`` with `badRequest` when it is no such key, or `duplicate`.
  public func addDeveloperKey(
    _ id: DeveloperKeyID,
    issuer: IssuerID,
    pem: [UInt8]
  ) throws(SimulatorError) {
    guard let der = DeveloperKeyReader.publicKey(pem),
      let key = try? signer.signing.makeVerificationKey(subjectPublicKeyInfo: der)
    else {
      throw SimulatorError(
        .badRequest,
        "expected a P-256 key between lines of dashes: PUBLIC KEY, or PRIVATE KEY as Apple's .p8"
      )
    }
    guard id != ownKeyIDs.id else {
      throw SimulatorError(.duplicate, "there is a key \"\(id)\" already")
    }
    try developerKeys.add(DeveloperKey(id: id, issuer: issuer, key: key))
  }

  /// Forgets a key that was added.
  ///
  /// - Parameter id: The key.
  /// - Throws: ``SimulatorError`` with `unknownKey`.
  public func removeDeveloperKey(_ id: DeveloperKeyID) throws(SimulatorError) {
    guard developerKeys.remove(id) else {
      throw SimulatorError(.unknownKey, "there is no key \"\(id)\" that was added")
    }
  }

  /// The key with that identifier.
  func developerKey(_ id: DeveloperKeyID) -> DeveloperKey? {
    let own = ownKeyIDs
    if let known = developerKeys.find(id) { return known }
    guard id == own.id, let info = try? ownKey().subjectPublicKeyInfo,
      let key = try? signer.signing.makeVerificationKey(subjectPublicKeyInfo: info)
    else { return nil }
    let found = DeveloperKey(id: id, issuer: own.issuer, key: key)
    developerKeys.keepOwn(found)
    return found
  }

  /// The key with that identifier that signs the offers of one app only.
  func offerKey(_ id: DeveloperKeyID, of app: BundleID) -> DeveloperKey? {
    developerKeys.findForOffers(id, of: app)
  }

  /// Whether there is such an app.
  func isApp(_ id: BundleID) -> Bool { read { $0.state.app(id) != nil } }

  /// The names under which the store's own key goes.
  var ownKeyIDs: (id: DeveloperKeyID, issuer: IssuerID) {
    read { core in
      var generator = core.identifiers.derived(["developer-key"])
      let signs = Array("0123456789ABCDEFGHJKLMNPQRSTUVWXYZ")
      let id = (0..<10).map { _ in signs[Int.random(in: 0..<signs.count, using: &generator)] }
      let issuer = core.identifiers.uuid(for: ["issuer"]).uuidString.lowercased()
      return (DeveloperKeyID(String(id)), IssuerID(issuer))
    }
  }

  private func ownKey() throws(SimulatorError) -> any SigningKey {
    do throws(CryptoError) {
      return try signer.signing.makeSigningKey(
        .p256,
        seed: Array("AppStoreSimulator.developer.\(configuration.seed)".utf8)
      )
    } catch {
      throw SimulatorError(.signingFailed, "the developer's key: \(error.reason)")
    }
  }
}
