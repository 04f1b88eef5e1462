import Foundation
import IAPModel
import ServerStorage

/// What is wrong with the server, in words for whoever runs it.
struct HealthReport: Sendable {
  let parts: ServerParts

  /// Something that should be looked at although requests are answered.
  struct Problem: Hashable, Sendable {
    /// A stable word.
    let code: String
    /// What was seen and what to do.
    let message: String
  }

  /// How long the work beside answering may be silent, in seconds, before somebody should look.
  static let workSecondsMax = 120
  /// How many reads may wait for a connection before somebody should look.
  static let waitingReadsMax = 100

  /// Writes nothing, which goes through the writer and its flush; says what is wrong.
  func write(at now: Date) async throws(ServerError) {
    do throws(StorageError) {
      _ = try await parts.ledger.commit(LedgerWrite(date: now))
    } catch {
      throw ServerError(
        503,
        .unavailable,
        .storageUnavailable,
        "The ledger cannot be written (\(error.code)): \(Self.words(error.code))",
        retryAfterSeconds: 1,
        inside: error.description
      )
    }
  }

  /// What endpoints of webhooks still have to be told.
  func backlog() async throws(ServerError) -> WebhookBacklog {
    let configuration = parts.configuration
    return try await parts.read { reader throws(StorageError) in
      var sum = WebhookBacklog()
      for app in configuration.apps {
        sum.add(try .all(of: app.bundleID, configuration.limits.webhooks, reader))
      }
      return sum
    }
  }

  /// What should be looked at.
  func problems(_ backlog: WebhookBacklog, at now: Date) -> [Problem] {
    var problems: [Problem] = []
    if backlog.isBehind(at: now), let oldest = backlog.oldest {
      let minutes = Int(now.timeIntervalSince(oldest) / 60)
      problems.append(
        Problem(
          code: "webhooksBehind",
          message: "An event has waited for \(minutes) minutes, and \(backlog.pending) wait with "
            + "it: look at the endpoints with GET /v1/webhooks."
        )
      )
    }
    if let age = parts.metrics.workAge(at: parts.world.uptime()),
      age > .seconds(Self.workSecondsMax)
    {
      problems.append(
        Problem(
          code: "workSilent",
          message: "Comparisons and answers to the App Store have not been looked at for "
            + "\(Int(age / .seconds(1))) seconds: look for 'work' in the log, else start anew."
        )
      )
    }
    for (labels, _) in parts.metrics.readings(of: .appleKey).filter({ $0.value == 0 }) {
      let place = labels.map(\.value).joined(separator: ", ")
      problems.append(
        Problem(
          code: "appleKeyRefused",
          message: "The App Store refused the key of \(place): 'iap doctor' says what to do."
        )
      )
    }
    let waiting = parts.ledger.load.waitingReads
    if waiting > Self.waitingReadsMax {
      problems.append(
        Problem(
          code: "readsWaiting",
          message: "\(waiting) reads wait for a connection of the database: it is slow, or there "
            + "are too few."
        )
      )
    }
    return problems.sorted { ($0.code, $0.message) < ($1.code, $1.message) }
  }

  /// What a problem of the ledger means for whoever runs it.
  static func words(_ code: StorageError.Code) -> String {
    switch code {
    case .busy: "too much is waiting, or another server holds it. It passes, or the disk is slow."
    case .full: "there is no room left on the disk. Nothing was lost; make room."
    case .readOnly: "it may only be read. A standby, a mount that is read-only, or wrong rights."
    case .corrupt: "it is damaged. Stop the server and restore a backup."
    case .newerSchema: "a newer version has changed it. Start that version."
    case .unavailable: "the database does not answer. Is it running, and can it be reached?"
    case .closed: "the server is stopping."
    default: "see the log."
    }
  }
}
