import Foundation

/// What can be read of a receipt before any rule looks at it.
struct ReceiptEvidence: Sendable {
  /// The container, nil when it cannot be read.
  var container: PKCS7Container?
  /// Why the container cannot be read.
  var containerProblem: String?
  /// What it looks like, when the container cannot be read.
  var form: SignedForm?
  /// The content, nil when it cannot be read.
  var reading: ReceiptReader.Reading?
  /// Why the content cannot be read.
  var readingProblem: String?
  /// The signer's chain, nil when the signer's certificate is not there.
  var chain: ChainEvidence?
  /// Whether the certificate of the signer's issuer is there.
  var hasIssuer = false
  /// The device that the receipt should belong to, nil when that is not asked.
  let deviceID: [UInt8]?
  /// Makes digests.
  let crypto: any VerificationPrimitives

  /// The one signer; with two there is none that counts.
  var signer: PKCS7Container.Signer? {
    guard let signers = container?.signers, signers.count == 1 else { return nil }
    return signers[0]
  }

  /// Reads container and content; the chain is not looked at yet.
  init(
    _ bytes: [UInt8],
    limits: DERLimits,
    deviceID: [UInt8]?,
    crypto: any VerificationPrimitives
  ) {
    self.deviceID = deviceID
    self.crypto = crypto
    do {
      container = try PKCS7Container(bytes, limits: limits)
    } catch {
      containerProblem = error.reason
      form = SignedForm(bytes)
    }
    guard let content = container?.content else { return }
    do {
      reading = try ReceiptReader(limits: limits).read(content)
    } catch {
      readingProblem = error.reason
    }
  }

  /// Finds the chain of the signer among the certificates that came along.
  mutating func findChain(_ reader: ChainReader, isAlone: Bool) throws(CryptoError) {
    guard let container, let signer else { return }
    var key = signer.issuer + signer.serialNumber
    for certificate in container.certificates { key += certificate }
    var found: [Certificate] = []
    // Where a chain is kept, the certificates need not be read.
    if let kept = reader.cache?.chain(for: key)?.evidence, kept.anchors == reader.anchors {
      chain = kept
      hasIssuer = true
      return
    }
    for der in container.certificates {
      if let certificate = try? Certificate(der: der) { found.append(certificate) }
    }
    guard
      let leaf = found.first(where: {
        $0.issuer == signer.issuer && $0.serialNumber == signer.serialNumber
      })
    else { return }
    let issuers = found.filter { $0.subject == leaf.issuer && $0.der != leaf.der }
    hasIssuer = !issuers.isEmpty
    chain = try reader.check([leaf.der])
    guard !isAlone else { return }
    for issuer in issuers {
      let evidence = try reader.check([leaf.der, issuer.der])
      if evidence.isSound || issuer == issuers.first { chain = evidence }
      if let sound = CheckedChain(evidence) {
        reader.cache?.store(sound, for: key)
        return
      }
    }
  }
}
