import Foundation
import IAPModel
import Testing

@testable import AppStoreSimulator

/// Random commands, and what holds after any of them.
struct ConsistencyTests {
  /// Drives a store with commands that are a function of the seed.
  struct Driver {
    let test: TestStore
    var random: SeededGenerator
    private(set) var refused = 0
    let accounts: [AccountID]
    let devices: [DeviceID]

    init(seed: UInt64) throws {
      test = try TestStore.rules(seed: seed) { options in
        options.gracePeriod = 16 * day
        options.familyDelay = seed.isMultiple(of: 3) ? 3600 : 0
        options.refundKeepsAutoRenew = seed.isMultiple(of: 5)
        options.revokesUpgraded = seed.isMultiple(of: 7)
        options.chargeLead = seed.isMultiple(of: 4) ? 0 : day
      }
      for product in [RulesCatalog.coins, RulesCatalog.book] {
        try test.store.addOfferCode(
          OfferCode("ONE-\(product)"),
          OfferCodeTerms(productID: product, offerName: "one", priceMilliunits: 100)
        )
      }
      random = SeededGenerator(seed: seed)
      accounts = [test.account, test.other]
      devices = [test.phone, test.otherPhone]
    }

    private mutating func any<Value>(_ values: [Value]) -> Value? {
      values.randomElement(using: &random)
    }

    /// One command; those that are impossible have to change nothing.
    mutating func step() throws {
      let before = test.store.history.count
      do {
        try command()
      } catch let error as SimulatorError {
        refused += 1
        #expect(!error.reason.isEmpty)
        #expect(test.store.history.count == before, "\(error) changed something")
      }
    }

    private mutating func command() throws {
      let store = test.store
      let products = [
        RulesCatalog.gold, RulesCatalog.goldAlone, RulesCatalog.silver, RulesCatalog.silverYear,
        RulesCatalog.silverTwin, RulesCatalog.weekly, RulesCatalog.book, RulesCatalog.coins,
      ]
      let offers: [OfferUse] = [
        .promotional("half", nil), .promotional("upfront", nil), .code("NEW"), .code("STACK"),
        .code("STAY"), .code("BACK"), .winBack("please"), .code("ONE-coins"), .code("ONE-book"),
      ]
      let transaction = any(accounts.flatMap { store.transactions(of: $0) })?.transactionID ?? "0"
      let original = any(store.subscriptions)?.originalTransactionID ?? "0"
      let account = any(accounts) ?? test.account
      switch Int.random(in: 0..<33, using: &random) {
      case 0..<5: try store.purchase(request(any(products)))
      case 5..<7: try store.purchase(request(any(products), any(offers)))
      case 7..<11: store.clock.advance(by: Double.random(in: 0...20, using: &random) * day)
      case 11: try store.setAutoRenew(Bool.random(using: &random), of: original)
      case 12: try store.refund(transaction)
      case 13: try store.reverseRefund(transaction)
      case 14: try store.requestRefund(transaction)
      case 15: try store.declineRefund(transaction)
      case 16, 17: try store.setPayment(works: Bool.random(using: &random), of: account)
      case 18: try store.forceRenewal(of: original)
      case 19: try store.expire(original)
      case 20:
        try store.setPrice(
          Int64.random(in: 1...20, using: &random) * 1000,
          of: any(products) ?? RulesCatalog.gold,
          existing: any(PriceChoice.allCases) ?? .keep
        )
      case 21: try store.answerPriceIncrease(Bool.random(using: &random), of: original)
      case 22:
        if store.families.isEmpty {
          try store.addFamily("home", organizer: accounts[0])
        } else {
          try store.joinFamily("home", account)
        }
      case 23: try store.leaveFamily("home", account)
      case let number: try rarer(number, account, original, any(products) ?? RulesCatalog.coins)
      }
    }

    private mutating func rarer(
      _ number: Int,
      _ account: AccountID,
      _ original: OriginalTransactionID,
      _ product: ProductID
    ) throws {
      let store = test.store
      switch number {
      case 24: try store.setAsksToBuy(Bool.random(using: &random), of: account)
      case 25, 26:
        if let pending = any(store.pendingPurchases.filter { $0.answer == .waiting }) {
          if Bool.random(using: &random) {
            try store.approve(pending.id)
          } else {
            try store.decline(pending.id)
          }
        }
      case 27: store.changeFaults { $0.interruptsPurchases.toggle() }
      case 28: try store.setMayBuy(Int.random(in: 0..<4, using: &random) > 0, of: account)
      case 29:
        _ = try store.extendRenewal(
          of: original,
          days: Int.random(in: 1...90, using: &random),
          reason: 0,
          request: RequestIdentifier(String(Int.random(in: 0..<1000, using: &random)))
        )
      case 30:
        try store.setForSale(Int.random(in: 0..<3, using: &random) > 0, product)
      case 31:
        try store.setSharesPurchases(Bool.random(using: &random), of: account)
      default: _ = try store.restore(on: any(devices) ?? test.phone)
      }
    }

