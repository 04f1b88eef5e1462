import Foundation
import IAPModel

/// What the proof of an offer allows a purchase.
enum OfferProofVerdict: Hashable, Sendable {
  /// Nothing had to be checked.
  case notNeeded
  /// Signed rightly.
  case valid(nonce: UUID)
  /// The server's word on the introductory offer.
  case introductory(isAllowed: Bool, nonce: UUID)
  /// Refused; the nonce is spent when one could be read.
  case refused(StoreFailure, nonce: UUID?)
}

extension OfferProofVerdict {
  /// Who buys, and where.
  struct Customer {
    let bundleID: BundleID
    /// The identifiers that belong to the customer: transactions, and the app transaction.
    let isOwn: (TransactionID) -> Bool
  }

  /// Looks whether what was signed is what is bought, by whom it was signed for.
  ///
  /// - Parameters:
  ///   - request: What is bought.
  ///   - customer: Who buys.
  ///   - isLenient: Whether promotional offers are sold unchecked.
  ///   - checker: Checks signatures.
  init(
    _ request: PurchaseRequest,
    by customer: Customer,
    isLenient: Bool,
    _ checker: OfferProofChecker
  ) {
    let outcome: OfferProofChecker.Outcome
    let offerID: OfferID?
    switch request.offerUse {
    case nil, .code, .winBack:
      self = .notNeeded
      return
    case .promotional where isLenient:
      self = .notNeeded
      return
    case .promotional(_, nil):
      self = .refused(.missingOfferParameters, nonce: nil)
      return
    case .promotional(let offer, .signature(let signature)?):
      offerID = offer
      outcome = checker.check(
        OfferSignatureParts(
          bundleID: customer.bundleID,
          productID: request.productID,
          offerID: offer,
          applicationUsername: request.token?.description ?? request.applicationUsername ?? "",
          signature: signature
        )
      )
    case .promotional(let offer, .jws(let text)?):
      offerID = offer
      outcome = checker.check(jws: text)
    case .introductory(let text):
      offerID = nil
      outcome = checker.check(jws: text)
    }
    guard case .genuine(let signed) = outcome.verdict, signed.bundleID == customer.bundleID,
      signed.productID == request.productID, signed.offerID == offerID,
      signed.transactionID.map(customer.isOwn) ?? true
    else {
      self = .refused(.invalidOfferSignature, nonce: outcome.nonce)
      return
    }
    if let isAllowed = signed.allowsIntroductoryOffer {
      self = .introductory(isAllowed: isAllowed, nonce: signed.nonce)
    } else {
      self = .valid(nonce: signed.nonce)
    }
  }
}
