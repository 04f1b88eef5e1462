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
    _ id: DeveloperKeyID,
    publicKey: [UInt8],
    app: BundleID? = nil
  ) throws(SimulatorError) {
    let bundleID = app ?? configuration.bundleID
    guard let key = try? signer.signing.makeVerificationKey(subjectPublicKeyInfo: publicKey),
      key.kind == .p256
    else {
      throw SimulatorError(.badRequest, "the key \"\(id)\" is no public key on P-256 in DER")
    }
    try tryRead { core throws(SimulatorError) in _ = try core.app(bundleID) }
    developerKeys.add(DeveloperKey(id: id, issuer: nil, key: key), forOffersOf: bundleID)
  }

  /// Lets the key pair of a `.storekit` file sign offers; one that cannot be read signs nothing.
  func adoptKeyPair(of catalog: StoreCatalog, app: BundleID) {
    guard let (id, publicKey) = DeveloperKeyReader.keyPair(of: catalog) else { return }
    try? addOfferKey(id, publicKey: publicKey, app: app)
  }

  func offerVerdict(_ request: PurchaseRequest) throws(SimulatorError) -> OfferProofVerdict {
    guard request.offerUse != nil else { return .notNeeded }
    let device = try device(request.device)
    let options = configuration.options
    let customer = OfferProofVerdict.Customer(bundleID: device.bundleID) { id in
      self.read { core in
        core.state.held(by: device.account, in: device.bundleID).contains {
          $0.transactionID == id
        }
          || core.identifiers.appTransactionID(device.account, device.bundleID).rawValue
            == id.rawValue
      }
    }
    return OfferProofVerdict(
      request,
      by: customer,
      // The store's own key ends no leniency.
      isLenient: options.acceptsUnsignedOffers
        && !developerKeys.haveKeysForOffers(of: device.bundleID),
      OfferProofChecker(
        find: developerKey,
        findForOffers: offerKey,
        isKnown: { $0 == device.bundleID },
        ageMax: options.offerSignatureAgeMax,
        // A server's clock is usually the real one, and the store's may be anywhere.
        leadMax: options.offerSignatureAgeMax,
        now: clock.now
      )
    )
  }
}
