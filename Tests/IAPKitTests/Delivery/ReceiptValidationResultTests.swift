import Foundation
import IAPKit
import IAPModel
import Testing

@Suite struct ReceiptValidationResultTests {
  private func read(_ text: String) throws -> ReceiptValidationResult {
    try JSONDecoder().decode(ReceiptValidationResult.self, from: Data(text.utf8))
  }

  @Test func everythingThatAServerSaysIsRead() throws {
    let result = try read(
      """
      {"verdict":"accepted","isValid":true,"productId":"pro","expiresDate":1700000000123,
       "transactionId":"2","originalTransactionId":"1","environment":"Sandbox","unit":"orig:1",
       "claimedBy":"here","acknowledged":false,"revocationDate":1700000001000,
       "entitlements":[{"id":"pro","productId":"pro","until":1700000000123,"source":"purchase",
       "reason":"active"},{"id":"free"}],"reasons":[],"customerToken":"t","simulated":true,
       "request_id":"r","grant":{"unit":"orig:1","count":1},"new":{"member":[1]}}
      """
    )
    var expected = ReceiptValidationResult(isValid: true, productId: "pro")
    expected.expiresDate = Date(milliseconds: 1_700_000_000_123)
    expected.transactionId = "2"
    expected.originalTransactionId = "1"
    expected.environment = .sandbox
    expected.unit = "orig:1"
    expected.claimedBy = "here"
    expected.isAcknowledged = false
    expected.revocationDate = Date(milliseconds: 1_700_000_001_000)
    expected.entitlements = [
      ValidatedEntitlement(
        id: "pro",
        productId: "pro",
        until: Date(milliseconds: 1_700_000_000_123),
        source: "purchase",
        reason: "active"
      ),
      ValidatedEntitlement(id: "free"),
    ]
    expected.customerToken = "t"
    expected.isSimulated = true
    expected.requestId = "r"
    #expect(result == expected)
  }

  @Test(arguments: [
    (#"{"isValid":true}"#, true), (#"{"isValid":false}"#, false),
    (#"{"verdict":"accepted"}"#, true), (#"{"verdict":"rejected"}"#, false),
    (#"{"isValid":false,"verdict":"rejected"}"#, false),
  ])
  func plainAnswerOfAnyServerIsEnough(_ row: (text: String, isValid: Bool)) throws {
    #expect(try read(row.text) == ReceiptValidationResult(isValid: row.isValid))
  }

  @Test(arguments: [
    "", "{}", "[]", "true", #"{"isValid":"yes"}"#, #"{"isValid":null}"#, #"{"isValid":1}"#,
    #"{"verdict":"maybe"}"#, #"{"verdict":"maybe","isValid":true}"#,
    #"{"isValid":true,"verdict":"rejected"}"#, #"{"isValid":false,"verdict":"accepted"}"#,
    #"{"isValid":true,"expiresDate":"soon"}"#, #"{"isValid":true,"expiresDate":1e300}"#,
    #"{"isValid":true,"entitlements":[{}]}"#, #"{"isValid":true,"reasons":"no"}"#,
    #"{"isValid":true"#,
  ])
  func malformedAnswerIsNoVerdict(_ text: String) {
    #expect(throws: (any Error).self) { try read(text) }
  }

  @Test(arguments: [
    "1700000000000", "1.7e12", #""2023-11-14T22:13:20Z""#, #""2023-11-14T22:13:20.000Z""#,
  ])
  func dateIsMillisecondsOrAText(_ text: String) throws {
    let result = try read(#"{"isValid":true,"expiresDate":\#(text)}"#)
    #expect(result.expiresDate == Date(timeIntervalSince1970: 1_700_000_000))
  }

  @Test func entitlementIsWrittenAsItIsRead() throws {
    let entitlement = ValidatedEntitlement(id: "pro", until: Date(milliseconds: 5), reason: "r")
    let data = try JSONEncoder().encode(entitlement)
    #expect(try JSONDecoder().decode(ValidatedEntitlement.self, from: data) == entitlement)
    let text = String(decoding: data, as: UTF8.self)
    #expect(text.contains(#""until":5"#))
  }

  // MARK: Validators with one method only

  private struct Plain: ReceiptValidator {
    func validate(receiptData: Data, isSandbox: Bool) async throws -> ReceiptValidationResult {
      ReceiptValidationResult(
        isValid: isSandbox,
        productId: String(decoding: receiptData, as: UTF8.self)
      )
    }
  }

  @Test(arguments: [(Data("receipt".utf8), "receipt"), (nil, "a.b.c")])
  func validatorWithOneMethodGetsTheReceiptElseTheSignature(
    _ row: (receipt: Data?, seen: String)
  ) async throws {
    let evidence = TransactionEvidence(
      signedTransaction: "a.b.c",
      receipt: row.receipt,
      transactionId: "1",
      originalTransactionId: "1",
      productId: "pro",
      isSandbox: true
    )
    let result = try await Plain().validate(evidence)
    #expect(result == ReceiptValidationResult(isValid: true, productId: row.seen))
  }
}
