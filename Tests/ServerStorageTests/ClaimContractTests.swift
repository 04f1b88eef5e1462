import Foundation
import IAPEntitlements
import IAPModel
import ServerStorage
import Testing

/// Which installation hands over a unit that is used up.
@Suite struct ClaimContractTests {
  /// The claim after the writes, as it was answered and as it is read again.
  private func claim(_ backend: Backend, after writes: [LedgerWrite]) async throws -> ClaimRecord? {
    try await backend.withLedger { ledger in
      var answered: ClaimRecord?
      for write in writes { answered = try await ledger.commit(write).claims.last }
      let read = try await ledger.read { reader throws(StorageError) in
        try reader.claim(to: "tx:1", in: Make.scope)
      }
      #expect(answered == read)
      #expect(try await ledger.counts().claims == (writes.isEmpty ? 0 : 1))
      return read
    }
  }

  @Test(arguments: Backend.allCases)
  func nobodyHasClaimedWhatIsNew(_ backend: Backend) async throws {
    #expect(try await claim(backend, after: []) == nil)
  }

  @Test(arguments: Backend.allCases)
  func firstInstallationToClaimAUnitDeliversIt(_ backend: Backend) async throws {
    try await backend.withLedger { ledger in
      let writes = [
        Make.claim("phone", at: 0), Make.claim("pad", at: 1), Make.claim("pad", "tx:2", at: 2),
        Make.claim("phone", at: 3),
      ]
      var claimers: [InstallationID] = []
      for write in writes { claimers += try await ledger.commit(write).claims.map(\.installation) }
      #expect(claimers == ["phone", "phone", "pad", "phone"])
      #expect(try await ledger.counts().claims == 2)
    }
  }

  @Test(arguments: Backend.allCases)
  func claimMovesOneSecondAfterItsLease(_ backend: Backend) async throws {
    let atItsEnd = try await claim(
      backend,
      after: [Make.claim("phone", at: 0), Make.claim("pad", at: 3600)]
    )
    #expect(atItsEnd == ClaimRecord(installation: "phone", date: Make.date(0)))
    let after = try await claim(
      backend,
      after: [Make.claim("phone", at: 0), Make.claim("pad", at: 3601)]
    )
    #expect(after == ClaimRecord(installation: "pad", date: Make.date(3601)))
  }

  @Test(arguments: Backend.allCases)
  func claimerThatIsHeardOfKeepsItsClaim(_ backend: Backend) async throws {
    let kept = try await claim(
      backend,
      after: [
        Make.claim("phone", at: 0), Make.claim("phone", at: 3000), Make.claim("pad", at: 6600),
        // Its own clock never makes a claim older.
        Make.claim("phone", at: 10),
      ]
    )
    #expect(kept == ClaimRecord(installation: "phone", date: Make.date(3000)))
  }

  @Test(arguments: Backend.allCases)
  func acknowledgedClaimNeverMoves(_ backend: Backend) async throws {
    let kept = try await claim(
      backend,
      after: [
        Make.claim("phone", at: 0), Make.claim("phone", at: 60, acknowledges: true),
        Make.claim("phone", at: 70, acknowledges: true), Make.claim("pad", at: 1_000_000),
        Make.claim("pad", at: 1_000_001, acknowledges: true),
      ]
    )
    #expect(
      kept
        == ClaimRecord(
          installation: "phone",
          date: Make.date(0),
          acknowledgedDate: Make.date(60)
        )
    )
  }

  @Test(arguments: Backend.allCases)
  func whoeverHandedItOverIsBelieved(_ backend: Backend) async throws {
    // The phone's claim moved while it was handing over: the pad must not do so again.
    let told = try await claim(
      backend,
      after: [
        Make.claim("phone", at: 0), Make.claim("pad", at: 3601),
        Make.claim("phone", at: 3700, acknowledges: true),
      ]
    )
    #expect(
      told
        == ClaimRecord(
          installation: "phone",
          date: Make.date(3700),
          acknowledgedDate: Make.date(3700)
        )
    )
    let unclaimed = try await claim(
      backend,
      after: [Make.claim("phone", at: 5, acknowledges: true)]
    )
    #expect(unclaimed?.acknowledgedDate == Make.date(5))
  }
}
