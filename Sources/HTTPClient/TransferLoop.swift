internal import CCurl
internal import Foundation
internal import Synchronization

/// The thread that all transfers of one client run on.
///
/// libcurl's handles belong to the thread alone; other threads leave a message and wake it up.
final class TransferLoop: Sendable {
  private struct Mailbox {
    var nextTicket: TransferTicket = 1
    var jobs: [TransferJob] = []
    /// Tickets whose job was submitted and whose sender still waits.
    var submitted: Set<TransferTicket> = []
    /// Tickets that were cancelled before their job was submitted.
    var cancelledEarly: Set<TransferTicket> = []
    /// Tickets whose transfer is to end.
    var ends: [TransferTicket] = []
    var isStopped = false
    /// The address of the multi handle while the thread may be woken through it.
    var wakeable: UInt?
  }

  private let mailbox = Mutex(Mailbox())
  private let limits: HTTPClientLimits
  private let proxy: String?

  init(limits: HTTPClientLimits, proxy: String?) {
    self.limits = limits
    self.proxy = proxy
  }

  /// Starts the thread.
  func start() {
    let thread = Thread { [self] in run() }
    thread.name = "iap-http-client"
    thread.stackSize = 512 * 1024
    thread.start()
  }

  /// A number for the next request.
  func makeTicket() -> TransferTicket {
    mailbox.withLock { mailbox in
      defer { mailbox.nextTicket += 1 }
      return mailbox.nextTicket
    }
  }

  /// Has a request sent; its continuation is resumed once, whatever happens.
  func submit(_ job: TransferJob) {
    let isTaken = mailbox.withLock { mailbox in
      if mailbox.isStopped || mailbox.cancelledEarly.contains(job.ticket) { return false }
      mailbox.submitted.insert(job.ticket)
      mailbox.jobs.append(job)
      Self.wake(mailbox)
      return true
    }
    if !isTaken { job.continuation.resume(returning: .failure(Self.cancelled)) }
  }

  /// Ends a request, whether it has begun or not.
  func cancel(_ ticket: TransferTicket) {
    mailbox.withLock { mailbox in
      guard mailbox.submitted.contains(ticket) else {
        mailbox.cancelledEarly.insert(ticket)
        return
      }
      mailbox.ends.append(ticket)
      Self.wake(mailbox)
    }
  }

  /// The sender has its result.
  func forget(_ ticket: TransferTicket) {
    mailbox.withLock { mailbox in
      mailbox.submitted.remove(ticket)
      mailbox.cancelledEarly.remove(ticket)
    }
  }

  /// Ends all requests and the thread.
  func stop() {
    mailbox.withLock { mailbox in
      mailbox.isStopped = true
      Self.wake(mailbox)
    }
  }

  static let cancelled = HTTPClientError(.cancelled, "the request was cancelled")

  private static func wake(_ mailbox: Mailbox) {
    guard let bits = mailbox.wakeable else { return }
    _ = unsafe curl_multi_wakeup(UnsafeMutableRawPointer(bitPattern: bits))
  }

  private func run() {
    guard curlIsReady, let multi = unsafe curl_multi_init() else {
      refuseAll(HTTPClientError(.failed, "libcurl could not be set up"))
      return
    }
    _ = unsafe iap_curl_multi_set_number(
      multi,
      CURLMOPT_MAX_TOTAL_CONNECTIONS,
      limits.connectionsMax
    )
    mailbox.withLock { $0.wakeable = UInt(bitPattern: multi) }
    var transfers = unsafe TransferTable(multi: multi)
    while transferOnce(&transfers) {
      _ = unsafe curl_multi_poll(multi, nil, 0, Self.pollMilliseconds, nil)
    }
    mailbox.withLock { $0.wakeable = nil }
    transfers.endAll(.failure(Self.cancelled))
    _ = unsafe curl_multi_cleanup(multi)
    refuseAll(Self.cancelled)
  }

  /// Takes messages and moves every transfer on; false when the thread is to end.
  private func transferOnce(_ transfers: inout TransferTable) -> Bool {
    let (jobs, ends, isStopped) = mailbox.withLock { mailbox in
      defer {
        mailbox.jobs = []
        mailbox.ends = []
      }
      return (mailbox.jobs, mailbox.ends, mailbox.isStopped)
    }
    for job in jobs { transfers.begin(job, limits: limits, proxy: proxy) }
    for ticket in ends { transfers.end(ticket, .failure(Self.cancelled)) }
    transfers.move()
    return !isStopped
  }

  private func refuseAll(_ error: HTTPClientError) {
    let jobs = mailbox.withLock { mailbox in
      mailbox.isStopped = true
      defer { mailbox.jobs = [] }
      return mailbox.jobs
    }
    for job in jobs { job.continuation.resume(returning: .failure(error)) }
  }

  /// How long the thread sleeps when nothing happens; libcurl shortens it for its own time-outs.
  private static let pollMilliseconds: Int32 = 60_000
}

/// Sets libcurl up, once in the process, before its first use.
private let curlIsReady = curl_global_init(Int(CURL_GLOBAL_ALL)) == CURLE_OK
