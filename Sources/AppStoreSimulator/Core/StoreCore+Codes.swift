import Foundation
import IAPModel

// Codes for offers that the developer gives out.
extension StoreCore {
  /// The most codes of an app.
  static let codeCountMax = 20_000
  /// The most codes that are made at once.
  static let codeBatchMax = 1_000
  /// The longest word, in characters.
  static let codeLengthMax = 64

  /// The code that a purchase redeems, when it was given out; words of the catalog are none.
  func code(of request: PurchaseRequest, in app: AppRecord) -> OfferCodeRecord? {
    guard case .code(let code)? = request.offerUse else { return nil }
    return state.code(code, in: app.bundleID)
  }

  mutating func redeemCode(of request: PurchaseRequest, at now: Date) {
    guard let device = state.device(request.device), let app = state.app(device.bundleID),
      let code = code(of: request, in: app)
    else { return }
    append(.codeRedeemed(app.bundleID, code.code, device.account), at: now)
  }

  func apply(_ code: OfferCodeRecord, _ offer: OfferReference, to sale: inout Sale) {
    sale.priceMilliunits = code.priceMilliunits ?? sale.priceMilliunits
    sale.offer = AppliedOffer(
      type: offer.type,
      id: offer.id,
      discountType: .oneTime,
      period: nil
    )
  }

  /// Makes one word for many customers.
  mutating func addCode(
    _ code: OfferCode,
    _ terms: OfferCodeTerms,
    redemptionCountMax: Int?,
    in bundleID: BundleID,
    at now: Date
  ) throws(SimulatorError) {
    try check(terms, count: 1, in: bundleID, at: now)
    guard (1...Self.codeLengthMax).contains(code.rawValue.count) else {
      throw SimulatorError(.notAllowed, "a code has 1 to \(Self.codeLengthMax) characters")
    }
    guard state.code(code, in: bundleID) == nil else {
      throw SimulatorError(.duplicate, "\(bundleID) has the code already")
    }
    guard redemptionCountMax.map({ $0 > 0 }) ?? true else {
      throw SimulatorError(.notAllowed, "a code is redeemed at least once")
    }
    append(.codesMade([record(code, terms, redemptionCountMax, bundleID)]), at: now)
  }

  /// Makes codes that work once each.
  mutating func makeCodes(
    _ count: Int,
    _ terms: OfferCodeTerms,
    in bundleID: BundleID,
    at now: Date
  ) throws(SimulatorError) -> [OfferCodeRecord] {
    guard (1...Self.codeBatchMax).contains(count) else {
      throw SimulatorError(.notAllowed, "1 to \(Self.codeBatchMax) codes are made at once")
    }
    try check(terms, count: count, in: bundleID, at: now)
    let known = state.codes.count
    let made = (0..<count).map { place in
      record(
        OfferCode(identifiers.offerCode(known + place, bundleID)),
        terms,
        1,
        bundleID
      )
    }
    append(.codesMade(made), at: now)
    return made
  }

  private func record(
    _ code: OfferCode,
    _ terms: OfferCodeTerms,
    _ redemptionCountMax: Int?,
    _ bundleID: BundleID
  ) -> OfferCodeRecord {
    OfferCodeRecord(
      code: code,
      bundleID: bundleID,
      productID: terms.productID,
      offerName: terms.offerName,
      priceMilliunits: terms.priceMilliunits,
      redemptionCountMax: redemptionCountMax,
      endDate: terms.endDate
    )
  }

  private func check(
    _ terms: OfferCodeTerms,
    count: Int,
    in bundleID: BundleID,
    at now: Date
  ) throws(SimulatorError) {
    guard let product = try app(bundleID).catalog[terms.productID] else {
      throw SimulatorError(.unknownProduct, "\(bundleID) has no \"\(terms.productID)\"")
    }
    if let plan = product.subscription {
      guard terms.priceMilliunits == nil else {
        throw SimulatorError(.notAllowed, "the catalog says what a subscription's offer costs")
      }
      guard plan.codeOffers.contains(where: { $0.referenceName == terms.offerName }) else {
        throw SimulatorError(.notAllowed, "\(product.id) has no offer \"\(terms.offerName)\"")
      }
    } else {
      guard let price = terms.priceMilliunits, (0..<product.priceMilliunits).contains(price) else {
        throw SimulatorError(.notAllowed, "a code of \(product.id) has a lower price")
      }
      guard !terms.offerName.isEmpty else {
        throw SimulatorError(.notAllowed, "the offer of a code has a name")
      }
    }
    if let end = terms.endDate, end <= now {
      throw SimulatorError(.notAllowed, "a code ends after it was made")
    }
    let known = state.codes.reduce(0) { $0 + ($1.bundleID == bundleID ? 1 : 0) }
    guard known + count <= Self.codeCountMax else {
      throw SimulatorError(.notAllowed, "an app has \(Self.codeCountMax) codes at most")
    }
  }
}

extension IdentifierSource {
  /// A code that works once: eighteen letters and digits, as App Store Connect makes them.
  func offerCode(_ number: Int, _ app: BundleID) -> String {
    var generator = derived(["offer-code", app.rawValue, String(number)])
    let signs = Array("23456789ABCDEFGHJKLMNPQRSTUVWXYZ")
    return String((0..<18).map { _ in signs[Int.random(in: 0..<signs.count, using: &generator)] })
  }
}
