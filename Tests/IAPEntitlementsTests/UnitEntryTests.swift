import IAPEntitlements
import IAPModel
import Testing

@Suite struct UnitEntryTests {
  @Test func entriesAreNamedByKindUnitAndOrdinal() {
    let grant = UnitEntry(.grant, "tx:1", ordinal: 0, date: Make.date(0))
    let clawback = UnitEntry(.clawback, "tx:1", ordinal: 1, date: Make.date(1))
    let regrant = UnitEntry(.regrant, "tx:1", ordinal: 1, date: Make.date(2))
    #expect([regrant, clawback, grant].sorted() == [grant, clawback, regrant])
    #expect(
      [grant, clawback, regrant].map(\.key) == ["grant:tx:1", "clawback:tx:1:1", "regrant:tx:1:1"]
    )
  }
}
