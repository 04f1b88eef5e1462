import Foundation
import IAPModel
import IAPSignatures
import OpenSSLCrypto
import Testing

/// Each rule about the text, by a text that is right but for one thing.
@Suite struct JWSRuleTests {
  private let store: TestStore

  init() throws { store = try TestStore() }

  @Test func whatIsRightIsAcceptedAndSaysWhatItIs() throws {
    let text = try store.sign(TestStore.transaction.object)
    let verdict = try store.verifier().transaction(text, instant: .signedDate)
    let verified = try #require(verdict.accepted)
    #expect(verified.payload == TestStore.transaction)
    #expect(verified.environment == .production)
    #expect(verified.signedDate == TestStore.now)
    #expect(verified.judgedAt == TestStore.now)
    #expect(verified.trust == .simulated)
    #expect(verified.isSimulated)
  }

  @Test func onlyES256InItsOwnSpellingIsTaken() throws {
    for algorithm in ["none", "es256", "ES384", "HS256", ""] {
      let header: JSONObject = ["alg": .string(algorithm), "x5c": store.x5c]
      #expect(try store.failures(store.sign(header: header)) == [.algorithm])
    }
    #expect(try store.failures(store.sign(header: ["x5c": store.x5c])) == [.algorithm])
  }

  @Test func anyCriticalHeaderIsRefused() throws {
    for critical: JSONValue in [["b64"], [], "exp", .null] {
      let header: JSONObject = ["alg": "ES256", "x5c": store.x5c, "crit": critical]
      #expect(try store.failures(store.sign(header: header)) == [.criticalHeader])
    }
  }

  @Test func aKeyIdentifierIsPassedOver() throws {
    let header: JSONObject = ["kid": "k", "typ": "JWT", "alg": "ES256", "x5c": store.x5c]
    #expect(try store.failures(store.sign(header: header)) == [])
  }

  @Test func threeCertificatesAreWantedAndNoneMore() throws {
    let all = store.chain.certificates.map { JSONValue.string(Base64.encode($0, .standard)) }
    for list in [[], [all[0]], [all[0], all[1]], all + [all[2]]] {
      let text = try store.sign(header: ["alg": "ES256", "x5c": .array(list)])
      #expect(try store.failures(text).contains(.chainLength))
    }
    let wrong = try store.sign(header: ["alg": "ES256", "x5c": "MIIB"])
    #expect(try store.failures(wrong) == [.chainLength])
    let mixed = try store.sign(header: ["alg": "ES256", "x5c": [.integer(1), all[1], all[2]]])
    #expect(try store.failures(mixed) == [.chainLength])
  }

