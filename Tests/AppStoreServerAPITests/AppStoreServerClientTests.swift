import AppStoreServerAPI
import AppStoreSimulator
import Foundation
import HTTPValues
import IAPModel
import IAPSignatures
import OpenSSLCrypto
import Testing

struct AppStoreServerClientTests {
  let apple: SimulatedApple
  let client: AppStoreServerClient

  init() throws {
    apple = try SimulatedApple()
    client = try apple.client()
  }

  private func transactionID(_ jws: String) throws -> String? {
    try CompactClaims.read(jws)["transactionId"]?.stringValue
  }

  private func error<Answer>(
    of request: ServerAPIRequest<Answer>,
    by other: AppStoreServerClient? = nil
  ) async -> AppStoreServerError? {
    do throws(AppStoreServerError) {
      _ = try await (other ?? client).answer(to: request, in: .sandbox)
      return nil
    } catch {
      return error
    }
  }

  private func refusal(_ status: Int, _ code: Int64, retryAfter: String? = nil) -> HTTPResponse {
    var response = HTTPResponse.json(
      status,
      JSONValue.object(["errorCode": .integer(code), "errorMessage": "no"]).serialized
    )
    if let retryAfter { response.headers["Retry-After"] = retryAfter }
    return response
  }

  // MARK: Endpoints

  @Test func aTransactionIsFoundInTheSandboxAfterProductionKnewNothing() async throws {
    let bought = try apple.buy(DemoCatalog.coins)
    let found = try await client.find(.transaction(bought.transactionID))
    #expect(try transactionID(found.answer) == bought.transactionID.rawValue)
    #expect(found.environment == .sandbox)
    let hosts = apple.sent.map { String($0.url.prefix { $0 != "." }) }
    #expect(hosts == ["https://production", "https://sandbox"])
  }

