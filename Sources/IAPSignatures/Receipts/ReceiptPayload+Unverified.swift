extension ReceiptPayload {
  /// Reads a receipt without looking at its signature; nil when it cannot be read.
  ///
  /// For what needs no proof, or has it from elsewhere; ``ReceiptVerifier`` is for the rest.
  ///
  /// - Parameter receipt: The container's bytes.
  public init?(unverified receipt: [UInt8]) {
    guard let content = try? PKCS7Container(receipt, limits: .receipt).content,
      let reading = try? ReceiptReader(limits: .receipt).read(content)
    else { return nil }
    self = reading.payload
  }
}