  @Test func everyRuleThatFailsIsListedAtOnce() throws {
    var payload = TestStore.transaction
    payload.bundleID = "com.example.other"
    payload.environment = .sandbox
    payload.signedDate = nil
    let header: JSONObject = ["alg": "none", "crit": ["x"], "x5c": store.x5c]
    let text = try CompactJWSWriter(header: header, key: store.chain.leafKey)
      .sign(payload.object)
    let late = TestStore.validity.upperBound.addingTimeInterval(1)
    #expect(
      try store.failures(text, at: late) == [
        .algorithm, .criticalHeader, .validity, .signedDate, .bundle, .environment,
      ]
    )
  }

  @Test func dataWithoutADateIsRefusedAlsoWhenItShouldBeJudgedAtIt() throws {
    var payload = TestStore.transaction
    payload.signedDate = nil
    let verdict = try store.verifier().transaction(
      store.sign(payload.object),
      instant: .signedDate
    )
    #expect(verdict.failures.map(\.rule) == [.signedDate])
  }

  @Test func anEnvironmentThatIsNotNamedIsRefusedAndOneThatIsIsMarked() throws {
    var payload = TestStore.transaction
    payload.environment = .sandbox
    let text = try store.sign(payload.object)
    #expect(try store.failures(text) == [.environment])
    let both = try store.verifier(environments: [.production, .sandbox])
    let verified = try both.transaction(text, instant: .signedDate).accepted
    #expect(verified?.environment == .sandbox)
    payload.environment = nil
    #expect(try store.failures(store.sign(payload.object), both) == [.environment])
  }

  @Test func oneKindIsNotTakenForAnother() throws {
    let verifier = try store.verifier()
    let text = Array(try store.sign(TestStore.transaction.object).utf8)
    let asRenewal = try verifier.renewalInfo(text, instant: .signedDate).failures
    let asApp = try verifier.appTransaction(text, instant: .signedDate).failures
    let asNotification = try NotificationVerifier(verifier: verifier)
      .verify(text, instant: .signedDate).failures
    #expect(asRenewal.map(\.rule) == [.kind])
    #expect(asApp.map(\.rule) == [.kind])
    #expect(asNotification.map(\.rule) == [.kind])
  }

  @Test func payloadsThatCannotBeReadAreRefused() throws {
    let cases: [(String, Rule)] = [
      ("", .format), ("null", .payload), ("[]", .payload), ("{", .payload),
      (#"{"transactionId":"1","transactionId":"2"}"#, .duplicateMembers),
      (#"{"transactionId":"1","x":{"a":1,"a":2}}"#, .duplicateMembers),
      (#"{"transactionId":"1"}"#, .payload), (#"{"transactionId":1}"#, .payload),
      (String(repeating: #"{"a":"#, count: 9) + "1" + String(repeating: "}", count: 9), .limits),
      ("{}", .kind),
    ]
    for (payload, rule) in cases {
      let text = try store.sign(payload)
      #expect(try store.failures(text) == [rule], "\(payload)")
    }
  }

  @Test func nothingMayStandAroundTheText() throws {
    let text = try store.sign(TestStore.transaction.object)
    let parts = text.split(separator: ".").map(String.init)
    let wrong = [
      text + "\n", " " + text, text + "=", text + ".", "." + text, text + ".x", "", ".", "..",
      parts[0] + "." + parts[1], parts[0] + ".." + parts[2], parts[0] + "." + parts[1] + ".",
      text.replacingOccurrences(of: ".", with: " ."),
    ]
    for text in wrong {
      #expect(try store.failures(text).first == .format, "\(text.suffix(8))")
    }
  }

  @Test func theLimitItselfIsTakenAndOneByteMoreIsNot() throws {
    let text = try store.sign(TestStore.transaction.object)
    var options = JWSVerifier.Options()
    options.limits.textBytesMax = text.utf8.count
    #expect(try store.failures(text, store.verifier(options: options)) == [])
    options.limits.textBytesMax = text.utf8.count - 1
    #expect(try store.failures(text, store.verifier(options: options)) == [.limits])

    let size = TestStore.transaction.object.serializedSize
    options = JWSVerifier.Options()
    options.limits.payload.sizeBytesMax = size
    #expect(try store.failures(text, store.verifier(options: options)) == [])
    options.limits.payload.sizeBytesMax = size - 1
    #expect(try store.failures(text, store.verifier(options: options)) == [.limits])
    options = JWSVerifier.Options()
    options.limits.header.depthMax = 2
    #expect(try store.failures(text, store.verifier(options: options)) == [])
    options.limits.header.depthMax = 1
    #expect(try store.failures(text, store.verifier(options: options)) == [.limits])
  }

  @Test func noByteCanBeFlippedUnnoticed() throws {
    let cache = BoundedChainCache()
    let verifier = try store.verifier(cache: cache)
    let text = Array(try store.sign(TestStore.transaction.object).utf8)
    #expect(try verifier.transaction(text, instant: .signedDate).accepted != nil)
    // Every byte of payload and signature, and a sample of the long header.
    let payloadStart = try #require(text.firstIndex(of: UInt8(ascii: ".")))
    let places = Array(stride(from: 0, to: payloadStart, by: 61)) + Array(payloadStart..<text.count)
    for place in places {
      var changed = text
      changed[place] ^= 1
      let verdict = try verifier.transaction(changed, instant: .signedDate)
      #expect(verdict.accepted == nil, "byte \(place)")
    }
  }

  @Test func noTextThatIsCutOffIsAccepted() throws {
    let verifier = try store.verifier(cache: BoundedChainCache())
    let text = Array(try store.sign(TestStore.transaction.object).utf8)
    for count in stride(from: 0, to: text.count, by: 37) {
      let verdict = try verifier.transaction(Array(text.prefix(count)), instant: .signedDate)
      #expect(verdict.accepted == nil, "\(count) bytes")
    }
    let short = try verifier.transaction(Array(text.dropLast()), instant: .signedDate)
    #expect(short.accepted == nil)
  }
}

extension JSONObject {
  fileprivate var serializedSize: Int { JSONValue.object(self).serialized.count }
}
