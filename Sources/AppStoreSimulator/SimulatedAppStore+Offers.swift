public import IAPModel
import IAPSignatures

// Keys for offers, and checking what was signed with them.
extension SimulatedAppStore {
  /// Makes a key of an app's server known: it may sign offers from now on.
  ///
  /// - Parameters:
  ///   - id: The key's identifier, as signatures name it.
  ///   - publicKey: The DER of its public half as it stands in a certificate, on P-256.
  ///   - app: The app; nil for the first one.
  /// - Throws: ``SimulatorError`` with `unknownApp`, or `badRequest` when it is no such key.
  public func addOfferKey(
    _ id: OfferKeyID,
    publicKey: [UInt8],
    app: BundleID? = nil
  ) throws(SimulatorError) {
    let bundleID = app ?? configuration.bundleID
    let key = try? signer.signing.makeVerificationKey(subjectPublicKeyInfo: publicKey)
    guard key?.kind == .p256 else {
      throw SimulatorError(.badRequest, "the key \"\(id)\" is no public key on P-256 in DER")
    }
    try command { core, _ throws(SimulatorError) in
      _ = try core.app(bundleID)
      core.offerKeys[bundleID, default: [:]][id] = publicKey
    }
  }

  func offerVerdict(_ request: PurchaseRequest) throws(SimulatorError) -> OfferProofVerdict {
    guard request.offerUse != nil else { return .notNeeded }
    var (bundleID, keys) = try tryRead { core throws(SimulatorError) in
      let app = try core.device(request.device).bundleID
      return (app, core.offerKeys[app] ?? [:])
    }
    let isLenient = configuration.options.acceptsUnsignedOffers
    let known = developerKeys.all
    // An In-App Purchase key signs offers too; the store's own one ends no leniency.
    if !isLenient || !keys.isEmpty || !known.isEmpty {
      let own = developerKey(ownKeyIDs.id)
      for key in known + [own].compactMap({ $0 }) {
        keys[OfferKeyID(key.id.rawValue)] = key.publicKey
      }
    }
    return OfferProofChecker(
      bundleID: bundleID,
      keys: keys,
      isLenientWithoutKeys: isLenient,
      ageMax: configuration.options.offerSignatureAgeMax,
      now: clock.now,
      primitives: signer.signing
    ).check(request)
  }
}
