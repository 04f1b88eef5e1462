import AppStoreSimulator
import Foundation
import IAPModel
import StoreKit
import Testing

@testable import SimulatedDevice

/// Members of signed payloads that the simulated store does not write.
@Suite struct PayloadMemberTests {
  @Test func aTransactionTellsItsBillingPlanAndCommitment() throws {
    let transaction = try Self.transaction(
      """
      "billingPlanType": "MONTHLY", "commitmentInfo": {"billingPeriodNumber": 2,
        "totalBillingPeriods": 12, "commitmentExpiresDate": 1781536000500,
        "commitmentPrice": 119880}, "revocationType": "REFUND_PRORATED",
      "revocationPercentage": 50000
      """
    )
    #expect(transaction.billingPlanType == .monthly)
    let commitment = try #require(transaction.commitmentInfo)
    #expect(commitment.billingPeriodNumber == 2)
    #expect(commitment.totalBillingPeriods == 12)
    #expect(commitment.expirationDate == Date(timeIntervalSince1970: 1_781_536_000.5))
    #expect(commitment.price == Decimal(string: "119.88"))
    #expect(transaction.revocationType == .proratedRefund)
    #expect(transaction.revocationPercentage == 50)
    #expect(transaction.advancedCommerceInfo == nil)
  }

  @Test func aTransactionTellsItsAdvancedCommerce() throws {
    let item = """
      {"SKU": "a.b", "displayName": "Film", "description": "A film", "price": 4990,
       "offer": {"price": 990, "period": "P1M", "periodCount": 3, "reason": "WIN_BACK"},
       "refunds": [{"refundReason": "LEGAL", "refundType": "FULL",
         "refundDate": 1750000000000, "refundAmount": 4990}],
       "revocationDate": 1750000000000}
      """
    let info = try #require(
      try Self.transaction(Self.advanced(items: item)).advancedCommerceInfo
    )
    #expect(info.requestReferenceID == "R1")
    #expect(info.estimatedTax == Decimal(string: "0.4"))
    #expect(info.taxRate == Decimal(string: "0.08"))
    #expect(info.taxExclusivePrice == Decimal(string: "4.59"))
    #expect(info.displayName == "Films")
    #expect(info.period == .monthly)
    let found = try #require(info.items.first)
    #expect(found.details.sku == "a.b")
    #expect(found.details.price == Decimal(string: "4.99"))
    #expect(found.details.offer?.reason == .winBack)
    #expect(found.details.offer?.periodCount == 3)
    #expect(found.refunds?.map(\.type) == [.full])
    #expect(found.refunds?.map(\.reason) == [.legal])
    #expect(found.revocationDate == Date(timeIntervalSince1970: 1_750_000_000))
  }

  @Test func whatLacksARequiredPartIsAbsent() throws {
    let commitment = #""commitmentInfo": {"billingPeriodNumber": 2}"#
    #expect(try Self.transaction(commitment).commitmentInfo == nil)
    let negative =
      #""commitmentInfo": {"billingPeriodNumber": -1, "totalBillingPeriods": 12, "#
      + #""commitmentExpiresDate": 1, "commitmentPrice": 1}"#
    #expect(try Self.transaction(negative).commitmentInfo == nil)
    let items = Self.advanced(items: #"{"SKU": "a.b"}"#)
    #expect(try Self.transaction(items).advancedCommerceInfo == nil)
    let plain = try Self.transaction(#""unknown": 1"#)
    #expect(plain.billingPlanType == nil)
    #expect(plain.advancedCommerceInfo == nil)
  }

  @Test func renewalInfoTellsTheSame() throws {
    let object = try JSONParser.parseObject(
      Array(
        """
        {"originalTransactionId": "7", "productId": "p", "environment": "Sandbox",
         "signedDate": 1750000000000, "renewalBillingPlanType": "BILLED_UPFRONT",
         "deviceVerificationNonce": "00000000-0000-0000-0000-000000000001",
         "commitmentInfo": {"commitmentAutoRenewProductId": "p",
           "commitmentAutoRenewStatus": 1, "commitmentRenewalBillingPlanType": "MONTHLY",
           "commitmentRenewalDate": 1750000000000, "commitmentRenewalPrice": 9990},
         "advancedCommerceInfo": {"consistencyToken": "T", "requestReferenceId": "R1",
           "taxCode": "C", "period": "P1W",
           "descriptors": {"description": "d", "displayName": "n"},
           "items": [{"SKU": "a.b", "displayName": "Film", "description": "A film",
             "price": 4990, "priceIncreaseInfo": {"status": "PENDING", "price": 5990,
               "dependentSKUs": ["c.d"]}}]}}
        """.utf8
      )
    )
    let info = Product.SubscriptionInfo.RenewalInfo(try RenewalInfoPayload(object), signed: "a.b.c")
    #expect(info.renewalBillingPlanType == .upFront)
    #expect(info.commitmentInfo?.willAutoRenew == true)
    #expect(info.commitmentInfo?.renewalBillingPlanType == .monthly)
    #expect(info.commitmentInfo?.renewalPrice == Decimal(string: "9.99"))
    #expect(info.advancedCommerceInfo?.consistencyToken == "T")
    #expect(info.advancedCommerceInfo?.period == .weekly)
    let increase = info.advancedCommerceInfo?.items.first?.priceIncreaseInfo
    #expect(increase?.status == .pending)
    #expect(increase?.price == Decimal(string: "5.99"))
    #expect(increase?.dependentSKUs == ["c.d"])
  }

  private static func advanced(items: String) -> String {
    """
    "advancedCommerceInfo": {"requestReferenceId": "R1", "estimatedTax": 400,
      "taxRate": "0.08", "taxCode": "C", "taxExclusivePrice": 4590, "period": "P1M",
      "descriptors": {"description": "Some films", "displayName": "Films"},
      "items": [\(items)]}
    """
  }

  private static func transaction(_ members: String) throws -> StoreKit.Transaction {
    let object = try JSONParser.parseObject(
      Array(
        """
        {"transactionId": "7", "originalTransactionId": "7", "bundleId": "com.example.demo",
         "productId": "p", "purchaseDate": 1750000000000, "type": "Consumable",
         "deviceVerificationNonce": "00000000-0000-0000-0000-000000000001", \(members)}
        """.utf8
      )
    )
    let process = try DeviceWorld().device().launch()
    return StoreKit.Transaction(
      try TransactionPayload(object),
      signed: "a.b.c",
      storefront: StoreKit.Storefront(countryCode: "USA", id: "143441", currencyCode: "USD"),
      host: process.host
    )
  }
}
