public import Foundation
import IAPEntitlements
public import IAPModel

/// The latest about one transaction, kept beside the facts so that it can be searched.
///
/// It is a projection: it can be computed again from the facts at any time.
public struct TransactionRow: Hashable, Sendable {
  /// The transaction.
  public let transactionID: TransactionID
  /// The product.
  public let productID: ProductID
  /// The product's type.
  public let type: ProductType?
  /// When it was bought.
  public let purchaseDate: Date
  /// When the period ends.
  public let expiresDate: Date?
  /// When it was taken back.
  public let revocationDate: Date?
  /// Whether its goods are taken back at present.
  public let isRevoked: Bool
  /// The unit.
  public let unit: UnitID?

  /// Makes a row.
  ///
  /// - Parameters:
  ///   - transactionID: The transaction.
  ///   - productID: The product.
  ///   - type: The product's type.
  ///   - purchaseDate: When it was bought.
  ///   - expiresDate: When the period ends.
  ///   - revocationDate: When it was taken back.
  ///   - isRevoked: Whether its goods are taken back at present.
  ///   - unit: The unit.
  public init(
    transactionID: TransactionID,
    productID: ProductID,
    type: ProductType?,
    purchaseDate: Date,
    expiresDate: Date?,
    revocationDate: Date?,
    isRevoked: Bool,
    unit: UnitID?
  ) {
    self.transactionID = transactionID
    self.productID = productID
    self.type = type
    self.purchaseDate = purchaseDate
    self.expiresDate = expiresDate
    self.revocationDate = revocationDate
    self.isRevoked = isRevoked
    self.unit = unit
  }

  /// The row of a folded transaction.
  init(_ state: TransactionState) {
    self.init(
      transactionID: state.id,
      productID: state.payload.productID,
      type: state.payload.type,
      purchaseDate: state.payload.purchaseDate,
      expiresDate: state.payload.expiresDate,
      revocationDate: state.payload.revocationDate,
      isRevoked: state.isRevoked,
      unit: state.unit
    )
  }
}
