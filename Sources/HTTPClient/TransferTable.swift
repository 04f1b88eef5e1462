internal import CCurl

/// The transfers that are under way; belongs to the loop's thread.
@safe
struct TransferTable {
  private let multi: UnsafeMutableRawPointer
  private var transfers: [TransferTicket: Transfer] = [:]
  private var tickets: [UInt: TransferTicket] = [:]

  init(multi: UnsafeMutableRawPointer) { unsafe self.multi = unsafe multi }

  /// Begins a transfer; one that cannot begin ends at once.
  mutating func begin(_ job: TransferJob, limits: HTTPClientLimits, proxy: String?) {
    guard let transfer = Transfer(job, limits: limits, proxy: proxy) else {
      let error = HTTPClientError(.failed, "libcurl refused the request's options")
      job.continuation.resume(returning: .failure(error))
      return
    }
    transfers[job.ticket] = transfer
    tickets[transfer.name] = job.ticket
    let code = unsafe curl_multi_add_handle(multi, transfer.easy)
    if code != CURLM_OK {
      end(job.ticket, .failure(HTTPClientError(.failed, "libcurl could not add a transfer")))
    }
  }

  /// Ends a transfer; a ticket that is not under way is passed over.
  mutating func end(_ ticket: TransferTicket, _ result: TransferResult) {
    guard let transfer = transfers.removeValue(forKey: ticket) else { return }
    tickets[transfer.name] = nil
    _ = unsafe curl_multi_remove_handle(multi, transfer.easy)
    transfer.job.continuation.resume(returning: result)
  }

  /// Ends all transfers.
  mutating func endAll(_ result: TransferResult) {
    for ticket in transfers.keys.sorted() { end(ticket, result) }
  }

  /// Reads and writes what can be, and ends what is done.
  mutating func move() {
    var running: Int32 = 0
    _ = unsafe curl_multi_perform(multi, &running)
    var left: Int32 = 0
    while let message = unsafe curl_multi_info_read(multi, &left) {
      guard unsafe message.pointee.msg == CURLMSG_DONE,
        let easy = unsafe message.pointee.easy_handle,
        let ticket = tickets[UInt(bitPattern: easy)], let transfer = transfers[ticket]
      else { continue }
      let code = unsafe message.pointee.data.result
      end(ticket, transfer.result(code))
    }
  }
}
