import AppStoreSimulator
import Foundation
import IAPModel
import IAPSignatures
import OpenSSLCrypto
import SimulatedDevice
import StoreKit

/// A world whose subscriptions have every kind of offer, and a developer who signs for them.
struct OfferWorld: Sendable {
  static let silver = "silver.monthly"
  static let silverYear = "silver.yearly"
  static let gold = "gold.monthly"
  static let book = "book"
  static let coins = "coins"
  static let group = "plans"
  static let key = "OFFERKEY01"

  let world: DeviceWorld
  private let key: any SigningKey

  var store: SimulatedAppStore { world.store }

  init(_ change: (inout StoreOptions) -> Void = { _ in }) throws {
    world = try DeviceWorld(catalog: try Self.catalog(), change)
    key = try OpenSSLPrimitives().makeSigningKey(.p256, seed: Array("offers".utf8))
    try world.store.addOfferKey(DeveloperKeyID(Self.key), publicKey: key.subjectPublicKeyInfo)
  }

  /// Subscribes once and lets it end: who did that may have promotional and win-back offers.
  func lapse(on device: SimulatedDevice) throws {
    let first = try device.store.purchase(
      PurchaseRequest(device: device.id, productID: ProductID(Self.silver))
    )
    guard case .purchased(let record) = first else { throw NotBought() }
    try store.finish(record.transactionID, on: device.id)
    try store.setAutoRenew(false, of: record.originalTransactionID)
    world.advance(days: 40)
  }

  /// What the developer's server answers for a promotional offer in the older form.
  func signature(
    of offer: String,
    for product: String = Self.silver,
    user: String = "",
    nonce: UUID = UUID(),
    age: TimeInterval = 0
  ) throws -> Product.SubscriptionOffer.Signature {
    let timestamp = store.now.addingTimeInterval(-age).milliseconds
    let fields = [
      DemoCatalog.bundleID.rawValue, Self.key, product, offer, user,
      nonce.uuidString.lowercased(), String(timestamp),
    ]
    let signature = try key.sign(
      Array(fields.joined(separator: "\u{2063}").utf8),
      digest: .sha256,
      form: .der
    )
    return Product.SubscriptionOffer.Signature(
      keyID: Self.key,
      nonce: nonce,
      timestamp: Int(timestamp),
      signature: Data(signature)
    )
  }

  /// What the developer's server answers for an offer in the form of a compact JWS.
  func jws(
    audience: String,
    product: String = Self.silver,
    _ own: [JSONMember]
  ) throws -> String {
    let writer = CompactJWSWriter(
      header: ["alg": "ES256", "kid": .string(Self.key), "typ": "JWT"],
      key: key
    )
    let claims: [JSONMember] = [
      JSONMember("iss", "issuer"),
      JSONMember("iat", .integer(Int64(store.now.timeIntervalSince1970))),
      JSONMember("aud", .string(audience)),
      JSONMember("bid", .string(DemoCatalog.bundleID.rawValue)),
      JSONMember("nonce", .string(UUID().uuidString.lowercased())),
      JSONMember("productId", .string(product)),
    ]
    return try writer.sign(JSONObject(claims + own))
  }

  private static func catalog() throws -> StoreCatalog {
    let offers = """
      "introductoryOffer":{"paymentMode":"free","subscriptionPeriod":"P1W"},
      "adHocOffers":[{"offerID":"half","paymentMode":"payAsYouGo","subscriptionPeriod":"P1M",
      "numberOfPeriods":2,"displayPrice":"2.5"}],
      "codeOffers":[
      {"referenceName":"NEW","paymentMode":"free","subscriptionPeriod":"P1M","eligibility":["new"]},
      {"referenceName":"BACK","paymentMode":"free","subscriptionPeriod":"P1M",
      "eligibility":["expired"]}],
      "winbackOffers":[{"offerID":"please","paymentMode":"payUpFront","subscriptionPeriod":"P1M",
      "displayPrice":"1"}]
      """
    func plan(_ id: String, level: Int, period: String, price: String, _ more: String) -> String {
      """
      {"productID":"\(id)","type":"RecurringSubscription","groupNumber":\(level),
      "recurringSubscriptionPeriod":"\(period)","displayPrice":"\(price)","familyShareable":true
      \(more)}
      """
    }
    let plans = [
      plan(gold, level: 1, period: "P1M", price: "10", ""),
      plan(silver, level: 2, period: "P1M", price: "5", "," + offers),
      plan(silverYear, level: 2, period: "P1Y", price: "50", ""),
    ]
    let text = """
      {"version":{"major":4,"minor":0},
      "products":[
      {"productID":"\(book)","type":"NonConsumable","displayPrice":"3","familyShareable":true},
      {"productID":"\(coins)","type":"Consumable","displayPrice":"1"}],
      "subscriptionGroups":[{"id":"\(group)","subscriptions":[\(plans.joined(separator: ","))]}]}
      """
    return try StoreCatalog(parsing: Array(text.utf8), file: "Offers.storekit")
  }
}

extension AppProcess {
  /// Pays through StoreKit 1 with a discount.
  func pay(
    for product: String,
    offer: String,
    _ signature: Product.SubscriptionOffer.Signature,
    username: String? = nil,
    text: String? = nil
  ) async throws {
    try await run {
      let payment = SKMutablePayment()
      payment.productIdentifier = product
      payment.applicationUsername = username
      payment.paymentDiscount = SKPaymentDiscount(
        identifier: offer,
        keyIdentifier: signature.keyID,
        nonce: signature.nonce,
        signature: text ?? signature.signature.base64EncodedString(),
        timestamp: NSNumber(value: signature.timestamp)
      )
      SKPaymentQueue.default().add(payment)
    }
  }

  /// Listens to `Message.messages`.
  func listenToMessages() -> Heard<Message> {
    let heard = Heard<Message>()
    start { for await message in Message.messages { heard.add(message) } }
    return heard
  }

  /// The first status of a group.
  func status(of group: String) async throws -> Product.SubscriptionInfo.Status? {
    try await run { try await Product.SubscriptionInfo.status(for: group).first }
  }
}
