extension IAPManager {
  /// Restores what the customer owns; call it on the user's tap only.
  ///
  /// - Returns: What the customer owns and may use.
  /// - Throws: ``IAPError``: `userCancelled`; `pending` when everything that was found still has to
  ///   be checked; or why the store could not be asked.
  public func restore() async throws -> [IAPTransactionResult] {
    let summary = await restoreSummary()
    if summary.isCancelled { throw IAPError.userCancelled }
    if let error = summary.error { throw error }
    let owned = summary.restored + summary.alreadyHad
    if owned.isEmpty, !summary.couldNotCheck.isEmpty { throw IAPError.pending }
    return owned
  }

  /// Restores what the customer owns, and tells apart what became of each purchase.
  ///
  /// - Returns: How it ended.
  public func restoreSummary() async -> RestoreSummary {
    let report = await funnel.restore()
    var summary = RestoreSummary(report)
    if summary.isNothingFound {
      world.log(
        LogLine(
          .info,
          "restore: nothing found; the purchase may belong to another App Store account"
        )
      )
    }
    // What is held has not been named to who judges access.
    if summary.error == nil, !summary.isCancelled, summary.held.isEmpty {
      entitlements.noteDeviceListed()
    }
    await refresh.run()
    summary.restored.sort { $0.purchaseDate < $1.purchaseDate }
    return summary
  }

  /// Tells the manager that the app came to the front: what waits is tried again, and the server is
  /// asked what the user may use.
  public func applicationDidBecomeActive() {
    Task { await resume(.foreground) }
  }

  /// Tells the manager that the network is back: what waits is tried again.
  public func networkDidReturn() {
    Task { await resume(.networkBack) }
  }

  /// What happens inside, for diagnostics.
  ///
  /// - Parameter replaying: Whether the stream begins with what happened before.
  /// - Returns: A stream of its own.
  package func events(replaying: Bool) -> AsyncStream<FunnelEvent> {
    funnel.events.subscribe(replaying: replaying)
  }

  /// Tries again what waits, and asks the server what the user may use.
  package func resume(_ trigger: RetryTrigger) async {
    await funnel.retry(trigger)
    await refreshCatalogIfDue()
    await refresh.run()
  }
}

extension RestoreSummary {
  /// Sorts what became of each copy.
  init(_ report: RestoreReport) {
    self.init()
    if report.error == .userCancelled { isCancelled = true } else { error = report.error }
    for progress in report.progress {
      switch progress {
      case .delivered(let result): restored.append(result)
      case .alreadyDelivered(let result): alreadyHad.append(result)
      case .processing(let result): couldNotCheck.append(result)
      case .held(let result), .rejected(let result), .quarantined(let result),
        .refused(let result):
        held.append(result)
      case .storageFailed(let failure): error = failure
      }
    }
  }
}
