import Foundation
import IAPEntitlements
import IAPModel

/// Everything from which access is judged: a value, so that judging is pure.
struct AccessView: Hashable, Sendable {
  /// How much an answer of the server covers.
  enum Scope: Hashable, Sendable {
    /// Everything that the customer has: the server knows the account, or saw a whole receipt.
    case customer
    /// One purchase or subscription, by its original transaction.
    case purchase(OriginalTransactionID)
  }

  /// What the server said, and when.
  struct ServerAnswer: Hashable, Sendable {
    var entitlements: [ValidatedEntitlement]
    var asOf: Date
    /// Whether it was given to this process; otherwise it comes from the cache.
    var isFresh: Bool
    /// The number of the question that it answers; the cache's answers have none.
    var question = 0
  }

  /// What opened a feature at the end of an earlier run, as far as the device could tell.
  struct Remembered: Hashable, Sendable {
    var id: EntitlementID
    var productID: ProductID
    var until: Date?
  }

  var catalog = EntitlementCatalog()
  var policy = AccessPolicy()
  /// Whether there is a server, which then has the last word.
  var hasServer = false
  var answers: [Scope: ServerAnswer] = [:]
  /// What the device knows of the customer's transactions; consumables never give access.
  private(set) var facts: Set<StoreFact> = []
  /// What follows from those of them that count: made anew when they change, not when it is asked.
  private var history = StoreHistory([])
  /// The transactions that the server has judged, and those of them that it refused.
  var judged: Set<TransactionID> = []
  private(set) var refused: Set<TransactionID> = []
  /// The purchases of which the server says that they are another customer's.
  private var strangers: Set<OriginalTransactionID> = []
  /// What the device learnt of and the server has not answered to yet.
  var unanswered: Set<TransactionID> = []
  /// Whether the device has listed everything that the customer owns.
  var isDeviceListed = false
  var remembered: [Remembered] = []
  var rememberedAsOf: Date?
  /// The latest instant that the app has seen: it is not earlier now, whatever the clock says.
  var latestSeen = Date.distantPast
  /// The latest instant at which the App Store signed anything that is known.
  private var latestSigned = Date.distantPast
  /// States of subscriptions that are not known here, in StoreKit's number.
  private var strangeStates: [OriginalTransactionID: SubscriptionStatus] = [:]
  /// What the server said of subscriptions.
  private var serverSubscriptions: [IAPSubscription] = []
}

// MARK: Learning

extension AccessView {
  /// Takes the server's answer, which covers everything in its scope that was known until then.
  ///
  /// One that comes behind the answer to a later question says nothing new: what it knew is older,
  /// and what the device learnt of meanwhile counts provisionally until the next answer.
  ///
  /// - Parameters:
  ///   - entitlements: The answer.
  ///   - scope: What it covers.
  ///   - now: When it was given.
  ///   - asked: What had not been answered to when it was asked for; nil for all there is.
  ///   - question: The number of the question, in the order of asking.
  mutating func take(
    _ entitlements: [ValidatedEntitlement],
    _ scope: Scope,
    at now: Date,
    asked: Set<TransactionID>? = nil,
    question: Int = 0
  ) {
    let isLate = [scope, .customer].contains { (answers[$0]?.question ?? 0) > question }
    guard !isLate else { return }
    switch scope {
    case .customer:
      answers = [:]
      unanswered.subtract(asked ?? unanswered)
    case .purchase(let original):
      for fact in facts where fact.originalTransactionID == original {
        if let id = fact.transaction?.transactionID { unanswered.remove(id) }
      }
    }
    answers[scope] = ServerAnswer(
      entitlements: entitlements,
      asOf: now,
      isFresh: true,
      question: question
    )
  }

  /// Takes the server's answer about the customer.
  mutating func take(_ answer: CustomerAnswer, at now: Date, _ question: AccessQuestion) {
    take(
      answer.entitlements,
      .customer,
      at: now,
      asked: question.covered,
      question: question.number
    )
    serverSubscriptions = answer.subscriptions
  }

  /// Takes note of whether the server says that a purchase is another customer's: then what the
  /// device knows of it opens nothing.
  ///
  /// - Returns: Whether that is new.
  mutating func take(_ original: OriginalTransactionID, isAnothers: Bool) -> Bool {
    let isNews =
      isAnothers
      ? strangers.insert(original).inserted : strangers.remove(original) != nil
    if isNews { fold() }
    return isNews
  }

  /// Takes the server's verdict on one transaction.
  mutating func take(_ id: TransactionID, isAccepted: Bool) {
    judged.insert(id)
    let isNews = isAccepted ? refused.remove(id) != nil : refused.insert(id).inserted
    if isNews { fold() }
  }

