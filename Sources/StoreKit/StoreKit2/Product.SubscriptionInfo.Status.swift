import Synchronization

extension Product.SubscriptionInfo {
  public struct Status: Equatable, Hashable, Sendable {
    public let state: Product.SubscriptionInfo.RenewalState
    public let transaction: VerificationResult<Transaction>
    public let renewalInfo: VerificationResult<Product.SubscriptionInfo.RenewalInfo>

    package init(
      state: Product.SubscriptionInfo.RenewalState,
      transaction: VerificationResult<Transaction>,
      renewalInfo: VerificationResult<Product.SubscriptionInfo.RenewalInfo>
    ) {
      self.state = state
      self.transaction = transaction
      self.renewalInfo = renewalInfo
    }

    public static var updates: Product.SubscriptionInfo.Status.Statuses {
      Statuses(host: StoreHostBinding.required())
    }

    /// One element for each group in which the account has or had a subscription, then the end.
    public static var all:
      AsyncStream<(groupID: String, statuses: [Product.SubscriptionInfo.Status])>
    {
      let cursor = GroupCursor(host: StoreHostBinding.required())
      return AsyncStream { await cursor.next() }
    }

    public struct Statuses: AsyncSequence, Sendable {
      public typealias Element = Product.SubscriptionInfo.Status

      let host: any StoreHost

      public func makeAsyncIterator() -> Product.SubscriptionInfo.Status.Statuses.AsyncIterator {
        AsyncIterator(hosted: HostedIterator(host.statusUpdates(), host: host))
      }

      public struct AsyncIterator: AsyncIteratorProtocol {
        public typealias Element = Product.SubscriptionInfo.Status.Statuses.Element

        var hosted: HostedIterator<Product.SubscriptionInfo.Status>

        public mutating func next() async -> Product.SubscriptionInfo.Status.Statuses.Element? {
          await hosted.next()
        }
      }
    }
  }
}

/// The groups that `Status.all` has still to yield; asked for when the first element is wanted.
private final class GroupCursor: Sendable {
  private let host: any StoreHost
  private let remaining = Mutex<[String]?>(nil)

  init(host: any StoreHost) {
    self.host = host
  }

  func next() async -> (groupID: String, statuses: [Product.SubscriptionInfo.Status])? {
    if remaining.withLock({ $0 == nil }) {
      let groups = await host.subscribedGroupIDs()
      remaining.withLock { $0 = groups }
    }
    while let group = remaining.withLock({ $0?.isEmpty == false ? $0?.removeFirst() : nil }) {
      let statuses = try? await Product.SubscriptionInfo.status(for: group, host: host)
      if let statuses { return (group, statuses) }
    }
    await host.passWhileAlive()
    return nil
  }
}
