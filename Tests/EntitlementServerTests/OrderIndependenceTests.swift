import AppStoreSimulator
import EntitlementServer
import Foundation
import IAPEntitlements
import IAPModel
import IAPSignatures
import ServerStorage
import Testing

/// Whatever the order, the delay and the number in which facts come, and however often the server
/// is started anew on the way: the same state.
@Suite struct OrderIndependenceTests {
  // MARK: The sequences of the vectors

  private static let sequences = ["a", "b", "d", "f", "g", "j"]

  private func run(_ end: Date) throws -> DeliveryRun {
    DeliveryRun(
      roots: [try ServerVectors.bytes("derived-jws/pki/root.der")],
      app: ServerApp(bundleID: "com.example", appAppleID: AppAppleID(1234)),
      end: end
    )
  }

  private func parcels(_ sequence: String) throws -> [Parcel] {
    try ServerVectors.steps("sequence-" + sequence).map { step in
      let text = String(decoding: try ServerVectors.bytes("derived-jws/" + step), as: UTF8.self)
      let payload = try #require(
        Base64.decode(text.split(separator: ".")[1].utf8, .url)
      )
      let date = try #require(
        try JSONParser.parseObject(payload, limits: .signedPayload)["signedDate"]?.integerValue
      )
      return Parcel(notification: text, sent: Date(milliseconds: date))
    }
  }

  /// Whether there is time for all orders.
  static let isLong = ProcessInfo.processInfo.environment["IAP_LONG"] != nil

  /// Every order of a few parcels; of more, some of them.
  static func orders(_ parcels: [Parcel]) -> [[Parcel]] {
    guard parcels.count > (isLong ? 5 : 3) else { return permutations(parcels) }
    var random = SeededGenerator(seed: 5)
    return [parcels.reversed()]
      + (0..<(isLong ? 118 : 8)).map { _ in parcels.shuffled(using: &random) }
  }

  static func permutations<Element>(_ elements: [Element]) -> [[Element]] {
    guard let first = elements.first else { return [[]] }
    return permutations(Array(elements.dropFirst())).flatMap { rest in
      (0...rest.count).map { Array(rest[..<$0]) + [first] + Array(rest[$0...]) }
    }
  }

  @Test(
    .enabled(if: ServerVectors.arePresent, "no test vectors: set IAP_VECTORS"),
    arguments: sequences
  )
  func everyOrderOfASequenceEndsInTheSameState(sequence: String) async throws {
    let parcels = try parcels(sequence)
    let last = try #require(parcels.last)
    let run = try run(last.sent + 60)
    let expected = try await run.dump(Deliveries(inOrder: parcels))
    #expect(expected.lines.count > parcels.count)
    var count = 0
    for order in Self.orders(parcels) {
      let dump = try await run.dump(Deliveries(asGiven: order))
      expectSame(dump, expected, "")
      count += 1
    }
    for seed in 1...(Self.isLong ? 20 : 3) as ClosedRange<UInt64> {
      for deliveries in [
        Deliveries(parcels, seed: seed), Deliveries(shuffled: parcels, seed: seed),
      ] {
        let dump = try await run.dump(deliveries)
        expectSame(dump, expected, "seed \(seed): ")
        count += 1
      }
    }
    for seed in 1...3 as ClosedRange<UInt64> {
      var run = run
      run.width = 3
      run.clockError = seed == 1 ? -3600 : seed == 2 ? 3600 : 0
      let dump = try await run.dump(Deliveries(parcels, seed: seed), restarts: 2)
      expectSame(dump, expected, "seed \(seed): ")
      count += 1
    }
    print("ORDERS sequence-\(sequence): \(parcels.count) facts, \(count) permutations, one state")
  }

  /// What the files say about the end of each sequence, read out of the dump.
  @Test(
    .enabled(if: ServerVectors.arePresent, "no test vectors: set IAP_VECTORS"),
    arguments: sequences
  )
  func aSequenceEndsInTheStateOfItsFile(sequence: String) async throws {
    let parcels = try parcels(sequence)
    let last = try #require(parcels.last)
    let dump = try await run(last.sent + 60).dump(Deliveries(inOrder: parcels))
    let lines = try dump.lines.map { try JSONParser.parseObject(Array($0.utf8)) }
    let file = ServerVectors.folder
      .appendingPathComponent("derived-jws/sequence-\(sequence)/expected.json")
    let expected = try JSONParser.parseObject([UInt8](Data(contentsOf: file)))
    let states = try #require(expected["finalState"]?.objectValue)
    let phases: [Int64: String] = [
      1: "subscribed", 2: "expired", 3: "inBillingRetry", 4: "inGracePeriod", 5: "revoked",
    ]
    for member in states.members {
      let own = lines.filter { $0["original"]?.stringValue == member.name }
      let wanted = try #require(member.value.objectValue)
      let state = own.first { $0["what"] == "subscription" }
      if let status = wanted["status"]?.integerValue {
        #expect(state?["phase"]?.stringValue == phases[status])
      }
      for (name, place) in [("product", "product"), ("lastTransactionId", "transaction")] {
        if let value = wanted[name] { #expect(state?[place] == value) }
      }
      let renewal = state?["renewal"]?.objectValue
      for (name, place) in [
        ("expirationIntent", "expirationIntent"), ("autoRenewStatus", "autoRenewStatus"),
        ("nextProduct", "autoRenewProductId"),
      ] {
        if let value = wanted[name] { #expect(renewal?[place] == value) }
      }
      let keys = own.filter { $0["what"] == "entry" }.compactMap { $0["key"]?.stringValue }
      for (name, word) in [
        ("grants", "grant:"), ("clawbacks", "clawback:"), ("regrants", "regrant:"),
      ] {
        if let count = wanted[name]?.integerValue {
          #expect(keys.count { $0.hasPrefix(word) } == Int(count))
        }
      }
    }
  }

  // MARK: Two contents of one name

  @Test func twoContentsOfOneNotificationEndInOneStateWhicheverComesFirst() async throws {
    let chain = try SigningChain(
      shape: .transactions(
        validity: (TestServer.start - 86_400)...(TestServer.start + 86_400 * 400)
      ),
      seed: [3],
      signing: TestServer.sharedCrypto
    )
    func text(_ expires: TimeInterval, _ signed: TimeInterval) throws -> String {
      var transaction = TransactionPayload(
        transactionID: "50",
        originalTransactionID: "50",
        bundleID: "com.example",
        productID: "monthly",
        purchaseDate: TestServer.start
      )
      transaction.type = .autoRenewable
      transaction.environment = .sandbox
      transaction.signedDate = TestServer.start + signed
      transaction.expiresDate = TestServer.start + expires
      let writer = CompactJWSWriter(chain: chain)
      return try writer.sign([
        "notificationType": "SUBSCRIBED", "subtype": "INITIAL_BUY", "version": "2.0",
        "notificationUUID": "11111111-2222-4333-8444-555555555555",
        "signedDate": .integer((TestServer.start + signed).milliseconds),
        "data": [
          "bundleId": "com.example", "environment": "Sandbox", "appAppleId": 1234,
          "signedTransactionInfo": .string(try writer.sign(transaction.object)),
        ],
      ])
    }
    // Signed at the same millisecond, and a millisecond apart.
    for gap in [0, 0.001] {
      let parcels = [
        Parcel(notification: try text(86_400, 0), sent: TestServer.start),
        Parcel(notification: try text(86_400 * 30, gap), sent: TestServer.start),
      ]
      let run = DeliveryRun(
        roots: [chain.root],
        app: ServerApp(bundleID: "com.example", appAppleID: AppAppleID(1234)),
        end: TestServer.start + 3600
      )
      let first = try await run.dump(Deliveries(asGiven: parcels))
      let second = try await run.dump(Deliveries(asGiven: parcels.reversed()))
      expectSame(first, second, "")
      #expect(first.lines.count { $0.contains("\"what\":\"fact\"") } >= 3)
      let again = try await run.dump(Deliveries(asGiven: parcels + parcels.reversed() + parcels))
      #expect(again == first)
    }
  }

  @Test(arguments: [-3600.0, 3600])
  func aClockThatIsOffByAnHourChangesWhoHasAccessWhenAndNothingElse(
    error: TimeInterval
  ) async throws {
    let lives = try RandomLives(count: 3, days: 40, seed: 4)
    var run = lives.run
    let expected = try await run.dump(Deliveries(inOrder: lives.parcels))
    run.clockError = error
    #expect(try await run.dump(Deliveries(inOrder: lives.parcels)) == expected)
  }

  // MARK: Random lives

  @Test func theLivesOfManySubscriptionsEndInOneStateWhateverTheOrder() async throws {
    try await compare(try RandomLives(count: 25, days: 60, seed: 1), seeds: [1])
  }

  @Test(
    .enabled(
      if: ProcessInfo.processInfo.environment["IAP_LONG"] != nil,
      "set IAP_LONG for the lives of a thousand subscriptions"
    )
  )
  func theLivesOfAThousandSubscriptionsEndInOneStateWhateverTheOrder() async throws {
    try await compare(try RandomLives(count: 1000, days: 45, seed: 2), seeds: [1])
  }

  private func compare(_ lives: RandomLives, seeds: [UInt64]) async throws {
    var run = lives.run
    let expected = try await run.dump(Deliveries(inOrder: lives.parcels))
    run.width = 4
    var count = 0
    for seed in seeds {
      let memory = try await run.dump(Deliveries(shuffled: lives.parcels, seed: seed))
      expectSame(memory, expected, "seed \(seed): ")
      let file = try await run.dump(Deliveries(lives.parcels, seed: seed), restarts: 2)
      expectSame(file, expected, "seed \(seed): ")
      count += 2
    }
    let phases = Dictionary(
      grouping: expected.lines.filter { $0.contains("\"what\":\"subscription\"") },
      by: { line in
        SubscriptionState.Phase.allCases.first { line.contains("\"phase\":\"\($0.rawValue)\"") }
      }
    )
    // A life in which nothing happens would prove nothing.
    #expect(phases.count >= 4)
    print(
      "ORDERS lives: \(lives.count) subscriptions, \(lives.parcels.count) facts, "
        + "\(expected.lines.count) lines of state, \(count) permutations, one state; "
        + phases.map { "\($0.key?.rawValue ?? "?") \($0.value.count)" }.sorted()
        .joined(separator: ", ")
    )
  }
}
