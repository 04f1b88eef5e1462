/// A purchase that the customer started on the App Store and wants to finish in the app.
public struct PurchaseIntent: Equatable, Sendable, Identifiable {
  public typealias ID = Product.ID

  public let product: Product
  public let offer: Product.SubscriptionOffer?

  package init(product: Product, offer: Product.SubscriptionOffer?) {
    self.product = product
    self.offer = offer
  }

  public var id: Product.ID { product.id }

  public static var intents: PurchaseIntent.PurchaseIntents {
    PurchaseIntents(host: StoreHostBinding.required())
  }

  public struct PurchaseIntents: AsyncSequence {
    public typealias Element = PurchaseIntent

    let host: any StoreHost

    public func makeAsyncIterator() -> PurchaseIntent.PurchaseIntents.AsyncIterator {
      AsyncIterator(hosted: HostedIterator(host.purchaseIntents(), host: host))
    }

    public struct AsyncIterator: AsyncIteratorProtocol {
      public typealias Element = PurchaseIntent.PurchaseIntents.Element

      var hosted: HostedIterator<PurchaseIntent>

      public mutating func next() async -> PurchaseIntent.PurchaseIntents.Element? {
        await hosted.next()
      }
    }
  }
}
