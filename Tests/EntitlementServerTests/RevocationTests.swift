import AppStoreSimulator
import EntitlementServer
import Foundation
import HTTPValues
import IAPModel
import IAPSignatures
import OpenSSLCrypto
import ServerStorage
import Synchronization
import Testing

/// A store whose certificates name a responder, and the responder.
private final class Authority: Sendable {
  static let address = "http://ocsp.test/leaf"

  let chain: SigningChain
  private let writers: [OCSPResponseWriter]
  private let certificates: [Certificate]

  enum Mood: Hashable {
    case standing(OCSPResponseWriter.Standing)
    case tryLater
    case status(Int)
    case silent
    case bytes([UInt8])
  }

  private struct State {
    var mood = Mood.standing(.good)
    var requests: [HTTPOutgoingRequest] = []
    /// Whoever asks waits until the gate is opened.
    var isClosed = false
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())
  private let now = Mutex(TestServer.start)

  init(address: String? = Authority.address, seed: [UInt8] = [4, 2]) throws {
    let crypto = TestServer.sharedCrypto
    let year: TimeInterval = 365 * 86_400
    var shape = SigningChain.Shape.transactions(
      validity: (TestServer.start - year)...(TestServer.start + 3 * year)
    )
    if let address {
      shape.leaf.extensions.append(.responder(address))
      shape.intermediate.extensions.append(.responder(address))
    }
    chain = try SigningChain(shape: shape, seed: seed, signing: crypto)
    let keys = try SigningChain.authorityKeys(shape: shape, seed: seed, signing: crypto)
    var certificates: [Certificate] = []
    for der in chain.certificates { certificates.append(try Certificate(der: der)) }
    self.certificates = certificates
    writers = [
      OCSPResponseWriter(issuer: certificates[1], key: keys.intermediate, signing: crypto),
      OCSPResponseWriter(issuer: certificates[2], key: keys.root, signing: crypto),
    ]
  }

  var requests: [HTTPOutgoingRequest] { state.withLock { $0.requests } }
  func set(_ mood: Mood) { state.withLock { $0.mood = mood } }
  func setNow(_ date: Date) { now.withLock { $0 = date } }
  func close() { state.withLock { $0.isClosed = true } }

  func open() {
    let waiting = state.withLock { state in
      state.isClosed = false
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in waiting { continuation.resume() }
  }

  struct Silence: Error {}

  func answer(_ request: HTTPOutgoingRequest) async throws -> HTTPResponse {
    await withCheckedContinuation { continuation in
      let waits = state.withLock { state in
        state.requests.append(request)
        if state.isClosed { state.waiting.append(continuation) }
        return state.isClosed
      }
      if !waits { continuation.resume() }
    }
    let today = now.withLock { $0 }
    switch state.withLock({ $0.mood }) {
    case .silent: throw Silence()
    case .status(let status): return HTTPResponse(status: status)
    case .tryLater: return HTTPResponse(status: 200, body: OCSPResponseWriter.tryLater)
    case .bytes(let bytes): return HTTPResponse(status: 200, body: bytes)
    case .standing(let standing):
      // The number of the certificate says whose it is.
      let index = Data(request.body).range(of: Data(certificates[0].serialNumber)) == nil ? 1 : 0
      // Only the leaf is in any other standing than good.
      let body = try writers[index].answer(
        about: certificates[index],
        index == 0 ? standing : .good,
        from: today,
        until: today + 86_400
      )
      return HTTPResponse(status: 200, body: body)
    }
  }
}

@Suite struct RevocationTests {
  private let authority: Authority
  private let test: TestServer

  init() throws {
    authority = try Authority()
    test = try Self.server(authority)
  }

  private static func server(
    _ authority: Authority,
    hosts: Set<String> = ["ocsp.test"]
  ) throws -> TestServer {
    try TestServer(
      root: authority.chain.root,
      revocation: RevocationDesk(
        verifier: OCSPVerifier(crypto: TestServer.sharedCrypto),
        hosts: hosts,
        send: { try await authority.answer($0) }
      )
    )
  }

  private func transaction(
    _ id: String = "77",
    signed: Date = TestServer.start,
    by chain: SigningChain? = nil
  ) throws -> String {
    var payload = TransactionPayload(
      transactionID: TransactionID(id),
      originalTransactionID: OriginalTransactionID(id),
      bundleID: DemoCatalog.bundleID,
      productID: DemoCatalog.coins,
      purchaseDate: signed
    )
    payload.signedDate = signed
    payload.environment = .sandbox
    payload.type = .consumable
    payload.quantity = 1
    return try CompactJWSWriter(chain: chain ?? authority.chain).sign(payload.object)
  }

  private func notification() throws -> String {
    let body: JSONObject = [
      "notificationType": "ONE_TIME_CHARGE",
      "notificationUUID": "11111111-2222-4333-8444-555555555555",
      "version": "2.0",
      "signedDate": .integer(TestServer.start.milliseconds),
      "data": [
        "bundleId": .string(DemoCatalog.bundleID.rawValue), "environment": "Sandbox",
        "appAppleId": .integer(DemoCatalog.appAppleID.rawValue),
        "signedTransactionInfo": .string(try transaction()),
      ],
    ]
    return try CompactJWSWriter(chain: authority.chain).sign(body)
  }

  private func verify(_ text: String) async throws -> TestAnswer {
    try await test.verify(["signedTransaction": .string(text)])
  }

  @Test func goodStandingIsAskedOnceForEachCertificateAndRemembered() async throws {
    for id in ["1", "2", "3"] {
      #expect(try await verify(transaction(id)).text("verdict") == "accepted")
    }
    let requests = authority.requests
    #expect(requests.count == 2)
    #expect(requests.allSatisfy { $0.url == Authority.address && $0.method == .post })
    #expect(requests.allSatisfy { $0.headers["Content-Type"] == "application/ocsp-request" })
    #expect(requests.allSatisfy { $0.timeout == RevocationDesk.timeout })
  }

