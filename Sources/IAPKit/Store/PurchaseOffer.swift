public import Foundation

/// An offer that a purchase shall use.
///
/// Only the app's server may hold the key that signs promotional offers.
public enum PurchaseOffer: Hashable, Sendable {
  /// A promotional offer that the ``OfferSigner`` signs when the purchase begins; on both
  /// generations of StoreKit.
  case promotional(id: String)
  /// A promotional offer with the older signature, for this account token and product; on both
  /// generations.
  case signed(id: String, OfferSignature)
  /// A promotional offer with the newer signature, a JWS; nil lets the ``OfferSigner`` make it.
  /// StoreKit 2.
  case promotionalJWS(id: String, jws: String?)
  /// An offer for a lapsed subscriber. StoreKit 2 on iOS 18, macOS 15, tvOS 18, watchOS 11 and
  /// visionOS 2.
  case winBack(id: String)
}

/// What an app's server says about a customer's introductory offer, in place of Apple's own rule.
public enum IntroductoryEligibility: Hashable, Sendable {
  /// The server's signed word.
  case jws(String)
  /// Lets the ``OfferSigner`` sign it; Apple wants any transaction id of the customer in it.
  case signed(isAllowed: Bool, transactionId: String?)
}

/// A value of an option that is not known here.
public enum CustomOption: Hashable, Sendable {
  /// A text.
  case string(String)
  /// A number.
  case number(Double)
  /// Yes or no.
  case bool(Bool)
  /// Bytes.
  case data(Data)
}

/// What the payment sheet gets beside the order.
package struct SheetOptions: Hashable, Sendable {
  package var simulatesAskToBuy = false
  /// Signed, where it has to be.
  package var offer: PurchaseOffer?
  package var introductoryEligibilityJWS: String?
  package var custom: [String: CustomOption] = [:]
  package var anchor: StoreAnchor?
  /// Whether the purchase began in the App Store.
  package var isPromoted = false

  package init() {}

  /// Why StoreKit 1 opens no sheet with these options; nil when it does.
  package var objectionOfStoreKit1: IAPError? {
    switch offer {
    case .promotionalJWS: return .unsupported(reason: "StoreKit 1 takes no offer with a JWS")
    case .winBack: return .unsupported(reason: "StoreKit 1 has no win-back offers")
    case .promotional, .signed, nil: break
    }
    if introductoryEligibilityJWS != nil {
      return .unsupported(reason: "StoreKit 1 decides on introductory offers itself")
    }
    return custom.isEmpty ? nil : .unsupported(reason: "StoreKit 1 has no other options")
  }
}

/// Makes a sheet's options when its order is written.
package typealias SheetPreparation = @Sendable (Order) async throws(IAPError) -> SheetOptions

extension PurchaseOptions {
  /// What the sheet would get, before anything is signed.
  var unsigned: SheetOptions {
    var sheet = SheetOptions()
    sheet.simulatesAskToBuy = simulatesAskToBuy
    sheet.offer = offer
    if case .jws(let jws) = introductoryEligibility { sheet.introductoryEligibilityJWS = jws }
    if case .signed = introductoryEligibility { sheet.introductoryEligibilityJWS = "" }
    sheet.custom = custom
    sheet.anchor = anchor
    sheet.isPromoted = origin == .promoted
    return sheet
  }

  /// What the sheet gets.
  ///
  /// A signature covers the token that travels, so that it can be made only when the order is
  /// there.
  func signed(
    for order: Order,
    by signer: (any OfferSigner)?
  ) async throws(IAPError) -> SheetOptions {
    var sheet = unsigned
    var request = OfferSignatureRequest(
      format: .promotional,
      productId: order.productId.rawValue,
      accountToken: order.accountToken.rawValue
    )
    switch offer {
    case .promotional(let id):
      request.offerId = id
      sheet.offer = .signed(id: id, try await request.signature(by: signer))
    case .promotionalJWS(let id, nil):
      request.format = .promotionalJWS
      request.offerId = id
      sheet.offer = .promotionalJWS(id: id, jws: try await request.jws(by: signer))
    case .signed, .promotionalJWS, .winBack, nil: break
    }
    if case .signed(let isAllowed, let transactionId) = introductoryEligibility {
      request.format = .introductoryEligibilityJWS
      request.offerId = nil
      request.transactionId = transactionId
      request.allowsIntroductoryOffer = isAllowed
      sheet.introductoryEligibilityJWS = try await request.jws(by: signer)
    }
    return sheet
  }
}

extension PurchaseOptions: CustomStringConvertible {
  /// The quantity alone: tokens, signatures and the app's own texts are not for the log.
  public var description: String { "PurchaseOptions(quantity: \(quantity))" }
}

extension PurchaseOffer: CustomStringConvertible {
  /// The offer's id, without its signature.
  public var description: String {
    switch self {
    case .promotional(let id): "promotional(\(id))"
    case .signed(let id, _): "signed(\(id))"
    case .promotionalJWS(let id, _): "promotionalJWS(\(id))"
    case .winBack(let id): "winBack(\(id))"
    }
  }
}
