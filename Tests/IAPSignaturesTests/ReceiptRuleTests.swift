import Foundation
import IAPModel
import IAPSignatures
import OpenSSLCrypto
import Testing

/// Each rule about receipts, by a receipt that is right but for one thing.
@Suite struct ReceiptRuleTests {
  private let crypto: OpenSSLPrimitives
  private let chain: SigningChain

  init() throws {
    crypto = try OpenSSLPrimitives()
    chain = try SigningChain(
      shape: .receipts(validity: TestStore.validity),
      seed: [4, 5, 6],
      signing: crypto
    )
  }

  private static let device: [UInt8] = Array(1...16)

  private func item(_ change: (inout [ReceiptAttribute]) -> Void = { _ in }) -> ReceiptAttribute {
    var attributes: [ReceiptAttribute] = [
      .integer(1701, 2), .text(1702, "coins"), .text(1703, "1000000000000001"),
      .date(1704, TestStore.now), .text(1705, "1000000000000000"),
      .date(1706, TestStore.now), .integer(1707, 1), .date(1708, nil), .integer(1711, 0),
      .date(1712, nil), .integer(1713, 0), .integer(1719, 0), .text(1799, "later"),
    ]
    change(&attributes)
    return ReceiptAttribute(type: 17, value: ReceiptAttribute.encodeSet(attributes))
  }

  private func attributes(items: [ReceiptAttribute]? = nil) -> [ReceiptAttribute] {
    let bundle = ReceiptAttribute.text(2, "com.example")
    let opaque: [UInt8] = [9, 8, 7]
    let hash = crypto.digest(.sha1, Self.device + opaque + bundle.value)
    return [
      .text(0, "Production"), .integer(1, 1234), bundle, .text(3, "7"),
      ReceiptAttribute(type: 4, value: opaque, version: 2), ReceiptAttribute(type: 5, value: hash),
      .date(12, TestStore.now), .text(19, "1.0"), .ascii(99, "unheard of"),
    ] + (items ?? [item()])
  }

  private func verifier(
    cache: BoundedChainCache? = nil,
    limits: DERLimits = .receipt,
    environments: Set<StoreEnvironment> = [.production]
  ) throws -> ReceiptVerifier {
    ReceiptVerifier(
      anchors: try .simulated([chain.root]),
      origin: ExpectedOrigin(apps: [TestStore.app], environments: environments),
      crypto: crypto,
      cache: cache,
      limits: limits
    )
  }

  private func sign(_ attributes: [ReceiptAttribute]) throws -> [UInt8] {
    try PKCS7Writer(chain: chain, signing: crypto).sign(ReceiptAttribute.encodeSet(attributes))
  }

  private func rules(_ receipt: [UInt8], device: [UInt8]? = nil) throws -> [Rule] {
    try verifier().verify(receipt, deviceID: device).failures.map(\.rule)
  }

  @Test func whatIsRightIsAcceptedAndEveryAttributeIsRead() throws {
    let verdict = try verifier().verify(sign(attributes()), deviceID: Self.device)
    let receipt = try #require(verdict.accepted, "\(verdict.failures)").payload
    #expect(receipt.environment == .production)
    #expect(receipt.appAppleID == AppAppleID(1234))
    #expect(receipt.bundleID == "com.example")
    #expect(receipt.applicationVersion == "7")
    #expect(receipt.creationDate == TestStore.now)
    #expect(receipt.originalApplicationVersion == "1.0")
    #expect(receipt.otherAttributes == [.ascii(99, "unheard of")])
    let item = try #require(receipt.items.first)
    #expect(item.quantity == 2)
    #expect(item.productID == "coins")
    #expect(item.transactionID == "1000000000000001")
    #expect(item.originalTransactionID == "1000000000000000")
    #expect(item.purchaseDate == TestStore.now)
    #expect(item.type == .consumable)
    #expect(item.expiresDate == nil)
    #expect(item.webOrderLineItemID == nil)
    #expect(item.cancellationDate == nil)
    #expect(item.isTrialPeriod == false)
    #expect(item.otherAttributes == [.text(1799, "later")])
    let transaction = try #require(item.transaction(in: receipt))
    #expect(transaction.signedDate == TestStore.now)
    #expect(transaction.unit == "tx:1000000000000001")
  }

  @Test(arguments: [DigestAlgorithm.sha1, .sha256])
  func bothOfApplesDigestsAreTakenWithAndWithoutSignedAttributes(
    digest: DigestAlgorithm
  ) throws {
    let content = ReceiptAttribute.encodeSet(attributes())
    let writer = PKCS7Writer(chain: chain, signing: crypto)
    for date in [nil, TestStore.now] {
      let receipt = try writer.sign(content, digest: digest, attributesSignedAt: date)
      #expect(try rules(receipt) == [])
    }
    for weak in [DigestAlgorithm.md5, .sha384] {
      #expect(try rules(writer.sign(content, digest: weak)) == [.digest])
    }
  }

  @Test func aReceiptForAnotherDeviceIsRefusedOnlyWhenTheDeviceIsNamed() throws {
    let receipt = try sign(attributes())
    #expect(try rules(receipt, device: Array(2...17)) == [.deviceHash])
    #expect(try rules(receipt) == [])
  }