  @Test func whatBothAddressesDoNotKnowIsNotFound() async throws {
    await #expect(
      throws: AppStoreServerError(.notFound, "", apiCode: .transactionIDNotFound)
    ) { try await client.find(.transaction("2000000999999999")) }
    #expect(apple.sent.count == 2)
  }

  @Test func whenTheSandboxCannotBeAskedNothingIsSaidOfThePurchase() async throws {
    let impatient = try apple.client(policy: CallPolicy(attemptsMax: 1))
    apple.plan(.pass, .breakOff)
    await #expect(throws: AppStoreServerError(.unreachable, "")) {
      try await impatient.find(.transaction("2000000999999999"))
    }
  }

  @Test func aHistoryIsWalkedPageByPageAndGoesOnFromAKeptMark() async throws {
    for _ in 0..<45 { try apple.buy(DemoCatalog.coins) }
    let first = try #require(apple.store.transactions(of: "mia").first).transactionID
    var sizes: [Int] = []
    var kept: PageMark?
    try await client.forEachPage(in: .sandbox, { .history(of: first, from: $0) }) { page in
      sizes.append(page.signedTransactions.count)
      kept = page.mark
      return true
    }
    #expect(sizes == [20, 20, 5])
    let later = try apple.buy(DemoCatalog.coins)
    var news: [String?] = []
    try await client.forEachPage(
      in: .sandbox,
      from: kept,
      { .history(of: first, from: $0) },
      take: { page in
        news += page.signedTransactions.map { try? transactionID($0) }
        return true
      }
    )
    #expect(news == [later.transactionID.rawValue])
  }

  @Test func aPageThatDoesNotSayWhereItGoesOnIsMalformed() async throws {
    let page = HTTPResponse.json(
      200,
      Array(#"{"hasMore":true,"revision":"a","signedTransactions":[]}"#.utf8)
    )
    apple.plan(.answer(page), .answer(page))
    await #expect(throws: AppStoreServerError(.answerMalformed, "")) {
      try await client.forEachPage(in: .sandbox, { .history(of: "1", from: $0) }) { _ in true }
    }
  }

  @Test func statusesRefundsAndOrdersAreRead() async throws {
    let bought = try apple.buy(DemoCatalog.monthly)
    let id = bought.transactionID
    let statuses = try await client.answer(to: .subscriptionStatuses(of: id), in: .sandbox)
    #expect(statuses.items.map(\.status) == [.active])
    #expect(statuses.items.map(\.originalTransactionID.rawValue) == [id.rawValue])
    let refunds = try await client.answer(to: .refunds(of: id), in: .sandbox)
    #expect(refunds.signedTransactions.isEmpty && !refunds.hasMore)
    let order = try await client.answer(to: .order("MK5TTTVWJH"), in: .sandbox)
    #expect(!order.isValid)
    let app = try await client.answer(to: .appTransaction(of: id), in: .sandbox)
    #expect(app.split(separator: ".").count == 3)
  }

  @Test func changesAreTaken() async throws {
    let bought = try apple.buy(DemoCatalog.monthly)
    let original = OriginalTransactionID(bought.transactionID.rawValue)
    let token = try #require(AppAccountToken("9d3b1f0c-1111-4222-8333-944455556666"))
    _ = try await client.answer(to: .setAppAccountToken(token, of: original), in: .sandbox)
    #expect(apple.store.transaction(bought.transactionID)?.appAccountToken == token)
    let end = try #require(bought.expiresDate)
    let renewal = try RenewalExtension(days: 10, reason: .serviceIssue, requestIdentifier: "r")
    let moved = try await client.answer(to: .extend(original, by: renewal), in: .sandbox)
    #expect(moved.isDone && moved.effectiveDate == end.addingTimeInterval(864_000))
    _ = try await client.answer(to: .finish(bought.transactionID), in: .sandbox)
    #expect(try apple.store.unfinished(on: SimulatedApple.phone).isEmpty)
    _ = try await client.answer(
      to: .consumption(
        of: bought.transactionID,
        ConsumptionInformation(delivery: .delivered, wasSampleProvided: false)
      ),
      in: .sandbox
    )
  }

  @Test func aTestNotificationNeedsAnAddress() async throws {
    let error = await error(of: .testNotification)
    #expect(error == AppStoreServerError(.notFound, "", apiCode: .serverNotificationURLNotFound))
  }

  @Test func theNotificationHistoryIsRead() async throws {
    try apple.buy(DemoCatalog.monthly)
    apple.store.clock.advance(by: 60)
    let query = NotificationQuery(
      from: SimulatedApple.start.addingTimeInterval(-60),
      to: SimulatedApple.start.addingTimeInterval(60)
    )
    // Nothing was sent, because the developer gave no address.
    let page = try await client.answer(to: .notifications(query), in: .sandbox)
    #expect(page.notifications.isEmpty && !page.hasMore && page.mark == nil)
    let text = """
      {"notificationHistory":[{"signedPayload":"a.b.c","sendAttempts":[{\
      "attemptDate":1767268800000,"sendAttemptResult":"TIMED_OUT"}]}],\
      "hasMore":true,"paginationToken":"next"}
      """
    apple.plan(.answer(.json(200, Array(text.utf8))))
    let full = try await client.answer(to: .notifications(query), in: .sandbox)
    #expect(full.notifications.map(\.signedPayload) == ["a.b.c"])
    #expect(full.notifications[0].attempts.map(\.result) == ["TIMED_OUT"])
    #expect(full.notifications[0].attempts.map(\.date) == [SimulatedApple.start])
    #expect(full.hasMore && full.mark == "next")
  }

  @Test func retentionMessagesAndGroupsAreReached() async throws {
    let bought = try apple.buy(DemoCatalog.monthly)
    let id = UUID(uuid: (9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9))
    let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    _ = try await client.answer(
      to: .uploadRetentionImage(id, size: .bulletPoint, png: png),
      in: .sandbox
    )
    let images = try await client.answer(to: .retentionImages, in: .sandbox)
    #expect(images["imageIdentifiers"]?.arrayValue?.count == 1)
    _ = try await client.answer(to: .removeRetentionImage(id), in: .sandbox)
    let groups = try await client.answer(to: .groups(of: bought.transactionID), in: .sandbox)
    #expect(groups["groupIds"]?.arrayValue?.count == 1)
  }

  // MARK: What the App Store would refuse

  @Test(arguments: [(0, false), (1, true), (90, true), (91, false)])
  func anExtensionHasOneToNinetyDays(days: Int, isAllowed: Bool) {
    let made = try? RenewalExtension(days: days, reason: .other, requestIdentifier: "r")
    #expect((made != nil) == isAllowed)
  }

  @Test(arguments: [(0, false), (1, true), (128, true), (129, false)])
  func anIdentifierHasAtMost128Characters(length: Int, isAllowed: Bool) {
    let text = String(repeating: "r", count: length)
    let made = try? RenewalExtension(
      days: 1,
      reason: .other,
      requestIdentifier: RenewalExtensionID(text)
    )
    #expect((made != nil) == isAllowed)
  }

  @Test(arguments: [(-1, false), (0, true), (100_000, true), (100_001, false)])
  func aPercentageIsCountedInThousandths(percentage: Int, isAllowed: Bool) {
    let information = ConsumptionInformation(
      delivery: .delivered,
      wasSampleProvided: false,
      percentage: percentage
    )
    let made = try? ServerAPIRequest.consumption(of: "1", information)
    #expect((made != nil) == isAllowed)
  }

  @Test func whatWasNotDeliveredWasNotUsed() {
    let information = ConsumptionInformation(
      delivery: .serverOutage,
      wasSampleProvided: false,
      percentage: 1
    )
    #expect(throws: AppStoreServerError(.requestInvalid, "")) {
      try ServerAPIRequest.consumption(of: "1", information)
    }
  }

  // MARK: Keys

  @Test func aKeyIsTestedWithoutChangingAnything() async throws {
    #expect(await client.testKey(in: .sandbox) == .accepted)
    let stranger = try apple.client(bundleID: "com.example.other")
    #expect(await stranger.testKey(in: .sandbox) == .refused)
    apple.plan(.breakOff, .breakOff, .breakOff, .breakOff)
    #expect(await client.testKey(in: .sandbox) == .unknown(.unreachable))
  }

  @Test func aKeyOffTheCurveIsRefusedAndNoneIsEverShown() throws {
    let other = try OpenSSLPrimitives().makeSigningKey(.p384, seed: [1])
    #expect(throws: AppStoreServerError(.keyUnusable, "")) {
      try AppStoreServerKey(id: "K", issuer: "I", key: other)
    }
    let key = try apple.key()
    #expect("\(key)" == "In-App Purchase key \(key.id)")
  }

  // MARK: Trouble

  @Test func aRateLimitIsObeyedInMilliseconds() async throws {
    let bought = try apple.buy(DemoCatalog.coins)
    let date = SimulatedApple.start.addingTimeInterval(7)
    let limited = refusal(429, 4_290_000, retryAfter: String(date.milliseconds))
    apple.plan(.answer(limited))
    _ = try await client.answer(to: .transaction(bought.transactionID), in: .sandbox)
    #expect(apple.waits == [7])
  }

  @Test func aProxysRetryAfterIsReadInSeconds() async throws {
    let bought = try apple.buy(DemoCatalog.coins)
    apple.plan(.answer(refusal(429, 4_290_000, retryAfter: "3")))
    _ = try await client.answer(to: .transaction(bought.transactionID), in: .sandbox)
    #expect(apple.waits == [3])
  }

  @Test(arguments: [(60, 2), (61, 1)])
  func whatWouldTakeLongerThanTheLongestWaitIsAnErrorWithADate(
    seconds: Int,
    requests: Int
  ) async throws {
    let date = SimulatedApple.start.addingTimeInterval(TimeInterval(seconds))
    apple.plan(.answer(refusal(429, 4_290_000, retryAfter: String(date.milliseconds))))
    let error = await error(of: .order("X"))
    #expect(apple.sent.count == requests)
    #expect(error?.retryAt == (requests == 1 ? date : nil))
  }

  @Test(arguments: [
    (401, "", "unauthorized", 1), (403, "<html>", "answerMalformed", 4),
    (404, "<html>", "answerMalformed", 4), (429, "", "rateLimited", 4),
    (500, "<html>", "serverFailed", 4), (503, "", "serverFailed", 4),
    (200, "<html>", "answerMalformed", 4),
    (200, #"{"signedTransactionInfo":"#, "answerMalformed", 4),
    (200, #"{"signedTransactionInfo":7}"#, "answerMalformed", 4), (302, "", "answerMalformed", 4),
    (400, "", "refused", 1),
  ])
  func aStrangeAnswerSaysNothingOfThePurchase(
    status: Int,
    body: String,
    code: String,
    requests: Int
  ) async throws {
    let response = HTTPResponse(status: status, body: Array(body.utf8))
    apple.plan(.answer(response), .answer(response), .answer(response), .answer(response))
    let error = await error(of: .transaction("1"))
    #expect(error?.code.rawValue == code)
    #expect(error?.apiCode == nil)
    #expect(apple.sent.count == requests)
  }

  @Test func waitsDoubleBetweenAttempts() async throws {
    apple.plan(.breakOff, .breakOff, .breakOff, .breakOff)
    #expect(await error(of: .transaction("1")) == AppStoreServerError(.unreachable, ""))
    #expect(apple.waits == [0.25, 0.5, 1])
  }

  @Test func whatMightActTwiceIsNotRepeatedWhenItsAnswerIsLost() async throws {
    apple.plan(.breakOff)
    let renewal = try RenewalExtension(days: 1, reason: .other, requestIdentifier: "r")
    #expect(await error(of: .extend("1", by: renewal))?.code == .unreachable)
    #expect(apple.sent.count == 1)
  }

  @Test func eachEndpointHasABudgetOfItsOwnAndTheSandboxATenth() async throws {
    let patient = try apple.client(policy: CallPolicy(rateShare: 1))
    // One a second in production is a tenth in the sandbox: six in a minute, then ten seconds each.
    for _ in 0..<8 {
      _ = try? await patient.answer(to: .testNotification("t"), in: .sandbox)
    }
    #expect(apple.waits.count == 2)
    #expect(apple.waits.allSatisfy { abs($0 - 10) < 0.001 })
    _ = try? await patient.answer(to: .transaction("1"), in: .sandbox)
    #expect(apple.waits.count == 2)
  }

  @Test func anIdentifierCannotLeaveItsPlaceInThePath() async throws {
    _ = await error(of: .order("../x?y=1#z\r\n"))
    #expect(apple.sent[0].url == "https://sandbox.test/inApps/v1/lookup/..%2Fx%3Fy%3D1%23z%0D%0A")
  }
}
