import Foundation
import IAPModel
import IAPSignatures
import OpenSSLCrypto
import Testing

/// Reading certificates that nobody vouches for.
@Suite struct CertificateTests {
  @Test func whatWasWrittenIsRead() throws {
    let store = try TestStore()
    let leaf = try Certificate(der: store.chain.certificates[0])
    let root = try Certificate(der: store.chain.root)
    #expect(leaf.notBefore == TestStore.validity.lowerBound)
    #expect(leaf.notAfter == TestStore.validity.upperBound)
    #expect(leaf.isAuthority == false)
    #expect(leaf.usage == .digitalSignature)
    #expect(leaf.subjectPublicKeyInfo == store.chain.leafKey.subjectPublicKeyInfo)
    #expect(leaf.extension(.receiptSigningMarker)?.value == [5, 0])
    #expect(root.isAuthority == true)
    #expect(root.pathLength == nil)
    #expect(root.usage == [.certificateSigning, .revocationListSigning])
    #expect(root.issuer == root.subject)
  }

  @Test func noCertificateThatIsCutOffOrFollowedByMoreIsRead() throws {
    let der = try TestStore().chain.certificates[0]
    for count in 0..<der.count {
      #expect(throws: CryptoError.self) { try Certificate(der: Array(der.prefix(count))) }
    }
    #expect(throws: CryptoError.self) { try Certificate(der: der + [0]) }
  }

  @Test func anExtensionThatStandsTwiceIsRefused() throws {
    let store = try TestStore {
      $0.leaf.extensions.append(.marker(.receiptSigningMarker))
    }
    #expect(throws: CryptoError(code: "malformedCertificate", reason: "")) {
      try Certificate(der: store.chain.certificates[0])
    }
    #expect(try store.failures(store.sign(TestStore.transaction.object)).contains(.certificates))
  }

  @Test func anyOneChangedByteIsReadOrRefusedButNeverBelieved() throws {
    let store = try TestStore()
    let verifier = try store.verifier()
    var chain = store.chain
    for place in stride(from: 0, to: chain.certificates[0].count, by: 5) {
      chain.certificates = store.chain.certificates
      chain.certificates[0][place] ^= 0x10
      let text = try CompactJWSWriter(chain: chain).sign(TestStore.transaction.object)
      let verdict = try verifier.transaction(text, instant: .at(TestStore.now))
      #expect(verdict.accepted == nil, "byte \(place)")
    }
  }

  @Test func fingerprintsOfApplesRootsAreThePublishedOnes() throws {
    let crypto = try OpenSSLPrimitives()
    let starts = TrustAnchors.apple.roots.map { Array(crypto.digest(.sha256, $0.der).prefix(4)) }
    #expect(starts == [[0x63, 0x34, 0x3A, 0xBF], [0xB0, 0xB1, 0x73, 0x0E]])
  }
}
