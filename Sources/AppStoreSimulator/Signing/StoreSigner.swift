import Foundation
import IAPModel
import IAPSignatures
import Synchronization

/// Signs what the store says, with its own chains of certificates.
///
/// Everything is a function of the seed and the arguments.
final class StoreSigner: Sendable {
  let signing: any SigningPrimitives
  let transactionChain: SigningChain
  private let transactionWriter: CompactJWSWriter
  private let seed: UInt64
  private let validity: ClosedRange<Date>
  private let responder: String?
  // RSA keys take long to make, and most tests need none; a foreign chain is for one fault only.
  private let lazily = Mutex(Lazily())

  private struct Lazily {
    var receiptChains: [StoreFaults.Signature: SigningChain] = [:]
    var writers: [StoreFaults.Signature: CompactJWSWriter] = [:]
    var receipts: [UUID: SignedReceipt] = [:]
  }

  /// What a receipt was made from, and the receipt.
  private struct SignedReceipt {
    let writer: ReceiptWriter
    let digest: DigestAlgorithm
    let fault: StoreFaults.Signature
    let bytes: [UInt8]
  }

  /// Certificates are valid for so many years before and after the start of the simulation.
  static let validityYears = (before: 2, after: 20)

  init(
    signing: any SigningPrimitives,
    seed: UInt64,
    start: Date,
    responder: String? = nil
  ) throws(SimulatorError) {
    self.signing = signing
    self.seed = seed
    self.responder = responder
    let year: TimeInterval = 365.25 * 24 * 3600
    let day =
      start.timeIntervalSince1970 - start.timeIntervalSince1970.remainder(dividingBy: 86_400)
    let first = Date(timeIntervalSince1970: day - year * Double(Self.validityYears.before))
    validity =
      first...first.addingTimeInterval(
        year * Double(Self.validityYears.before + Self.validityYears.after)
      )
    transactionChain = try Self.chain(
      Self.named(.transactions(validity: validity), responder),
      "jws",
      seed,
      signing
    )
    transactionWriter = CompactJWSWriter(chain: transactionChain)
  }

  /// Signs a payload as the App Store does.
  func sign(_ payload: JSONObject) throws(SimulatorError) -> String {
    try signed(payload, by: transactionWriter)
  }

  /// Signs a payload for a device, spoiled as the fault wants it.
  func sign(
    _ payload: JSONObject,
    fault: StoreFaults.Signature
  ) throws(SimulatorError) -> String {
    switch fault {
    case .genuine: try sign(payload)
    case .broken: Self.broken(try sign(payload))
    case .foreignRoot, .expired, .notYetValid, .unmarkedLeaf, .unmarkedIntermediate:
      try signed(payload, by: try writer(fault))
    }
  }

  /// Signs the content of a receipt.
  func signReceipt(
    _ content: [UInt8],
    digest: DigestAlgorithm = .sha256,
    fault: StoreFaults.Signature
  ) throws(SimulatorError) -> [UInt8] {
    let chain = try receiptChain(fault == .broken ? .genuine : fault)
    let writer = PKCS7Writer(chain: chain, signing: signing)
    var bytes: [UInt8]
    do throws(CryptoError) {
      bytes = try writer.sign(content, digest: digest)
    } catch {
      throw SimulatorError(.signingFailed, "the receipt: \(error.reason)", underlying: error)
    }
    // The signature is the last thing in the container.
    if fault == .broken, let last = bytes.indices.last { bytes[last] ^= 1 }
    return bytes
  }

  /// Makes and signs an app's receipt; a device that shows it again gets the same bytes.
  func receipt(
    _ writer: ReceiptWriter,
    digest: DigestAlgorithm,
    fault: StoreFaults.Signature
  ) throws(SimulatorError) -> [UInt8] {
    let device = writer.deviceIdentifier
    if let known = lazily.withLock({ $0.receipts[device] }), known.writer == writer,
      known.digest == digest, known.fault == fault
    {
      return known.bytes
    }
    var copy = writer
    let bytes = try signReceipt(copy.content(signing), digest: digest, fault: fault)
    lazily.withLock {
      $0.receipts[device] =
        SignedReceipt(writer: writer, digest: digest, fault: fault, bytes: bytes)
    }
    return bytes
  }

