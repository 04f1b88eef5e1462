/// A rule about a receipt's container, content and signature.
protocol ReceiptPolicy: Sendable {
  /// The rule's name.
  var rule: Rule { get }

  /// Says whether the receipt follows the rule.
  func judge(_ evidence: ReceiptEvidence) -> Judgement
}

/// The rules about a receipt, in the order in which failures are listed.
enum ReceiptPolicies {
  /// What is judged before the chain.
  static let beforeChain: [any ReceiptPolicy] = [
    ContainerPolicy(), ReceiptContentPolicy(), RepeatedAttributesPolicy(), SignersPolicy(),
    DigestPolicy(), SignerCertificatePolicy(),
  ]

  /// What is judged behind the chain.
  static let afterChain: [any ReceiptPolicy] = [
    SignedAttributesPolicy(), ReceiptSignaturePolicy(), DeviceHashPolicy(),
  ]
}
