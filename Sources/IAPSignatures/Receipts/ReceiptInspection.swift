package import Foundation

/// Everything that stands in a receipt, as it stands there: for showing to people.
///
/// Nothing is verified and nothing is left out, numbers that are not documented among them.
/// ``ReceiptVerifier`` says whether it is genuine.
package struct ReceiptInspection: Sendable {
  /// One attribute and what its value is.
  package struct Attribute: Hashable, Sendable {
    /// The number that says what it is.
    package let number: Int
    /// The version of its form.
    package let version: Int
    /// What it says.
    package let value: Value
  }

  /// What an attribute says.
  package enum Value: Hashable, Sendable {
    /// A text; dates are texts too.
    case text(String)
    /// A number.
    case number(Int64)
    /// Bytes that mean nothing by themselves.
    case bytes([UInt8])
    /// The attributes of one purchase.
    case purchase([Attribute])
  }

  /// How many bytes the container has.
  package let byteCount: Int
  /// The digest that is signed, nil when it is not known here or there is not one signer.
  package let digest: DigestAlgorithm?
  /// How many certificates came along.
  package let certificateCount: Int
  /// When the signer's certificate is valid; nil when it is not there.
  package let signerValidity: ClosedRange<Date>?
  /// The attributes, ordered by number; purchases in their own order.
  package let attributes: [Attribute]

  /// The numbers of attributes whose bytes mean nothing by themselves.
  private static let opaque: Set<Int> = [4, 5, 6, 7]
  /// The number of an attribute that is a purchase.
  package static let purchaseNumber = 17

  /// Takes a receipt apart.
  ///
  /// - Parameter receipt: The container's bytes.
  /// - Throws: ``CryptoError`` when it cannot be read.
  package init(_ receipt: [UInt8]) throws(CryptoError) {
    let container = try PKCS7Container(receipt, limits: .receipt)
    guard let content = container.content else {
      throw CryptoError(code: "malformedContainer", reason: "there is no content inside")
    }
    byteCount = receipt.count
    certificateCount = container.certificates.count
    let signer = container.signers.count == 1 ? container.signers.first : nil
    digest = signer?.digest
    signerValidity = container.certificates.lazy
      .compactMap { try? Certificate(der: $0) }
      .first { $0.issuer == signer?.issuer && $0.serialNumber == signer?.serialNumber }
      .flatMap { $0.notBefore <= $0.notAfter ? $0.notBefore...$0.notAfter : nil }
    let reader = ReceiptReader(limits: .receipt)
    var found: [Attribute] = []
    let raw = try reader.attributes(
      reader.unwrapped(content),
      countMax: ReceiptReader.itemCountMax
    )
    for attribute in raw { found.append(try Self.read(attribute, reader, isInside: false)) }
    // The encoding orders them by their bytes, which means nothing to people.
    attributes = found.enumerated()
      .sorted { ($0.element.number, $0.offset) < ($1.element.number, $1.offset) }
      .map(\.element)
  }

  private static func read(
    _ attribute: ReceiptAttribute,
    _ reader: ReceiptReader,
    isInside: Bool
  ) throws(CryptoError) -> Attribute {
    let value: Value
    if attribute.type == purchaseNumber, !isInside {
      var members: [Attribute] = []
      let raw = try reader.attributes(
        attribute.value,
        countMax: ReceiptReader.attributeCountMax
      )
      for member in raw { members.append(try read(member, reader, isInside: true)) }
      value = .purchase(members.sorted { $0.number < $1.number })
    } else if !isInside, opaque.contains(attribute.type) {
      value = .bytes(attribute.value)
    } else if let text = try? reader.text(attribute.value) {
      value = .text(text)
    } else if let number = try? reader.integer(attribute.value) {
      value = .number(number)
    } else {
      value = .bytes(attribute.value)
    }
    return Attribute(number: attribute.type, version: attribute.version, value: value)
  }
}
