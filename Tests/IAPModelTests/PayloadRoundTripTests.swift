import Foundation
import IAPModel
import Testing

/// Payloads in the order in which this package writes members, with values and members that it does
/// not know. All values are made up.
private enum Sample {
  static let transaction = #"""
    {"transactionId":"2000000000000002","originalTransactionId":"2000000000000001",
    "webOrderLineItemId":"3000000000000001","bundleId":"com.example.app","productId":"pro.month",
    "subscriptionGroupIdentifier":"20000001","purchaseDate":1700000000123,
    "originalPurchaseDate":1690000000000,"expiresDate":1702592000123,"quantity":1,
    "type":"Rental From 2031","appAccountToken":"7e3fb20b-4cdb-47cc-936d-99d65f608138",
    "inAppOwnershipType":"BORROWED","signedDate":1700000001999,"revocationDate":1700000500000,
    "revocationReason":77,"revocationType":"REFUND_IN_KIND","revocationPercentage":50000,
    "isUpgraded":true,"offerType":9,"offerIdentifier":"spring","offerDiscountType":"PAY_LATER",
    "offerPeriod":"P2W","environment":"Orbit","storefront":"USA","storefrontId":"143441",
    "transactionReason":"GIFT","price":9990,"currency":"USD","appTransactionId":"700000000000001",
    "futureMember":{"z":[1.50,"\u00e9"],"a":null},"anotherOne":false}
    """#

  static let renewal = #"""
    {"originalTransactionId":"2000000000000001","productId":"pro.month",
    "autoRenewProductId":"pro.year","autoRenewStatus":1,"signedDate":1700000001999,
    "environment":"Sandbox","renewalDate":1702592000123,
    "recentSubscriptionStartDate":1690000000000,"expirationIntent":42,
    "isInBillingRetryPeriod":false,"gracePeriodExpiresDate":1702900000000,"priceIncreaseStatus":5,
    "offerType":4,"offerIdentifier":"back","offerDiscountType":"FREE_TRIAL","offerPeriod":"P1M",
    "renewalPrice":99990,"currency":"EUR","eligibleWinBackOfferIds":["back","again"],
    "appAccountToken":"7e3fb20b-4cdb-47cc-936d-99d65f608138","appTransactionId":"700000000000001",
    "futureMember":[1e3]}
    """#

  static let app = #"""
    {"receiptType":"Production","appAppleId":531412,"bundleId":"com.example.app",
    "applicationVersion":"1.2.3","receiptCreationDate":1700000001999,
    "originalPurchaseDate":1600000000000,"originalApplicationVersion":"1.0",
    "preorderDate":1590000000000,"deviceVerification":"AAAA",
    "deviceVerificationNonce":"48ccfa42-7431-4f22-9908-7e88983e105a",
    "appTransactionId":"700000000000001","originalPlatform":"spectacles","futureMember":0}
    """#

  static let notification = #"""
    {"notificationType":"SOMETHING_NEW","subtype":"OF_SOME_KIND",
    "notificationUUID":"002e14d5-51f5-4503-b5a8-c3a1af68eb20","version":"2.0",
    "signedDate":1700000001999,"data":{"appAppleId":531412,"bundleId":"com.example.app",
    "bundleVersion":"7","environment":"Sandbox","signedTransactionInfo":"a.b.c",
    "signedRenewalInfo":"d.e.f","status":12,"consumptionRequestReason":"BORED",
    "futureMember":{"deep":[true]}},"futureMember":"kept"}
    """#

  static func object(_ text: String) throws -> JSONObject {
    try JSONParser.parseObject(text.utf8)
  }

  /// The sample as this package writes it: without white space, escapes resolved.
  static func bytes(_ text: String) throws -> [UInt8] { try object(text).serialized }
}

@Suite("Payloads")
struct PayloadRoundTripTests {
  @Test func transactionKeepsUnknownValuesAndMembersToTheByte() throws {
    let payload = try TransactionPayload(Sample.object(Sample.transaction))
    #expect(payload.object.serialized == (try Sample.bytes(Sample.transaction)))
    #expect(payload.type == ProductType(rawValue: "Rental From 2031"))
    #expect(payload.revocationReason == RevocationReason(rawValue: 77))
    #expect(payload.environment?.rawValue == "Orbit")
    #expect(payload.storefrontID == "143441")
    #expect(payload.otherMembers.map(\.name) == ["futureMember", "anotherOne"])
    #expect(try TransactionPayload(payload.object) == payload)
  }

  @Test func renewalInfoKeepsUnknownValuesAndMembersToTheByte() throws {
    let payload = try RenewalInfoPayload(Sample.object(Sample.renewal))
    #expect(payload.object.serialized == (try Sample.bytes(Sample.renewal)))
    #expect(payload.eligibleWinBackOfferIDs == ["back", "again"])
    #expect(payload.willAutoRenew == true)
    #expect(try RenewalInfoPayload(payload.object) == payload)
  }

  @Test func appTransactionKeepsUnknownValuesAndMembersToTheByte() throws {
    let payload = try AppTransactionPayload(Sample.object(Sample.app))
    #expect(payload.object.serialized == (try Sample.bytes(Sample.app)))
    #expect(payload.appAppleID == AppAppleID(531_412))
    #expect(try AppTransactionPayload(payload.object) == payload)
  }

  @Test func notificationKeepsUnknownValuesAndMembersToTheByte() throws {
    let payload = try NotificationPayload(Sample.object(Sample.notification))
    #expect(payload.object.serialized == (try Sample.bytes(Sample.notification)))
    #expect(payload.type == NotificationType(rawValue: "SOMETHING_NEW"))
    #expect(payload.bundleID == "com.example.app")
    #expect(payload.environment == .sandbox)
    #expect(try NotificationPayload(payload.object) == payload)
  }

  @Test(
    "a missing required member is named",
    arguments: [
      "transactionId", "originalTransactionId", "bundleId", "productId", "purchaseDate",
    ]
  )
  func missingMember(_ name: String) throws {
    var object = try Sample.object(Sample.transaction)
    object[name] = nil
    let error = #expect(throws: PayloadError.self) { try TransactionPayload(object) }
    #expect(error?.code == .missingMember)
    #expect(error?.reason.contains(name) == true)
  }

  @Test(
    "a member of the wrong type is named, its value is not repeated",
    arguments: [
      ("quantity", "secret-1"), ("purchaseDate", "secret-2"), ("isUpgraded", "secret-3"),
      ("appAccountToken", "secret-4"), ("price", "secret-5"),
    ]
  )
  func wrongType(_ name: String, _ value: String) throws {
    var object = try Sample.object(Sample.transaction)
    object[name] = .string(value)
    let error = #expect(throws: PayloadError.self) { try TransactionPayload(object) }
    #expect(error?.code == .wrongType)
    #expect(error?.reason.contains(name) == true)
    #expect(error?.description.contains(value) == false)
  }

  @Test("null counts as absent, and an empty account token as none")
  func nullIsAbsent() throws {
    var object = try Sample.object(Sample.transaction)
    object["expiresDate"] = .null
    object["appAccountToken"] = ""
    let payload = try TransactionPayload(object)
    #expect(payload.expiresDate == nil)
    #expect(payload.appAccountToken == nil)
  }

  @Test("nothing is invented for what the payload leaves out")
  func absence() throws {
    let payload = try TransactionPayload([
      "transactionId": "1", "originalTransactionId": "1", "bundleId": "b", "productId": "p",
      "purchaseDate": 0,
    ])
    #expect(
      payload
        == TransactionPayload(
          transactionID: "1",
          originalTransactionID: "1",
          bundleID: "b",
          productID: "p",
          purchaseDate: Date(timeIntervalSince1970: 0)
        )
    )
    #expect(payload.quantity == nil)
    #expect(payload.price == nil)
    #expect(payload.unit == nil)
  }
}

@Suite("Notification addressees")
struct NotificationAddresseeTests {
  @Test(
    "app and environment are found wherever the type puts them",
    arguments: [
      (#""summary":{"bundleId":"b","appAppleId":1,"environment":"Sandbox"}"#, "Sandbox"),
      (#""appData":{"bundleId":"b","appAppleId":1,"environment":"Production"}"#, "Production"),
      (
        #""externalPurchaseToken":{"bundleId":"b","appAppleId":1,"externalPurchaseId":"SANDBOX_1"}"#,
        "Sandbox"
      ),
      (
        #""externalPurchaseToken":{"bundleId":"b","appAppleId":1,"externalPurchaseId":"1"}"#,
        "Production"
      ),
    ]
  )
  func addressee(_ member: String, _ environment: String) throws {
    let text = #"{"notificationType":"T","notificationUUID":"u",\#(member)}"#
    let payload = try NotificationPayload(JSONParser.parseObject(text.utf8))
    #expect(payload.bundleID == "b")
    #expect(payload.appAppleID == AppAppleID(1))
    #expect(payload.environment?.rawValue == environment)
  }
}