  /// Takes a transaction that the device learnt of.
  ///
  /// - Parameters:
  ///   - payload: The transaction.
  ///   - isListed: Whether it is on the device's list: then an answer that covers it stands.
  /// - Returns: Whether it says anything new.
  mutating func take(_ payload: TransactionPayload, isListed: Bool = false) -> Bool {
    guard payload.type != .consumable else { return false }
    var payload = payload
    note(payload.signedDate)
    // StoreKit 1 signs nothing: whatever is signed knows better, and so does a revocation.
    if payload.signedDate == nil { payload.signedDate = payload.revocationDate }
    guard facts.insert(.transaction(payload)).inserted else { return false }
    fold()
    let isCovered =
      answers[.customer] != nil || answers[.purchase(payload.originalTransactionID)] != nil
    let isJudged = payload.revocationDate == nil && judged.contains(payload.transactionID)
    if !isJudged, !(isListed && isCovered) { unanswered.insert(payload.transactionID) }
    return true
  }

  /// Takes what StoreKit 2 says about a subscription.
  ///
  /// - Returns: Whether it says anything new.
  mutating func take(_ status: StoreSubscriptionStatus) -> Bool {
    let payload = status.transaction.payload
    let isKnown = (1...5).contains(status.status.rawValue)
    let old = strangeStates[payload.originalTransactionID]
    strangeStates[payload.originalTransactionID] = isKnown ? nil : status.status
    var isNews = old != strangeStates[payload.originalTransactionID]
    if case .verified = status.transaction.verification {
      isNews = take(payload, isListed: true) || isNews
    }
    guard let renewal = status.renewal, facts.insert(.renewal(renewal)).inserted else {
      return isNews
    }
    note(renewal.signedDate)
    fold()
    return true
  }

  /// Takes the purchases of a genuine receipt; it lists everything that lasts.
  ///
  /// - Returns: Whether it says anything new.
  mutating func take(receipt lines: [TransactionPayload]) -> Bool {
    var isNews = !isDeviceListed
    isDeviceListed = true
    for line in lines where line.type != .consumable {
      note(line.signedDate)
      if facts.insert(.receiptLine(line)).inserted { isNews = true }
    }
    if isNews { fold() }
    return isNews
  }

  /// Forgets what depends on the app's user.
  mutating func forgetUser(keeping isOwn: (TransactionPayload) -> Bool) {
    facts = facts.filter { $0.transaction.map(isOwn) ?? true }
    answers = [:]
    serverSubscriptions = []
    (judged, refused, strangers) = ([], [], [])
    unanswered = Set(facts.compactMap { $0.transaction?.transactionID })
    (remembered, rememberedAsOf) = ([], nil)
    // The list was looked through for the purchases of the user before.
    isDeviceListed = false
    fold()
  }

  /// The groups of all subscriptions that are known.
  var groups: Set<SubscriptionGroupID> {
    Set(facts.compactMap { $0.transaction?.subscriptionGroupID })
  }

  private mutating func note(_ signedDate: Date?) {
    latestSigned = max(latestSigned, signedDate ?? .distantPast)
  }

  /// Takes note of the time.
  ///
  /// A clock that was ahead for a while is believed again once the App Store or the server has
  /// spoken within the tolerance of what it shows.
  mutating func see(_ now: Date) {
    let spoken = answers.values.filter(\.isFresh).map(\.asOf) + [latestSigned]
    let isRight = spoken.contains { abs($0.timeIntervalSince(now)) <= policy.rollbackSeconds }
    latestSeen = isRight ? now : max(latestSeen, now)
  }

  private mutating func fold() {
    history = StoreHistory(
      admitted: facts.filter { fact in
        !(fact.originalTransactionID.map { strangers.contains($0) } ?? false)
          && !(fact.transaction.map { refused.contains($0.transactionID) } ?? false)
      }
    )
  }
}

// MARK: Judging

extension AccessView {
  /// What the device's own facts say.
  func report(at now: Date) -> AccessReport { report(of: states(at: now), at: now) }

  /// The same for who has looked at the subscriptions already.
  func report(of states: [SubscriptionState], at now: Date) -> AccessReport {
    history.access(at: trusted(now), catalog: catalog, subscriptions: states)
  }

  /// What the device's own facts say of subscriptions.
  func states(at now: Date) -> [SubscriptionState] { history.subscriptions(at: trusted(now)) }

  /// Every subscription: what the device knows of its renewal comes first, then the server's word.
  func subscriptions(at now: Date) -> [IAPSubscription] { subscriptions(states(at: now)) }

  /// The same for who has asked what the device's own facts say.
  func subscriptions(_ states: [SubscriptionState]) -> [IAPSubscription] {
    var known: [OriginalTransactionID: IAPSubscription] = [:]
    for var state in serverSubscriptions {
      let current = state.productID
      state.planChange = state.pendingProductID.map { catalog.change(from: current, to: $0) }
      known[state.id] = state
    }
    for state in states
    where state.renewal != nil || known[state.originalTransactionID] == nil {
      known[state.originalTransactionID] = IAPSubscription(state, catalog: catalog)
    }
    for (id, status) in strangeStates {
      known[id]?.state = IAPSubscription.State(rawValue: "status \(status)")
    }
    return known.values.sorted { $0.id < $1.id }
  }

