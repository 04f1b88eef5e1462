import AppStoreSimulator
package import IAPKit

/// Who takes part in a run.
package struct Cast: Hashable, Sendable {
  /// An account of the App Store.
  package struct Customer: Hashable, Sendable {
    /// Whether a parent is asked before each purchase.
    package var asksToBuy: Bool
    /// Whether it begins in the family.
    package var isInFamily: Bool
    /// How many users of the app it has: people who share a telephone.
    package var userCount: Int
  }

  /// A telephone.
  package struct Handset: Hashable, Sendable {
    /// Whose, as an index into the customers.
    package var customer: Int
    /// Which API the app uses at first.
    package var generation: StoreGeneration
  }

  /// The accounts.
  package var customers: [Customer]
  /// The telephones.
  package var handsets: [Handset]
  /// How many servers there are.
  package var serverCount: Int
  /// Whether the user's token travels with payments in place of the order's number.
  package var usesUserTokens: Bool

  /// Whether the app never takes the first consumable that is handed to it, whose order waits for
  /// ever and must not hold up the others.
  package var postponesFirst: Bool

  /// Whether the apps keep what happened for support, which costs as much as a fifth of a run: the
  /// files of the others have nothing to do with it.
  package var keepsEvents = false
  /// Whether the app lets hours pass between late attempts, in the place of one: attempts by the
  /// hour through days of trouble are more than half of the work of a run, and all alike.
  package var isPatient = false
  /// Whether the app refuses the first goods that are handed to it: a person has to look at them.
  package var refusesFirst = false
  /// Whether no means of payment works for a week after the faults have stopped, in which periods
  /// end: what a grace period gives is looked at then.
  package var failsToPay = false

  /// Draws a cast.
  ///
  /// - Parameters:
  ///   - generator: Where chance comes from.
  ///   - profile: What the run is about.
  init(_ generator: inout SeededGenerator, profile: RunProfile) {
    let sharesTelephones = generator.percent(profile == .accounts ? 70 : 15)
    usesUserTokens = sharesTelephones || generator.percent(20)
    let count = generator.number(in: Self.customerCounts(profile))
    let hasFamily = count > 1 && generator.percent(50)
    customers = (0..<count).map { index in
      Customer(
        asksToBuy: index > 0 && generator.percent(hasFamily ? 30 : 10),
        isInFamily: hasFamily && (index == 0 || generator.percent(70)),
        userCount: sharesTelephones && generator.percent(60) ? 2 : 1
      )
    }
    handsets = []
    for index in customers.indices {
      for _ in 0..<(generator.percent(35) ? Self.handsetsMax : 1) {
        handsets.append(
          Handset(customer: index, generation: generator.percent(45) ? .storekit1 : .storekit2)
        )
      }
    }
    serverCount = generator.number(in: 1...Self.serversMax)
    postponesFirst = generator.percent(12)
  }

  /// The most telephones of an account.
  static let handsetsMax = 2
  /// The most servers.
  static let serversMax = 2

  static func customerCounts(_ profile: RunProfile) -> ClosedRange<Int> {
    profile == .accounts ? 2...4 : 1...3
  }

  /// The name of a user in the server's books.
  package static func user(_ customer: Int, _ user: Int) -> String { "user-\(customer)-\(user)" }
}

/// What a run is about.
package enum RunProfile: String, Hashable, Sendable, CaseIterable {
  /// A little of everything.
  case standard
  /// Nothing goes wrong.
  case calm
  /// Kills, disks and networks, and little else.
  case storm
  /// Renewals, plans, refunds, billing.
  case subscriptions
  /// People who share telephones, families, children.
  case accounts
}
