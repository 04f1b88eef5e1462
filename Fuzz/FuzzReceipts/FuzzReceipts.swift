import AppStoreSimulator
import FuzzSupport
import IAPModel
import IAPSignatures
import OpenSSLCrypto

// DER: receipts in PKCS#7, and certificates.

private let seeds = made { try FuzzSeeds() }
private let store = made { try seeds.store() }
private let receipt = made { try store.receipt(on: "phone") } ?? []
private let root = made { try store.receiptRootCertificate() }
private let verifier = ReceiptVerifier(
  anchors: made { try TrustAnchors.simulated([root]) },
  origin: ExpectedOrigin(
    apps: [.init(bundleID: DemoCatalog.bundleID, appAppleID: nil)],
    environments: [.sandbox]
  ),
  crypto: seeds.crypto,
  cache: BoundedChainCache()
)
private let payload = made { try verifier.verify(receipt).accepted?.payload }

/// Writes the first inputs.
@_cdecl("LLVMFuzzerInitialize")
public func initialize(_ count: UnsafeMutableRawPointer?, _ list: UnsafeMutableRawPointer?) -> CInt
{
  FuzzSeeds.write([receipt, root, seeds.chain.root, Base64.encodedBytes(receipt, .standard)])
  return 0
}

/// Looks at one input.
@_cdecl("LLVMFuzzerTestOneInput")
public func test(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = fuzzBytes(start, count)
  if let verdict = try? verifier.verify(bytes), let accepted = verdict.accepted {
    precondition(accepted.payload == payload, "a receipt that nobody signed")
  }
  _ = ReceiptPayload(unverified: bytes)
  if let certificate = try? Certificate(der: bytes) {
    precondition(certificate.der == bytes, "a certificate that is not its bytes")
  }
  return 0
}