  /// The present, but never before what was seen or signed: the clock was set back then.
  private func trusted(_ now: Date) -> Date { isSetBack(now) ? max(latestSigned, latestSeen) : now }

  /// Whether the clock shows a time that is over.
  private func isSetBack(_ now: Date) -> Bool {
    now < max(latestSigned, latestSeen) - policy.rollbackSeconds
  }

  /// Whether the user may use the feature.
  func access(to id: String, at now: Date) -> Access {
    let report = report(at: now)
    let device = report.access(to: EntitlementID(id))
    let answers = timelyAnswers(at: now)
    guard !answers.isEmpty else {
      if let device { return .yes(until: device.until, source: .device, provisional: hasServer) }
      // A kept answer that does not count any more may have said yes.
      if isDeviceListed, self.answers.isEmpty, !isSetBack(now) { return .no }
      return rememberedAccess(to: id, report: report, at: now)
    }
    let said = grants(of: answers, report: report, at: now)
      .filter { $0.entitlement.id == id }
      .max { ($0.entitlement.until ?? .distantFuture) < ($1.entitlement.until ?? .distantFuture) }
    if let said {
      return .yes(until: said.entitlement.until, source: .server, provisional: !said.isFresh)
    }
    if let device, isOpen(device) {
      return .yes(until: device.until, source: .device, provisional: true)
    }
    return isDeviceListed || answers.contains(where: \.isFresh) ? .no : .unknown
  }

  /// The products that give access.
  func productIDs(at now: Date) -> Set<String> { productIDs(report(at: now), at: now) }

  /// The same for who has asked what the device's own facts say.
  func productIDs(_ report: AccessReport, at now: Date) -> Set<String> {
    let answers = timelyAnswers(at: now)
    guard !answers.isEmpty else {
      var ids = Set(report.productIDs.map(\.rawValue))
      guard !isDeviceListed else { return ids }
      for entry in remembered
      where rememberedAccess(to: entry.id.rawValue, report: report, at: now).isGranted {
        ids.insert(entry.productID.rawValue)
      }
      return ids
    }
    var ids = Set(
      grants(of: answers, report: report, at: now).map {
        $0.entitlement.productId ?? $0.entitlement.id
      }
    )
    for entitlement in report.entitlements where isOpen(entitlement) {
      ids.insert(entitlement.productID.rawValue)
    }
    return ids
  }

  /// Whether the server has not said anything about what the device knows: it learnt of it later,
  /// or only other purchases were asked about.
  private func isOpen(_ entitlement: Entitlement) -> Bool {
    unanswered.contains(entitlement.transactionID)
      || answers[.customer] == nil
        && answers[.purchase(entitlement.originalTransactionID)] == nil
  }

  private struct Grant {
    let entitlement: ValidatedEntitlement
    let isFresh: Bool
  }

  private func timelyAnswers(at now: Date) -> [ServerAnswer] {
    answers.values.filter { isTimely($0.asOf, at: now) }
  }

  private func isTimely(_ asOf: Date, at now: Date) -> Bool {
    let age = now.timeIntervalSince(asOf)
    return age <= policy.offlineSeconds && age >= -policy.rollbackSeconds
  }

  private func grants(
    of answers: [ServerAnswer],
    report: AccessReport,
    at now: Date
  ) -> [Grant] {
    answers.flatMap { answer in
      answer.entitlements
        .filter { ($0.until.map { $0 > now } ?? true) && !isRevoked($0, in: report) }
        .map { Grant(entitlement: $0, isFresh: answer.isFresh) }
    }
  }

  /// Whether the device learnt of a revocation that the server's answer could not know: it acts at
  /// once.
  private func isRevoked(_ entry: ValidatedEntitlement, in report: AccessReport) -> Bool {
    report.lapsed.contains { lapsed in
      guard lapsed.reason == .revoked, lapsed.id.rawValue == entry.id,
        entry.productId == nil || entry.productId == lapsed.productID.rawValue
      else { return false }
      return facts.contains { fact in
        guard let payload = fact.transaction else { return false }
        return payload.originalTransactionID == lapsed.originalTransactionID
          && payload.revocationDate != nil && unanswered.contains(payload.transactionID)
      }
    }
  }

  private func rememberedAccess(to id: String, report: AccessReport, at now: Date) -> Access {
    guard !isDeviceListed, let rememberedAsOf, isTimely(rememberedAsOf, at: now) else {
      return .unknown
    }
    let entry = remembered.first { entry in
      entry.id.rawValue == id && (entry.until.map { $0 > now } ?? true)
        && !report.lapsed.contains { $0.id.rawValue == id }
    }
    guard let entry else { return .unknown }
    return .yes(until: entry.until, source: .device, provisional: true)
  }
}
