import Foundation
import IAPModel
import IAPSignatures
import OpenSSLCrypto
import Testing

/// What keeping chains may and may not change.
@Suite struct ChainCacheTests {
  @Test func aKeptChainGivesTheSameVerdicts() throws {
    let store = try TestStore()
    let cache = BoundedChainCache()
    let verifier = try store.verifier(cache: cache)
    let text = try store.sign(TestStore.transaction.object)
    #expect(try store.failures(text, verifier) == [])
    #expect(cache.count == 1)
    #expect(try store.failures(text, verifier) == [])
    #expect(cache.count == 1)
  }

  @Test func validityIsJudgedEachTime() throws {
    let store = try TestStore()
    let verifier = try store.verifier(cache: BoundedChainCache())
    let text = try store.sign(TestStore.transaction.object)
    let late = TestStore.validity.upperBound.addingTimeInterval(1)
    #expect(try store.failures(text, verifier) == [])
    #expect(try store.failures(text, verifier, at: late) == [.validity])
    #expect(try store.failures(text, verifier) == [])
  }

  @Test func aChainKeptForOneRootIsNotTakenForAnother() throws {
    let store = try TestStore()
    let other = try SigningChain(
      shape: .transactions(validity: TestStore.validity),
      seed: [9],
      signing: store.crypto
    )
    let cache = BoundedChainCache()
    let text = try store.sign(TestStore.transaction.object)
    #expect(try store.failures(text, store.verifier(cache: cache)) == [])
    let foreign = try store.verifier(cache: cache, root: other.root)
    #expect(
      try store.failures(text, foreign) == [
        .trustedRoot, .pinnedThirdCertificate, .chainSignatures,
      ]
    )
  }

  @Test func chainsThatAreNotSoundAreNotKept() throws {
    let store = try TestStore()
    let other = try SigningChain(
      shape: .transactions(validity: TestStore.validity),
      seed: [9],
      signing: store.crypto
    )
    let cache = BoundedChainCache()
    let forged = try CompactJWSWriter(chain: other).sign(TestStore.transaction.object)
    _ = try store.failures(forged, store.verifier(cache: cache))
    #expect(cache.count == 0)
  }

  @Test func headersMadeUpAroundOneChainTakeOnePlace() throws {
    let store = try TestStore()
    let cache = BoundedChainCache()
    let verifier = try store.verifier(cache: cache)
    for number in 0..<5 {
      let writer = CompactJWSWriter(
        chain: store.chain,
        otherMembers: [JSONMember("kid", .string("\(number)"))]
      )
      let text = try writer.sign(TestStore.transaction.object)
      #expect(try store.failures(text, verifier) == [])
      #expect(cache.count == 1)
    }
    let plain = try store.sign(TestStore.transaction.object)
    #expect(try store.failures(plain, verifier) == [])
    #expect(cache.count == 2, "the plain header is known by its text")
  }

  /// A known header lends nothing to a text that was changed behind it.
  @Test func changedTextBehindAKnownHeaderIsRefused() throws {
    let store = try TestStore()
    let verifier = try store.verifier(cache: BoundedChainCache())
    let text = try store.sign(TestStore.transaction.object)
    #expect(try store.failures(text, verifier) == [])
    var payload = TestStore.transaction
    payload.quantity = 7
    let parts = text.split(separator: ".")
    let other = Base64.encode(payload.object.serialized, .url)
    #expect(try store.failures("\(parts[0]).\(other).\(parts[2])", verifier) == [.signature])
    #expect(try store.failures("\(parts[0])\(parts[1])", verifier).contains(.format))
    #expect(try store.failures(text, verifier) == [])
  }

  @Test func noMoreChainsAreKeptThanTheLimitSays() throws {
    let cache = BoundedChainCache(limit: 2)
    let stores = try (0..<3).map { number in
      try TestStore { $0.leaf.name = CertificateName(commonName: "leaf \(number)") }
    }
    for store in stores {
      let text = try store.sign(TestStore.transaction.object)
      #expect(try store.failures(text, store.verifier(cache: cache)) == [])
    }
    #expect(cache.count == 2)
    #expect(BoundedChainCache.chainCountMax == 32)
  }
}
