import AppStoreServerAPI

// Every metric of the server: the page lists all of them, and the dashboard and the alerts in
// `deploy/` may name no others.
extension ServerMetrics {
  /// Counters, in the order of their names.
  static let counters: [Counter] =
    [
      .appleCalls, .database, .entries, .errors, .failures, .jobs, .ledgerErrors, .notifications,
      .offers,
      .requests, .reviews, .slow, .verdicts, .webhooks,
    ]
    .sorted { $0.name < $1.name }
  /// Histograms, in the order of their names.
  static let histograms: [Histogram] =
    [
      .appleSeconds, .ledgerSeconds, .notificationAge, .requestSeconds, .verification,
      .webhookSeconds,
    ]
    .sorted { $0.name < $1.name }
  /// Gauges, in the order in which the page shows them.
  static let gauges: [Gauge] = [
    .facts, .subjects, .transactions, .ledgerEntries, .orders, .conflicts, .outbox, .readsInFlight,
    .commitsInFlight, .readersMax, .readersBusy, .readsWaiting, .writesWaiting, .webhookPending,
    .heldLanes, .deadLetters, .oldestWebhook, .appleBudget, .appleKey, .workAge, .requestsInFlight,
    .servers, .clockApart, .uptime, .simulated,
  ]
}

extension ServerMetrics.Counter {
  static let requests = Self(name: "iap_http_requests_total", help: "Requests answered.")
  static let verdicts = Self(name: "iap_verdicts_total", help: "Verdicts on evidence.")
  static let failures = Self(
    name: "iap_rule_failures_total",
    help: "Rules that signed data did not follow."
  )
  static let notifications = Self(
    name: "iap_notifications_total",
    help: "Notifications recorded, or known already."
  )
  static let entries = Self(
    name: "iap_unit_entries_total",
    help: "Grants, clawbacks and regrants that took effect."
  )
  static let offers = Self(name: "iap_offers_signed_total", help: "Offers signed.")
  static let reviews = Self(
    name: "iap_reviews_total",
    help: "Cases that were reported or decided."
  )
  static let errors = Self(name: "iap_errors_total", help: "Requests that ended in an error.")
  static let webhooks = Self(
    name: "iap_webhook_attempts_total",
    help: "Attempts to send events, and what came of them."
  )
  static let jobs = Self(
    name: "iap_jobs_total",
    help: "Steps of the work beside answering, by job and outcome."
  )
  static let ledgerErrors = Self(
    name: "iap_ledger_errors_total",
    help: "Reads and commits of the ledger that failed, by code."
  )
  static let slow = Self(
    name: "iap_slow_queries_total",
    help: "Statements, reads and commits that took longer than slowQueryMilliseconds."
  )
  static let database = Self(
    name: "iap_database_events_total",
    help: "Lost connections, repeated transactions and lost answers of the ledger's database."
  )
  static let appleCalls = Self(
    name: "iap_apple_requests_total",
    help: "Requests to the App Store's server, and what came of them."
  )
}

extension ServerMetrics.Histogram {
  /// The upper ends of buckets for what a request waits for, in seconds.
  static let quick = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5]
  /// The same for what other machines take.
  static let far = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 30]

  static let requestSeconds = Self(
    name: "iap_http_request_seconds",
    help: "How long requests took.",
    bounds: quick
  )
  static let verification = Self(
    name: "iap_verification_seconds",
    help: "How long signatures and receipts took to judge.",
    bounds: [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.25, 1]
  )
  static let ledgerSeconds = Self(
    name: "iap_ledger_seconds",
    help: "How long reads and durable commits took, with waiting.",
    bounds: quick
  )
  static let notificationAge = Self(
    name: "iap_notification_age_seconds",
    help: "How old notifications were when they were recorded.",
    bounds: [1, 5, 30, 60, 300, 1800, 3600, 21_600, 86_400]
  )
  static let webhookSeconds = Self(
    name: "iap_webhook_attempt_seconds",
    help: "How long endpoints took to answer.",
    bounds: far
  )
  static let appleSeconds = Self(
    name: "iap_apple_request_seconds",
    help: "How long the App Store's server took to answer.",
    bounds: far
  )
}

extension ServerMetrics.Gauge {
  static let facts = Self(name: "iap_ledger_facts", help: "Facts in the ledger.")
  static let subjects = Self(
    name: "iap_ledger_subjects",
    help: "Purchases and subscriptions in the ledger."
  )
  static let transactions = Self(
    name: "iap_ledger_transactions",
    help: "Transactions in the ledger."
  )
  static let ledgerEntries = Self(
    name: "iap_ledger_entries",
    help: "Grants, clawbacks and regrants in the ledger."
  )
  static let orders = Self(name: "iap_ledger_orders", help: "Orders in the ledger.")
  static let conflicts = Self(
    name: "iap_ledger_conflicts",
    help: "Purchases presented by another customer."
  )
  static let outbox = Self(
    name: "iap_ledger_outbox",
    help: "Events for the app's own backend."
  )
  static let readsInFlight = Self(
    name: "iap_ledger_reads_in_flight",
    help: "Reads that were begun and have not ended."
  )
  static let commitsInFlight = Self(
    name: "iap_ledger_commits_in_flight",
    help: "Commits that were begun and are not durable yet."
  )
  static let readersMax = Self(
    name: "iap_ledger_readers",
    help: "Connections that read."
  )
  static let readersBusy = Self(
    name: "iap_ledger_readers_busy",
    help: "Connections that are reading now."
  )
  static let readsWaiting = Self(
    name: "iap_ledger_reads_waiting",
    help: "Reads that wait for a connection."
  )
  static let writesWaiting = Self(
    name: "iap_ledger_writes_waiting",
    help: "Writes that wait for the next commit."
  )
  static let webhookPending = Self(
    name: "iap_webhook_pending",
    help: "Events that endpoints were not told yet."
  )
  static let heldLanes = Self(
    name: "iap_webhook_held_lanes",
    help: "Customers whose events wait for one that did not arrive."
  )
  static let deadLetters = Self(
    name: "iap_webhook_dead_letters",
    help: "Events that were given up."
  )
  static let oldestWebhook = Self(
    name: "iap_webhook_oldest_seconds",
    help: "Age of the oldest event that was not told yet."
  )
  static let appleBudget = Self(
    name: "iap_apple_budget_remaining",
    help: "Requests that Apple's rate leaves for now, by endpoint."
  )
  static let appleKey = Self(
    name: "iap_apple_key_accepted",
    help: "Whether the App Store accepted the app's key when the server started."
  )
  static let workAge = Self(
    name: "iap_work_age_seconds",
    help: "Seconds since the work beside answering was last looked at."
  )
  static let requestsInFlight = Self(
    name: "iap_http_requests_in_flight",
    help: "Requests that are being answered."
  )
  static let servers = Self(name: "iap_servers", help: "Servers that share the ledger.")
  static let clockApart = Self(
    name: "iap_server_clock_apart_seconds",
    help: "How far another server's clock is from this one's."
  )
  static let uptime = Self(name: "iap_uptime_seconds", help: "Seconds since the server started.")
  static let simulated = Self(
    name: "iap_simulated",
    help: "Whether simulated stores are trusted."
  )
}

extension ServerMetrics {
  /// Notes a call of the App Store's server.
  func note(_ call: AppStoreCallNote) {
    let environment = call.isProduction ? "Production" : "Sandbox"
    count(
      .appleCalls,
      ["endpoint": call.endpoint, "environment": environment, "outcome": call.outcome]
    )
    observe(.appleSeconds, seconds: call.seconds, ["endpoint": call.endpoint])
  }
}
