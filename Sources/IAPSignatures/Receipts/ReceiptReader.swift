import Foundation
import IAPModel

/// Reads the content of a receipt: a set of numbered attributes.
struct ReceiptReader {
  /// What reading found besides the payload.
  struct Reading: Sendable {
    var payload = ReceiptPayload()
    /// The numbers of attributes that stand twice though they may stand once.
    var repeated: [Int] = []
  }

  let limits: DERLimits

  /// How many purchases are read.
  static let itemCountMax = 20_000
  /// How many attributes one set may have, purchases aside.
  static let attributeCountMax = 256

  static func malformed(_ reason: String) -> CryptoError {
    CryptoError(code: "malformedReceipt", reason: reason)
  }

  /// Reads the content of a container.
  func read(_ content: [UInt8]) throws(CryptoError) -> Reading {
    var reading = Reading()
    var seen: Set<Int> = []
    for attribute in try attributes(unwrapped(content), countMax: Self.itemCountMax) {
      if attribute.type == Number.item {
        reading.payload.items.append(try item(attribute.value, &reading.repeated))
        continue
      }
      guard seen.count < Self.attributeCountMax else {
        throw Self.malformed("more than \(Self.attributeCountMax) attributes")
      }
      if !seen.insert(attribute.type).inserted { reading.repeated.append(attribute.type) }
      try apply(attribute, to: &reading.payload)
    }
    return reading
  }

  /// Old receipts wrap their content in a second OCTET STRING.
  func unwrapped(_ content: [UInt8]) throws(CryptoError) -> [UInt8] {
    guard content.first == 0x04 || content.first == 0x24 else { return content }
    var reader = try DERReader(content, rules: .basic, limits: limits)
    let node = try reader.read()
    try reader.finish()
    return try PKCS7Container.octets(node, in: reader)
  }

  func attributes(
    _ bytes: [UInt8],
    countMax: Int
  ) throws(CryptoError) -> [ReceiptAttribute] {
    var text = try DERReader(bytes, rules: .basic, limits: limits)
    let set = try text.read(0x31)
    try text.finish()
    var list = try text.inside(set)
    var result: [ReceiptAttribute] = []
    while !list.isAtEnd {
      guard result.count < countMax else {
        throw Self.malformed("more than \(countMax) attributes")
      }
      var members = try list.inside(try list.read(0x30))
      let type = members.integer(try members.read(0x02)).flatMap { Int(exactly: $0) }
      let version = members.integer(try members.read(0x02)).flatMap { Int(exactly: $0) }
      let value = try PKCS7Container.octets(members.read(), in: members)
      try members.finish()
      guard let type, let version else {
        throw Self.malformed("an attribute's number is too large")
      }
      result.append(ReceiptAttribute(type: type, value: value, version: version))
    }
    return result
  }

  private enum Number {
    static let receiptType = 0
    static let appAppleID = 1
    static let bundleID = 2
    static let applicationVersion = 3
    static let opaqueValue = 4
    static let deviceHash = 5
    static let ageRating = 10
    static let creationDate = 12
    static let downloadID = 15
    static let versionExternalIdentifier = 16
    static let item = 17
    static let originalPurchaseDate = 18
    static let originalApplicationVersion = 19
    static let expirationDate = 21
  }

  private func apply(
    _ attribute: ReceiptAttribute,
    to payload: inout ReceiptPayload
  ) throws(CryptoError) {
    let value = attribute.value
    switch attribute.type {
    case Number.receiptType: payload.receiptType = ReceiptType(rawValue: try text(value))
    case Number.appAppleID: payload.appAppleID = try nonZero(value).map { AppAppleID($0) }
    case Number.bundleID:
      payload.bundleID = BundleID(try text(value))
      payload.bundleIDElement = value
    case Number.applicationVersion: payload.applicationVersion = try text(value)
    case Number.opaqueValue: payload.opaqueValue = value
    case Number.deviceHash: payload.deviceHash = value
    case Number.ageRating: payload.ageRating = try text(value)
    case Number.creationDate: payload.creationDate = try date(value)
    case Number.downloadID: payload.downloadID = try nonZero(value)
    case Number.versionExternalIdentifier:
      payload.versionExternalIdentifier = try nonZero(value)
    case Number.originalPurchaseDate: payload.originalPurchaseDate = try date(value)
    case Number.originalApplicationVersion:
      payload.originalApplicationVersion = try text(value)
    case Number.expirationDate: payload.expirationDate = try date(value)
    default: payload.otherAttributes.append(attribute)
    }
  }

  private enum ItemNumber {
    static let quantity = 1701
    static let productID = 1702
    static let transactionID = 1703
    static let purchaseDate = 1704
    static let originalTransactionID = 1705
    static let originalPurchaseDate = 1706
    static let kind = 1707
    static let expiresDate = 1708
    static let itemID = 1710
    static let webOrderLineItemID = 1711
    static let cancellationDate = 1712
    static let isTrialPeriod = 1713
    static let isInIntroOfferPeriod = 1719
    static let promotionalOfferID = 1721
  }

