import Foundation
import IAPModel
import IAPSignatures

/// Puts an app receipt together, attribute by attribute.
///
/// - **Source:** the receipt facts, sections 6.2 and 6.3.
struct ReceiptWriter: Hashable {
  let app: AppRecord
  let environment: StoreEnvironment
  let snapshot: ReceiptSnapshot
  /// When the customer first obtained the app.
  let originalPurchaseDate: Date
  /// The version that the customer first obtained.
  let originalVersion: String
  /// What the receipt is tied to: UIKit's identifier for the vendor.
  let deviceIdentifier: UUID
  /// Where the bytes without meaning come from.
  var generator: SeededGenerator

  /// How many bytes the opaque value has.
  static let opaqueByteCount = 16

  private var isProduction: Bool { environment == .production }

  /// The content that is signed: a set of attributes.
  mutating func content(_ primitives: any VerificationPrimitives) -> [UInt8] {
    let opaque = bytes(Self.opaqueByteCount)
    let bundle = ReceiptAttribute.text(2, app.bundleID.rawValue)
    let guid = withUnsafeBytes(of: deviceIdentifier.uuid) { Array($0) }
    var attributes = [
      ReceiptAttribute.text(0, environmentText),
      .integer(1, isProduction ? app.appAppleID.rawValue : 0),
      bundle,
      .text(3, app.build),
      ReceiptAttribute(type: 4, value: opaque, version: 2),
      ReceiptAttribute(type: 5, value: primitives.digest(.sha1, guid + opaque + bundle.value)),
      ReceiptAttribute(type: 6, value: bytes(64)),
      ReceiptAttribute(type: 7, value: bytes(72)),
      .date(8, isProduction ? snapshot.creationDate : nil),
      .integer(9, isProduction ? 1 : 0),
      .ascii(10, "4+"),
      .integer(11, 0),
      .date(12, snapshot.creationDate),
      .integer(13, 0),
      .integer(14, 0),
      .integer(15, 0),
      .integer(16, 0),
      .date(18, originalPurchaseDate),
      .text(19, originalVersion),
      .text(20, ""),
      .date(21, nil),
      .integer(25, 3),
    ]
    attributes += snapshot.purchases.map { purchase in
      ReceiptAttribute(type: 17, value: ReceiptAttribute.encodeSet(Self.attributes(of: purchase)))
    }
    return ReceiptAttribute.encodeSet(attributes)
  }

  private var environmentText: String {
    switch environment {
    case .production: "Production"
    case .sandbox: "ProductionSandbox"
    default: environment.rawValue
    }
  }

  private static func attributes(of purchase: StoreTransactionRecord) -> [ReceiptAttribute] {
    let offer = purchase.offer
    let isIntroductory = offer?.type == .introductory
    let isTrial = isIntroductory && offer?.discountType == .freeTrial
    var attributes: [ReceiptAttribute] = [
      .integer(1701, Int64(purchase.quantity)),
      .text(1702, purchase.productID.rawValue),
      .text(1703, purchase.transactionID.rawValue),
      .date(1704, purchase.purchaseDate),
      .text(1705, purchase.originalTransactionID.rawValue),
      .date(1706, purchase.originalPurchaseDate),
      .integer(1707, kind(of: purchase.type)),
      .date(1708, purchase.expiresDate),
      .integer(1710, 0),
      .integer(1711, purchase.webOrderLineItemID.flatMap { Int64($0.rawValue) } ?? 0),
      .date(1712, purchase.revocationDate),
      .integer(1713, isTrial ? 1 : 0),
      .integer(1719, isIntroductory && !isTrial ? 1 : 0),
      .integer(1722, 0),
    ]
    attributes += ([1709] + (1714...1718)).map { ReceiptAttribute.text($0, "") }
    if let id = offer?.id, offer?.type == .promotional {
      attributes.append(.text(1721, id.rawValue))
    }
    return attributes
  }

  /// The undocumented number of a product's kind.
  private static func kind(of type: ProductType) -> Int64 {
    switch type {
    case .nonConsumable: 0
    case .consumable: 1
    case .nonRenewable: 2
    default: 3
    }
  }

  private mutating func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next() >> 32) }
  }
}
