#if PLANTED_BUGS
/// A known mistake that can be switched on to show that the simulation's checkers find it.
///
/// Only builds made with `IAP_PLANTED=1` have it.
package enum PlantedBug: String, Hashable, Sendable, CaseIterable {
  /// The client tells StoreKit that it is done before the journal has the transaction.
  case finishesBeforeSave
  /// The device's files are written and not flushed.
  case savesWithoutFlush
  /// The client goes on when a save failed.
  case ignoresFailedSaves
  /// The client knows an effect by its transaction alone: a refund is nothing new.
  case knowsTransactionsOnly
  /// Whatever is no answer of the server counts as a refusal.
  case takesSilenceForRefusal
  /// An answer without content counts as "no access".
  case takesNothingForNoAccess
  /// The listener ends at the first element whose signature does not hold.
  case stopsAtUnverified
  /// A transaction that waits holds up all others.
  case blocksBehindTheFirst
  /// Goods go to whoever is signed in.
  case creditsWhoIsSignedIn
  /// An order that waits for a parent is forgotten with the process.
  case forgetsPendingOrders
  /// Each launch calls the handler with a key of its own.
  case namesEffectsByLaunch
  /// A torn end of a file costs the good records before it.
  case dropsFilesWithTornEnds
  /// The client hands over what the server named another installation for.
  case ignoresClaims
  /// The server answers before the disk has the write.
  case acknowledgesBeforeCommit
  /// The server answers as if a write that failed had not.
  case acknowledgesFailedWrites
  /// The server believes the notification that came last, not the one that was signed last.
  case believesLastArrival
  /// A refund of an old period ends the subscription's access.
  case endsAccessWithOldRefund
  /// The server does not know grace periods.
  case forgetsGrace
}
#endif