  private func item(
    _ bytes: [UInt8],
    _ repeated: inout [Int]
  ) throws(CryptoError) -> ReceiptItem {
    let attributes = try attributes(bytes, countMax: Self.attributeCountMax)
    // Sets are small: a scan is faster than hashing, and their size is bounded.
    for (index, attribute) in attributes.enumerated()
    where attributes[..<index].contains(where: { $0.type == attribute.type }) {
      repeated.append(attribute.type)
    }
    func value(_ number: Int) -> [UInt8]? { attributes.first { $0.type == number }?.value }
    guard let product = value(ItemNumber.productID),
      let transaction = value(ItemNumber.transactionID)
    else { throw Self.malformed("a purchase without product or transaction") }
    var item = ReceiptItem(
      productID: ProductID(try text(product)),
      transactionID: TransactionID(try text(transaction))
    )
    for attribute in attributes { try apply(attribute, to: &item) }
    return item
  }

  private func apply(
    _ attribute: ReceiptAttribute,
    to item: inout ReceiptItem
  ) throws(CryptoError) {
    let value = attribute.value
    switch attribute.type {
    case ItemNumber.productID, ItemNumber.transactionID: break
    case ItemNumber.quantity: item.quantity = Int(exactly: try integer(value))
    case ItemNumber.purchaseDate: item.purchaseDate = try date(value)
    case ItemNumber.originalTransactionID:
      let id = try text(value)
      item.originalTransactionID = id.isEmpty ? nil : OriginalTransactionID(id)
    case ItemNumber.originalPurchaseDate: item.originalPurchaseDate = try date(value)
    case ItemNumber.kind: item.type = Self.productType(try integer(value))
    case ItemNumber.expiresDate: item.expiresDate = try date(value)
    case ItemNumber.itemID: item.itemID = try nonZero(value)
    case ItemNumber.webOrderLineItemID:
      item.webOrderLineItemID = try nonZero(value).map { WebOrderLineItemID(String($0)) }
    case ItemNumber.cancellationDate: item.cancellationDate = try date(value)
    case ItemNumber.isTrialPeriod: item.isTrialPeriod = try integer(value) != 0
    case ItemNumber.isInIntroOfferPeriod: item.isInIntroOfferPeriod = try integer(value) != 0
    case ItemNumber.promotionalOfferID:
      let id = try text(value)
      item.promotionalOfferID = id.isEmpty ? nil : OfferID(id)
    default: item.otherAttributes.append(attribute)
    }
  }

  private static func productType(_ number: Int64) -> ProductType? {
    switch number {
    case 0: .nonConsumable
    case 1: .consumable
    case 2: .nonRenewable
    case 3: .autoRenewable
    default: nil
    }
  }
}

/// The values inside attributes are ASN.1 elements of their own.
extension ReceiptReader {
  private func element(
    _ bytes: [UInt8]
  ) throws(CryptoError) -> (tag: UInt8, content: ArraySlice<UInt8>) {
    // Nearly all values are one short element; a receipt has thousands of them.
    if bytes.count >= 2, bytes[0] & 0x3F < 0x1F, bytes[1] < 0x80,
      bytes.count == 2 + Int(bytes[1])
    {
      return (bytes[0], bytes[2...])
    }
    var reader = try DERReader(bytes, rules: .basic, limits: limits)
    let node = try reader.read()
    try reader.finish()
    guard !node.isConstructed else { throw Self.malformed("a value with members") }
    return (node.tag, bytes[node.content])
  }

  func text(_ bytes: [UInt8]) throws(CryptoError) -> String {
    let (tag, content) = try element(bytes)
    guard tag == 0x0C || tag == 0x16 || tag == 0x13 else { throw Self.malformed("not a text") }
    let text = String(decoding: content, as: UTF8.self)
    // What was not UTF-8 was replaced, which shows in the bytes.
    guard content.allSatisfy({ $0 < 0x80 }) || text.utf8.elementsEqual(content) else {
      throw Self.malformed("a text that is not UTF-8")
    }
    return text
  }

  func integer(_ bytes: [UInt8]) throws(CryptoError) -> Int64 {
    let (tag, content) = try element(bytes)
    guard tag == 0x02 else { throw Self.malformed("not a number") }
    return try number(content)
  }

  private func number(_ content: ArraySlice<UInt8>) throws(CryptoError) -> Int64 {
    guard let first = content.first, content.count <= 8 else {
      throw Self.malformed("a number that does not fit")
    }
    return content.reduce(first >= 0x80 ? -1 : 0) { $0 << 8 | Int64($1) }
  }

  private func nonZero(_ bytes: [UInt8]) throws(CryptoError) -> Int64? {
    let value = try integer(bytes)
    return value == 0 ? nil : value
  }

  private func date(_ bytes: [UInt8]) throws(CryptoError) -> Date? {
    let text = try text(bytes)
    if text.isEmpty { return nil }
    guard let date = RFC3339.date(text) else { throw Self.malformed("not a date") }
    return date
  }
}