    private mutating func request(
      _ product: ProductID?,
      _ offer: OfferUse? = nil
    ) -> PurchaseRequest {
      PurchaseRequest(
        device: any(devices) ?? test.phone,
        productID: product ?? RulesCatalog.gold,
        offerUse: offer
      )
    }
  }

  /// What has to hold, in words; empty when it does.
  static func violations(
    _ records: [StoreTransactionRecord],
    reversed: Set<TransactionID>
  ) -> [String] {
    var found: [String] = []
    for record in records {
      if let end = record.expiresDate, end < record.purchaseDate {
        found.append("\(record.transactionID) ends before it starts")
      }
      let root = records.first {
        $0.transactionID.rawValue == record.originalTransactionID.rawValue
      }
      if root?.purchaseDate != record.originalPurchaseDate {
        found.append("\(record.transactionID) has another original date")
      }
    }
    let live = records.filter {
      $0.type == .autoRenewable && $0.revocationDate == nil && !$0.isUpgraded
        && !reversed.contains($0.transactionID)
    }
    for (index, left) in live.enumerated() {
      for right in live.dropFirst(index + 1)
      where left.ownership == right.ownership && left.groupID == right.groupID
        && (left.ownership == .purchased
          || left.originalTransactionID == right.originalTransactionID)
      {
        guard let leftEnd = left.expiresDate, let rightEnd = right.expiresDate else { continue }
        if max(left.purchaseDate, right.purchaseDate) < min(leftEnd, rightEnd) {
          let ends = [left, right].map { record in
            "\(record.transactionID) \(record.productID) \(record.purchaseDate) \(record.reason)"
              + " to \(record.expiresDate ?? .distantPast) \(record.ownership)"
          }
          found.append("live at the same time: \(ends)")
        }
      }
    }
    return found
  }

  /// A few seeds always; as many as `IAP_SEEDS` says when somebody looks for more.
  private static let seeds: ClosedRange<UInt64> = {
    let text = ProcessInfo.processInfo.environment["IAP_SEEDS"]
    return 1...max(text.flatMap { UInt64($0) } ?? 12, 1)
  }()

  @Test(arguments: seeds)
  func randomCommandsLeaveAConsistentHistory(_ seed: UInt64) throws {
    var driver = try Driver(seed: seed)
    var known: [TransactionID: (OriginalTransactionID, Date)] = [:]
    for step in 0..<200 {
      try driver.step()
      let store = driver.test.store
      let reversed = Set(
        store.history.compactMap { entry in
          if case .refundReversed(let id) = entry.event { id } else { nil }
        }
      )
      var seen = 0
      for account in driver.accounts {
        let records = store.transactions(of: account)
        seen += records.count
        let found = Self.violations(records, reversed: reversed)
        #expect(found.isEmpty, "seed \(seed), step \(step): \(found)")
        if !found.isEmpty { return }
        for record in records {
          let value = (record.originalTransactionID, record.originalPurchaseDate)
          let old = known.updateValue(value, forKey: record.transactionID) ?? value
          #expect(old == value, "seed \(seed), step \(step): an original changed")
        }
        let own = store.subscriptions.filter {
          $0.account == account && $0.sharedFrom == nil && $0.isEntitled
        }
        #expect(own.count <= 1, "seed \(seed), step \(step): two subscriptions in one group")
      }
      // A refund deletes nothing.
      #expect(seen == known.count, "seed \(seed), step \(step)")
    }
    #expect(driver.refused > 0)
  }

  @Test func theStateIsAFoldOverTheHistory() throws {
    var driver = try Driver(seed: 99)
    for _ in 0..<250 { try driver.step() }
    let (live, history) = driver.test.store.read { ($0.state, $0.history) }
    var folded = StoreState(
      terms: live.terms,
      grace: GraceSettings(length: 16 * day),
      pace: live.pace
    )
    for entry in history { folded.apply(entry) }
    #expect(folded == live)
  }

  @Test func theSameSeedGivesTheSameBytes() throws {
    func bytes(_ seed: UInt64) throws -> [UInt8] {
      var driver = try Driver(seed: seed)
      for _ in 0..<200 { try driver.step() }
      return driver.test.store.history.flatMap { JSONValue.object($0.json).serialized }
    }
    #expect(try bytes(5) == bytes(5))
    #expect(try bytes(5) != bytes(6))
  }
}
