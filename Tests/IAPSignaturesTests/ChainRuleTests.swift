import Foundation
import IAPModel
import IAPSignatures
import Testing

/// Each rule about chains, by a chain that is right but for one thing.
@Suite struct ChainRuleTests {
  private typealias Bend = @Sendable (inout SigningChain.Shape) -> Void

  private func rules(_ bend: Bend, at date: Date = TestStore.now) throws -> [Rule] {
    let store = try TestStore(bend)
    return try store.failures(store.sign(TestStore.transaction.object), at: date)
  }

  @Test func aChainThatIsRightIsAccepted() throws {
    #expect(try rules { _ in } == [])
  }

  @Test func aLeafWithoutItsMarkIsRefused() throws {
    #expect(try rules { $0.leaf.extensions = [] } == [.leafMarker])
  }

  @Test func anIntermediateWithoutItsMarkIsRefused() throws {
    #expect(try rules { $0.intermediate.extensions = [] } == [.intermediateMarker])
  }

  @Test func marksOnTheWrongCertificatesAreRefused() throws {
    let rules = try rules {
      swap(&$0.leaf.extensions, &$0.intermediate.extensions)
    }
    #expect(rules == [.leafMarker, .intermediateMarker])
  }

  @Test func anIntermediateThatIsNoAuthorityIsRefused() throws {
    #expect(try rules { $0.intermediate.isAuthority = false } == [.authority])
    #expect(try rules { $0.intermediate.isAuthority = nil } == [.authority])
  }

  @Test func aLeafThatIsAnAuthorityIsRefused() throws {
    #expect(try rules { $0.leaf.isAuthority = true } == [.authority])
  }

  @Test func aRootThatAllowsNoIntermediateIsRefused() throws {
    #expect(try rules { $0.root.pathLength = 0 } == [.authority])
    #expect(try rules { $0.root.pathLength = 1 } == [])
  }

  @Test func keysUsedForWhatTheyAreNotForAreRefused() throws {
    #expect(try rules { $0.leaf.usage = .keyEncipherment } == [.keyUsage])
    #expect(try rules { $0.intermediate.usage = .digitalSignature } == [.keyUsage])
    #expect(try rules { $0.root.usage = .digitalSignature } == [.keyUsage])
    #expect(try rules { $0.leaf.usage = nil } == [])
  }

  @Test func unknownCriticalExtensionsAreRefusedAnywhere() throws {
    let strange = CertificateExtension.marker("1.2.3.4", isCritical: true)
    #expect(try rules { $0.leaf.extensions.append(strange) } == [.criticalExtensions])
    #expect(try rules { $0.intermediate.extensions.append(strange) } == [.criticalExtensions])
    #expect(try rules { $0.root.extensions.append(strange) } == [.criticalExtensions])
    let harmless = CertificateExtension.marker("1.2.3.4")
    #expect(try rules { $0.leaf.extensions.append(harmless) } == [])
  }

  @Test func certificatesAreValidAtBothEndsAndNotASecondBeyond() throws {
    let first = TestStore.validity.lowerBound
    let last = TestStore.validity.upperBound
    #expect(try rules({ _ in }, at: first) == [])
    #expect(try rules({ _ in }, at: last) == [])
    #expect(try rules({ _ in }, at: first.addingTimeInterval(-1)) == [.validity])
    #expect(try rules({ _ in }, at: last.addingTimeInterval(1)) == [.validity])
  }

  @Test func aLeafOnAnotherCurveIsRefused() throws {
    #expect(try rules { $0.leaf.key = .p384 } == [.signatureLength, .leafKey].sorted(by: order))
  }

  private func order(_ left: Rule, _ right: Rule) -> Bool { left.rawValue < right.rawValue }

  @Test func certificatesSignedTooWeaklyAreRefused() throws {
    #expect(try rules { $0.leaf.digest = .sha1 } == [.chainAlgorithms])
    #expect(try rules { $0.intermediate.digest = .sha1 } == [.chainAlgorithms])
    #expect(try rules { $0.intermediate.key = .rsa(bits: 1024) } == [.chainAlgorithms])
    #expect(try rules { $0.intermediate.key = .rsa(bits: 2048) } == [])
  }

  @Test func aChainOfAnotherStoreIsRefusedHoweverItCallsItself() throws {
    let store = try TestStore()
    let other = try SigningChain(
      shape: .transactions(validity: TestStore.validity),
      seed: [9],
      signing: store.crypto
    )
    let writer = CompactJWSWriter(chain: other)
    let forged = try writer.sign(TestStore.transaction.object)
    #expect(
      try store.failures(forged) == [
        .trustedRoot, .pinnedThirdCertificate, .chainSignatures,
      ]
    )
    var mixed = other
    mixed.certificates[2] = store.chain.root
    let appended = try CompactJWSWriter(chain: mixed).sign(TestStore.transaction.object)
    #expect(try store.failures(appended) == [.trustedRoot, .chainSignatures])
    mixed.certificates[1] = store.chain.certificates[1]
    let grafted = try CompactJWSWriter(chain: mixed).sign(TestStore.transaction.object)
    #expect(try store.failures(grafted) == [.chainSignatures])
    mixed.certificates[0] = store.chain.certificates[0]
    let signedByAnother = try CompactJWSWriter(chain: mixed).sign(TestStore.transaction.object)
    #expect(try store.failures(signedByAnother) == [.signature])
  }

  @Test func aThirdCertificateThatIsNotTheRootIsRefusedUnlessPinningIsOff() throws {
    let store = try TestStore()
    let other = try SigningChain(
      shape: .receipts(validity: TestStore.validity),
      seed: [9],
      signing: store.crypto
    )
    var chain = store.chain
    chain.certificates[2] = other.root
    let text = try CompactJWSWriter(chain: chain).sign(TestStore.transaction.object)
    #expect(try store.failures(text) == [.pinnedThirdCertificate])
    var options = JWSVerifier.Options()
    options.pinsThirdCertificate = false
    #expect(try store.failures(text, store.verifier(options: options)) == [])
  }

  @Test func aRootIsFoundAmongSeveralOfOneName() throws {
    let store = try TestStore()
    let sibling = try SigningChain(
      shape: .transactions(validity: TestStore.validity),
      seed: [9],
      signing: store.crypto
    )
    let text = try store.sign(TestStore.transaction.object)
    for roots in [[sibling.root, store.chain.root], [store.chain.root, sibling.root]] {
      let verifier = JWSVerifier(
        anchors: try .simulated(roots),
        origin: ExpectedOrigin(apps: nil, environments: nil),
        crypto: store.crypto
      )
      #expect(try store.failures(text, verifier) == [])
    }
  }
}
