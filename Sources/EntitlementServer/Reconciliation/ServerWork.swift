public import Foundation
import IAPModel
import ServerStorage

extension EntitlementServer {
  /// The most pages that one call of ``work(reconcilingEvery:)`` reads.
  public static let stepsMax = 1000

  /// Does what is due beside answering: tells the App Store what it asked, goes on with comparisons
  /// with it, begins the one that the schedule asks for, and asks again whether certificates were
  /// revoked before the answers end.
  ///
  /// Everything is in the ledger, so it can end at any place, and several servers can do it.
  ///
  /// - Parameter interval: How many seconds lie between two scheduled comparisons; nil for none.
  /// - Returns: How many answers were sent and pages read; 0 when nothing is due.
  public func work(reconcilingEvery interval: TimeInterval? = nil) async -> Int {
    var steps = 0
    parts.metrics.worked(at: parts.world.uptime())
    if let revocation = parts.verifiers.revocation {
      _ = await revocation.renew(at: await parts.clock.now())
    }
    do throws(ServerError) {
      try await ServerPresence(parts: parts).step()
      if let interval { try await schedule(every: interval) }
      var done = 0
      repeat {
        done = try await round(most: Self.stepsMax - steps)
        steps += done
      } while done > 0 && steps < Self.stepsMax && !Task.isCancelled
    } catch {
      parts.metrics.count(.errors, ["code": error.code.rawValue])
      parts.metrics.count(.jobs, ["job": "work", "outcome": "failed"])
      parts.world.log(
        ServerEvent(.error, "work", [.init("inside", error.inside ?? error.code.rawValue)])
      )
    }
    return steps
  }

  /// Shows the others that this server is there, when it is time to; beside the work, whose steps
  /// may wait long for the App Store.
  public func showPresence() async {
    do throws(ServerError) {
      try await ServerPresence(parts: parts).step()
    } catch {
      parts.metrics.count(.errors, ["code": error.code.rawValue])
    }
  }

  /// Leaves the work to others: before the server stops.
  public func endWork() async {
    do throws(ServerError) {
      try await WorkLease(parts: parts).release()
      try await ServerPresence(parts: parts).leave()
    } catch {
      // Whoever looks at what stands still finds out.
      parts.metrics.count(.errors, ["code": error.code.rawValue])
    }
  }

  /// Does at most one step of each kind for each app, so that neither a long queue nor a failure of
  /// one keeps the others waiting; returns how many.
  private func round(most: Int) async throws(ServerError) -> Int {
    var steps = 0
    var failure: ServerError?
    for app in parts.configuration.apps.map(\.bundleID) {
      for job in Job.allCases where steps < most && !Task.isCancelled {
        do throws(ServerError) {
          guard try await WorkLease(parts: parts).take(app) else { break }
          guard try await step(job, app) else { continue }
        } catch {
          failure = failure ?? error
          continue
        }
        steps += 1
        parts.metrics.count(.jobs, ["job": job.rawValue, "outcome": "done"])
        parts.metrics.worked(at: parts.world.uptime())
      }
    }
    if let failure { throw failure }
    return steps
  }

  /// The kinds of work, in the order of a round: the App Store waits for the first.
  private enum Job: String, CaseIterable {
    case consumption, accountTokens, reconciliation, moneyAudit
  }

  /// Does a step of a kind that is due; false when none is.
  private func step(_ job: Job, _ app: BundleID) async throws(ServerError) -> Bool {
    let now = await parts.clock.now()
    return switch job {
    case .consumption: try await ConsumptionAnswers(parts: parts).step(app, at: now)
    case .accountTokens: try await AccountTokenTasks(parts: parts).step(app, at: now)
    case .reconciliation: try await reconcile(app, at: now)
    case .moneyAudit: try await MoneyAuditJob(parts: parts).step(app, at: now)
    }
  }

  /// Reads a page of a comparison with the App Store; false when none is due.
  private func reconcile(_ app: BundleID, at now: Date) async throws(ServerError) -> Bool {
    guard parts.apple[app]?.canCompare == true else { return false }
    let running = LeasedDocuments(
      parts: parts,
      kind: .reconciliation,
      shelf: ReconciliationRecord.State.running.rawValue,
      untilMember: "retryAt"
    )
    return try await running.performFirst(of: app, at: now) { document throws(ServerError) in
      guard let record = try await ReconciliationJob(parts: parts).step(document, at: now) else {
        return false
      }
      parts.world.log(Self.progress(record))
      return true
    }
  }

  private static func progress(_ record: ReconciliationRecord) -> ServerEvent {
    let counts = ReconciliationRecord.counted.map {
      ServerEvent.Field($0, "\(record.counts[$0] ?? 0)")
    }
    let isOver = record.state != .running
    var fields: [ServerEvent.Field] = [
      .init("id", record.id), .init("app", record.scope.app.rawValue),
      .init("environment", record.scope.environment.rawValue),
      .init("state", record.state.rawValue), .init("stage", record.stage.rawValue),
    ]
    if let problem = record.problem { fields.append(.init("problem", problem)) }
    return ServerEvent(
      record.state == .failed ? .error : isOver || record.problem != nil ? .notice : .info,
      "reconciliation",
      fields + counts
    )
  }

  /// Begins the scheduled comparisons whose time has come; several servers begin the same ones.
  private func schedule(every interval: TimeInterval) async throws(ServerError) {
    let now = await parts.clock.now()
    let turn = Int64(now.timeIntervalSince1970 / interval)
    var write = LedgerWrite(date: now)
    for app in parts.configuration.apps where parts.apple[app.bundleID]?.canCompare == true {
      for environment in app.storeEnvironments {
        let scope = LedgerScope(app: app.bundleID, environment: environment)
        // Twice the span, so that what came late is seen by the next one.
        let record = ReconciliationRecord(
          id: "auto_\(environment.rawValue.lowercased())_\(turn)",
          scope: scope,
          start: now.addingTimeInterval(-2 * interval),
          end: now
        )
        let isBegun = try await parts.read { reader throws(StorageError) in
          try reader.document(record.key) != nil
        }
        if !isBegun { write.documents.append(record.document(.ifAbsent)) }
      }
    }
    guard !write.documents.isEmpty else { return }
    _ = try await parts.commit(write)
  }
}
