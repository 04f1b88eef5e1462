import Foundation
import IAPEntitlements
import IAPModel
import Testing

@Suite struct UnitEntryTests {
  private func keys(_ facts: [StoreFact]) -> [String] {
    StoreHistory(facts).unitEntries.map(\.key)
  }

  @Test func entriesOfAUnitAreOrderedAsTheyTakeEffect() {
    let grant = UnitEntry(.grant, "tx:1", ordinal: 0, date: Make.date(0))
    let clawback = UnitEntry(.clawback, "tx:1", ordinal: 1, date: Make.date(1))
    let regrant = UnitEntry(.regrant, "tx:1", ordinal: 1, date: Make.date(2))
    #expect([regrant, clawback, grant].sorted() == [grant, clawback, regrant])
  }

  @Test func everyTypeHasItsUnit() {
    let facts: [StoreFact] = [
      .transaction(Make.transaction("1", .consumable)),
      .transaction(Make.transaction("2", .nonRenewable)),
      .transaction(Make.transaction("3", .nonConsumable, original: "30")),
      Make.period(4, from: 0, to: 30),
      .transaction(Make.transaction("5", nil)),
      .transaction(Make.transaction("6", ProductType(rawValue: "Something New"))),
    ]
    let history = StoreHistory(facts)
    #expect(
      history.unitEntries.map(\.key).sorted() == [
        "grant:orig:30", "grant:period:S:line:4", "grant:tx:1", "grant:tx:2",
      ]
    )
    #expect(history.transaction("5")?.unit == nil)
    #expect(history.transaction("6")?.unit == nil)
  }

  @Test func refundTouchesItsOwnTransactionOnly() {
    let facts: [StoreFact] = [
      Make.period(1, from: 0, to: 30), Make.period(2, from: 30, to: 60, reason: .renewal),
      Make.period(1, from: 0, to: 30, signed: 40, revoked: 39),
    ]
    let history = StoreHistory(facts)
    #expect(history.units.map(\.isActive) == [false, true])
    #expect(
      history.unitEntries.map(\.key) == [
        "grant:period:S:line:1", "clawback:period:S:line:1:1", "grant:period:S:line:2",
      ]
    )
  }

  @Test func reversedRefundIsGrantedAgainAndASecondRefundIsCounted() {
    let story = [
      Make.transaction("1", signed: 0), Make.transaction("1", signed: 2, revoked: 1),
      Make.transaction("1", signed: 4), Make.transaction("1", signed: 6, revoked: 5),
    ].map { StoreFact.transaction($0) }
    let effects = ["grant:tx:1", "clawback:tx:1:1", "regrant:tx:1:1", "clawback:tx:1:2"]
    for count in 1...4 { #expect(keys(Array(story.prefix(count))) == Array(effects.prefix(count))) }
    // Without the fact in between, the later revocation still shows that the first was undone.
    #expect(keys([story[0], story[1], story[3]]) == effects)
  }

  @Test func olderUnrevokedFactDoesNotUndoARefund() {
    let facts: [StoreFact] = [
      .transaction(Make.transaction("1", signed: 9, revoked: 8)),
      .transaction(Make.transaction("1", signed: 7)),
    ]
    #expect(keys(facts) == ["grant:tx:1", "clawback:tx:1:1"])
  }

  @Test func revocationDatesThatDifferByLessThanASecondAreOneRevocation() {
    var line = Make.transaction("1", signed: 3, revoked: 1)
    line.revocationDate = Make.date(1).addingTimeInterval(0.9)
    let facts: [StoreFact] = [
      .transaction(Make.transaction("1", signed: 2, revoked: 1)), .receiptLine(line),
    ]
    #expect(keys(facts) == ["grant:tx:1", "clawback:tx:1:1"])
  }

  @Test func restoredCopiesAreTheSameUnit() {
    let facts: [StoreFact] = [
      .transaction(Make.transaction("1", .nonConsumable, product: "pro")),
      .receiptLine(Make.transaction("9", .nonConsumable, product: "pro", original: "1", bought: 5)),
    ]
    let history = StoreHistory(facts)
    #expect(history.unitEntries.map(\.key) == ["grant:orig:1"])
    #expect(history.units.first?.transactionIDs == ["1", "9"])
  }

  @Test func refundTakesRestoredCopiesWithIt() {
    let facts: [StoreFact] = [
      .transaction(Make.transaction("1", .nonConsumable)),
      .receiptLine(Make.transaction("9", .nonConsumable, original: "1", bought: 5, signed: 5)),
      .transaction(Make.transaction("1", .nonConsumable, signed: 8, revoked: 7)),
    ]
    let history = StoreHistory(facts)
    #expect(history.transactions.map(\.isRevoked) == [true, true])
  }

  @Test func productBoughtAgainAfterARefundIsGrantedAgain() {
    let refunded = [
      Make.transaction("1", .nonConsumable),
      Make.transaction("1", .nonConsumable, signed: 8, revoked: 7),
    ].map { StoreFact.transaction($0) }
    let again = StoreFact.transaction(
      Make.transaction("2", .nonConsumable, original: "1", bought: 9)
    )
    let signedLate = StoreFact.transaction(
      Make.transaction("1", .nonConsumable, signed: 12, revoked: 7)
    )
    #expect(
      keys(refunded + [again, signedLate]) == [
        "grant:orig:1", "clawback:orig:1:1", "regrant:orig:1:1",
      ]
    )
  }

  @Test func periodWithoutLineItemJoinsThePeriodThatEndsWithIt() {
    let lined = Make.period(2, from: 30, to: 60)
    let copy = StoreFact.receiptLine(
      Make.transaction(
        "99",
        .autoRenewable,
        product: "monthly",
        original: "S",
        bought: 45,
        expires: 60,
        signed: 45
      )
    )
    let alone = StoreHistory([copy])
    let both = StoreHistory([copy, lined])
    #expect(both.units.map(\.unit) == ["period:S:line:2"])
    // A ledger that granted under the first name finds it among the names.
    #expect(both.units[0].names.contains(alone.units[0].unit))
  }

  @Test func dateThatAnUpgradeLeavesIsNoRefund() {
    let facts = [
      Make.period(1, from: 0, to: 30),
      Make.period(1, from: 0, to: 30, signed: 10, revoked: 10) { $0.isUpgraded = true },
      Make.period(2, from: 10, to: 40, product: "yearly"),
    ]
    #expect(keys(facts) == ["grant:period:S:line:1", "grant:period:S:line:2"])
  }
}