  /// The chain that signs receipts, as the fault wants it.
  func receiptChain(
    _ fault: StoreFaults.Signature = .genuine
  ) throws(SimulatorError) -> SigningChain {
    try lazily.withLock { lazily throws(SimulatorError) in
      if let chain = lazily.receiptChains[fault] { return chain }
      let chain = try Self.chain(
        spoiled(.receipts(validity: validity), by: fault),
        fault == .foreignRoot ? "foreign-receipt" : "receipt",
        seed,
        signing
      )
      lazily.receiptChains[fault] = chain
      return chain
    }
  }

  private func writer(_ fault: StoreFaults.Signature) throws(SimulatorError) -> CompactJWSWriter {
    try lazily.withLock { lazily throws(SimulatorError) in
      if let writer = lazily.writers[fault] { return writer }
      let chain = try Self.chain(
        spoiled(.transactions(validity: validity), by: fault),
        fault == .foreignRoot ? "foreign" : "jws",
        seed,
        signing
      )
      let writer = CompactJWSWriter(chain: chain)
      lazily.writers[fault] = writer
      return writer
    }
  }

  /// The shape of a chain under the same root with one thing wrong.
  private func spoiled(
    _ shape: SigningChain.Shape,
    by fault: StoreFaults.Signature
  ) -> SigningChain.Shape {
    var shape = Self.named(shape, responder)
    let year: TimeInterval = 365.25 * 24 * 3600
    switch fault {
    case .genuine, .broken, .foreignRoot: break
    case .expired: shape.leaf.notAfter = validity.lowerBound.addingTimeInterval(year)
    case .notYetValid: shape.leaf.notBefore = validity.upperBound.addingTimeInterval(-year)
    case .unmarkedLeaf:
      shape.leaf.extensions.removeAll { $0.id == .receiptSigningMarker }
    case .unmarkedIntermediate:
      shape.intermediate.extensions.removeAll { $0.id == .intermediateMarker }
    }
    return shape
  }

  private func signed(
    _ payload: JSONObject,
    by writer: CompactJWSWriter
  ) throws(SimulatorError) -> String {
    do throws(CryptoError) {
      return try writer.sign(payload)
    } catch {
      throw SimulatorError(.signingFailed, "a payload: \(error.reason)", underlying: error)
    }
  }

  private static func chain(
    _ shape: SigningChain.Shape,
    _ label: String,
    _ seed: UInt64,
    _ signing: any SigningPrimitives
  ) throws(SimulatorError) -> SigningChain {
    do throws(CryptoError) {
      return try SigningChain(shape: shape, seed: chainSeed(label, seed), signing: signing)
    } catch {
      throw SimulatorError(
        .signingFailed,
        "no chain of certificates: \(error.reason)",
        underlying: error
      )
    }
  }

  private static func chainSeed(_ label: String, _ seed: UInt64) -> [UInt8] {
    Array("AppStoreSimulator.\(label).\(seed)".utf8)
  }

  /// The shape with the address at which the certificates' standing can be asked about.
  private static func named(
    _ shape: SigningChain.Shape,
    _ responder: String?
  ) -> SigningChain.Shape {
    guard let responder else { return shape }
    var shape = shape
    shape.leaf.extensions.append(.responder(responder))
    shape.intermediate.extensions.append(.responder(responder))
    return shape
  }

  /// What answers about the certificates of both chains.
  func responders() throws(CryptoError) -> [OCSPResponder] {
    var chains: [(SigningChain, SigningChain.Shape, String)] = [
      (transactionChain, .transactions(validity: validity), "jws")
    ]
    // Nobody can ask about a chain that was not made yet.
    if let chain = lazily.withLock({ $0.receiptChains[.genuine] }) {
      chains.append((chain, .receipts(validity: validity), "receipt"))
    }
    var result: [OCSPResponder] = []
    for (chain, shape, label) in chains {
      let keys = try SigningChain.authorityKeys(
        shape: shape,
        seed: Self.chainSeed(label, seed),
        signing: signing
      )
      result.append(
        try OCSPResponder(
          chain: chain,
          intermediateKey: keys.intermediate,
          rootKey: keys.root,
          signing: signing
        )
      )
    }
    return result
  }

  /// The text with one bit of the signature changed.
  static func broken(_ jws: String) -> String {
    var bytes = Array(jws.utf8)
    // The first character of the signature holds six bits that all count.
    guard let dot = bytes.lastIndex(of: UInt8(ascii: ".")), dot + 1 < bytes.count else {
      return jws
    }
    bytes[dot + 1] = bytes[dot + 1] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
    return String(decoding: bytes, as: UTF8.self)
  }
}
