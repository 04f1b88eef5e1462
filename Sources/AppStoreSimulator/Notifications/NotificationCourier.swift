/// Lets one task at a time send notifications, in the order in which they became due.
actor NotificationCourier {
  private var isSending = false
  private var waiters: [CheckedContinuation<Void, Never>] = []

  /// Sends until nothing is due.
  ///
  /// - Parameter sendNext: Sends one; false when none was due.
  func drain(_ sendNext: @Sendable () async -> Bool) async {
    while isSending {
      await withCheckedContinuation { waiters.append($0) }
    }
    isSending = true
    while await sendNext() {}
    isSending = false
    let waiting = waiters
    waiters = []
    for waiter in waiting { waiter.resume() }
  }
}
