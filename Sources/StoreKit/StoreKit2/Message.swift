/// Something that the App Store wants to tell the customer while the app runs.
public struct Message: Sendable, Equatable, Hashable {
  public let reason: Message.Reason

  package init(reason: Message.Reason) {
    self.reason = reason
  }

  public static var messages: Message.Messages { Messages(host: StoreHostBinding.required()) }

  public struct Reason: RawRepresentable, Equatable, Hashable, Sendable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }

    // Apple does not publish the numbers; only the names may be relied upon.
    public static let generic = Message.Reason(rawValue: 0)
    public static let priceIncreaseConsent = Message.Reason(rawValue: 1)
    public static let billingIssue = Message.Reason(rawValue: 2)
    public static let winBackOffer = Message.Reason(rawValue: 3)
  }

  public struct Messages: AsyncSequence, Sendable {
    public typealias Element = Message

    let host: any StoreHost

    public func makeAsyncIterator() -> Message.Messages.AsyncIterator {
      AsyncIterator(hosted: HostedIterator(host.messages(), host: host))
    }

    public struct AsyncIterator: AsyncIteratorProtocol {
      public typealias Element = Message.Messages.Element

      var hosted: HostedIterator<Message>

      public mutating func next() async -> Message.Messages.Element? { await hosted.next() }
    }
  }
}