  @Test func aRevokedCertificateIsAReasonToRefuseAtEveryEntrance() async throws {
    authority.set(
      .standing(.revoked(Revocation(date: TestServer.start - 86_400, reason: 1)))
    )
    let answer = try await verify(transaction())
    #expect(answer.status == 200)
    #expect(answer.rules == ["revocation"])
    let refused = try await test.post(
      "/v1/notifications/apple",
      ["signedPayload": .string(try notification())]
    )
    #expect(refused.status == 400)
    #expect(refused.errorCode == "notificationRefused")
    #expect(try await test.ledger.counts().facts == 0)
    // It is refused for good: nobody is asked again, however long ago.
    let count = authority.requests.count
    test.store.clock.advance(by: 30 * 86_400)
    authority.set(.silent)
    #expect(try await verify(transaction()).rules == ["revocation"])
    #expect(authority.requests.count == count)
  }

  @Test(arguments: [
    (Int64?.none, -1.0, true), (nil, 1, true), (1, -1, true), (1, 1, true), (4, -1, false),
    (4, 1, true), (5, -1, false),
  ])
  func onlyAHarmlessReasonSparesWhatWasSignedBefore(
    reason: Int64?,
    signedAfter: TimeInterval,
    isRefused: Bool
  ) async throws {
    let revoked = TestServer.start - 3600
    authority.set(.standing(.revoked(Revocation(date: revoked, reason: reason))))
    let answer = try await verify(transaction(signed: revoked + signedAfter))
    #expect(answer.rules == (isRefused ? ["revocation"] : []))
  }

  private static let unanswered: [Authority.Mood] = [
    .silent, .tryLater, .status(500), .status(404), .status(302), .bytes([]),
    .bytes(Array("<html>".utf8)), .bytes([UInt8](repeating: 0x30, count: 100_000)),
    .standing(.unknown), .standing(.revoked(Revocation(date: TestServer.start, reason: 6))),
  ]

  @Test(arguments: unanswered.indices)
  func whatCouldNotBeAskedIsNeverTakenForForgery(index: Int) async throws {
    authority.set(Self.unanswered[index])
    let answer = try await verify(transaction())
    #expect(answer.status == 503)
    #expect(answer.errorCode == "revocationUnavailable")
    #expect(answer.headers["Retry-After"] == "10")
    let notified = try await test.post(
      "/v1/notifications/apple",
      ["signedPayload": .string(try notification())]
    )
    #expect(notified.status == 503)
    #expect(try await test.ledger.counts().facts == 0)
    // For a while nobody is asked again; then an answer helps.
    let count = authority.requests.count
    #expect(count == 1)
    authority.set(.standing(.good))
    #expect(try await verify(transaction()).status == 503)
    test.store.clock.advance(by: RevocationDesk.pauseSeconds)
    authority.setNow(test.store.clock.now)
    #expect(try await verify(transaction()).text("verdict") == "accepted")
  }

  @Test func manyRequestsWaitForOneQuestion() async throws {
    authority.close()
    let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
      for index in 0..<20 {
        group.addTask { try await verify(transaction("\(100 + index)")).status }
      }
      while authority.requests.isEmpty { await Task.yield() }
      authority.open()
      var statuses: [Int] = []
      for try await status in group { statuses.append(status) }
      return statuses
    }
    #expect(statuses == Array(repeating: 200, count: 20))
    #expect(authority.requests.count == 2)
  }

  @Test func answersAreRenewedBeforeTheyEnd() async throws {
    _ = try await verify(transaction())
    #expect(authority.requests.count == 2)
    test.store.clock.advance(by: 11 * 3600)
    authority.setNow(test.store.clock.now)
    _ = await test.server.work()
    #expect(authority.requests.count == 2)
    test.store.clock.advance(by: 2 * 3600)
    authority.setNow(test.store.clock.now)
    _ = await test.server.work()
    #expect(authority.requests.count == 4)
    // A responder that falls silent then hurts nobody until what it said has ended.
    authority.set(.silent)
    test.store.clock.advance(by: 20 * 3600)
    _ = await test.server.work()
    #expect(try await verify(transaction("2")).text("verdict") == "accepted")
    test.store.clock.advance(by: 5 * 3600)
    #expect(try await verify(transaction("3")).status == 503)
  }

  @Test(arguments: [
    "https://ocsp.test/leaf", "http://ocsp.test:81/leaf", "http://169.254.169.254/latest",
    "http://ocsp.test@evil.test/", "http://ocsp.test.evil.test/", "http://OCSP.test\r\nX: y/",
    "file:///etc/passwd", "http://", "",
  ])
  func onlyTheNamedHostIsEverAsked(address: String) async throws {
    let authority = try Authority(address: address)
    let test = try Self.server(authority)
    let text = try transaction("9", by: authority.chain)
    #expect(try await test.verify(["signedTransaction": .string(text)]).status == 503)
    #expect(authority.requests.isEmpty)
  }

  @Test func nobodyIsAskedAboutWhatIsNotGenuine() async throws {
    let forged = try transaction() + "A"
    #expect(try await !verify(forged).rules.isEmpty)
    // Rightly signed, by a chain that nobody here trusts and that names the same responder.
    let stranger = try Authority(seed: [9])
    let foreign = try await verify(transaction("5", by: stranger.chain))
    #expect(foreign.rules.contains("chainSignatures"))
    #expect(authority.requests.isEmpty)
  }
}