  @Test func anAttributeThatMayStandOnceMayNotStandTwice() throws {
    for extra: ReceiptAttribute in [.text(2, "com.example"), .date(12, TestStore.now)] {
      #expect(try rules(sign(attributes() + [extra])) == [.repeatedAttributes])
    }
    let twice = item { $0.append(.text(1703, "1000000000000009")) }
    #expect(try rules(sign(attributes(items: [twice]))) == [.repeatedAttributes])
    #expect(try rules(sign(attributes(items: [item(), item()]))) == [])
  }

  @Test func whatAReceiptDoesNotSayIsNotMadeUp() throws {
    let noDate = attributes().filter { $0.type != 12 }
    #expect(try rules(sign(noDate)) == [.signedDate])
    let noEnvironment = attributes().filter { $0.type != 0 }
    #expect(try rules(sign(noEnvironment)) == [.environment])
    let noBundle = attributes().filter { $0.type != 2 }
    #expect(try rules(sign(noBundle)) == [.bundle])
  }

  @Test func certificatesAreJudgedAtTheCreationDate() throws {
    let late = TestStore.validity.upperBound.addingTimeInterval(1)
    let dated = attributes().filter { $0.type != 12 } + [.date(12, late)]
    #expect(try rules(sign(dated)) == [.validity])
  }

  @Test func aSignerOfAnotherStoreIsRefusedWhateverIsAttached() throws {
    let other = try SigningChain(
      shape: .receipts(validity: TestStore.validity),
      seed: [9],
      signing: crypto
    )
    var mixed = other
    mixed.certificates += chain.certificates
    let content = ReceiptAttribute.encodeSet(attributes())
    let receipt = try PKCS7Writer(chain: mixed, signing: crypto).sign(content)
    #expect(try !rules(receipt).isEmpty)
    mixed = SigningChain(certificates: [chain.certificates[0]], leafKey: chain.leafKey)
    let alone = try PKCS7Writer(chain: mixed, signing: crypto).sign(content)
    #expect(try rules(alone) == [.chainLength])
  }

  @Test func weakKeysAndOtherKindsAreRefused() throws {
    for kind in [KeyKind.rsa(bits: 1024), .p256] {
      var shape = SigningChain.Shape.receipts(validity: TestStore.validity)
      shape.leaf.key = kind
      let weak = try SigningChain(shape: shape, seed: [4, 5, 6], signing: crypto)
      let receipt = try PKCS7Writer(chain: weak, signing: crypto)
        .sign(ReceiptAttribute.encodeSet(attributes()))
      #expect(try rules(receipt) == [.leafKey])
    }
  }

  @Test func aKeptChainGivesTheSameVerdicts() throws {
    let cache = BoundedChainCache()
    let verifier = try verifier(cache: cache)
    let receipt = try sign(attributes())
    for _ in 0..<2 { #expect(try verifier.verify(receipt).accepted != nil) }
    #expect(cache.count == 1)
  }

  @Test func noByteCanBeFlippedUnnoticedInContentOrSignature() throws {
    let verifier = try verifier(cache: BoundedChainCache())
    let receipt = try sign(attributes())
    // The certificates and the container's outline stand in the middle: a sample of them.
    for place in stride(from: 0, to: receipt.count, by: 7) {
      var changed = receipt
      changed[place] ^= 1
      let verdict = try verifier.verify(changed)
      // Some bytes of the outline say nothing: the version, the list of digests.
      guard let accepted = verdict.accepted else { continue }
      #expect(accepted.payload == (try verifier.verify(receipt).accepted?.payload))
    }
  }

  @Test func whatIsCutOffOrFollowedByMoreIsRefused() throws {
    let receipt = try sign(attributes())
    #expect(try rules(receipt + [0]) == [.container])
    for count in stride(from: 0, to: receipt.count, by: 101) {
      #expect(try rules(Array(receipt.prefix(count))) == [.container])
    }
  }

  @Test func theLimitItselfIsTakenAndOneByteMoreIsNot() throws {
    let receipt = try sign(attributes())
    let fits = DERLimits(sizeBytesMax: receipt.count, depthMax: 24)
    #expect(try verifier(limits: fits).verify(receipt).accepted != nil)
    let tight = DERLimits(sizeBytesMax: receipt.count - 1, depthMax: 24)
    #expect(try verifier(limits: tight).verify(receipt).failures.map(\.rule) == [.limits])
  }

  @Test func textIsStandardBase64WithLineBreaksAndNothingElse() throws {
    let receipt = try sign(attributes())
    let text = Base64.encode(receipt, .standard)
    func first(_ text: String) throws -> Rule? {
      try verifier().verify(base64: Array(text.utf8)).failures.first?.rule
    }
    #expect(try first(text) == nil)
    #expect(try first(text + "\r\n") == nil)
    #expect(try first(" " + text) == .format)
    #expect(try first(text.replacingOccurrences(of: "+", with: " ")) == .format)
    #expect(try first(Base64.encode(receipt, .url)) == .format)
    #expect(try first("") == .format)
    #expect(try first("\n") == .format)
    #expect(try first("eyJhbGciOiJFUzI1NiJ9.e30.AA") == .format)
  }

  @Test func sandboxReceiptsAreTakenOnlyWhereTheSandboxIsNamed() throws {
    let sandbox = try sign(attributes().filter { $0.type > 1 } + [.text(0, "ProductionSandbox")])
    #expect(try rules(sandbox) == [.environment])
    let both = try verifier(environments: [.production, .sandbox]).verify(sandbox)
    #expect(both.accepted?.environment == .sandbox)
  }
}
