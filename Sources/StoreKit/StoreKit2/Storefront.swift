public import Foundation

/// The country or region whose store the account uses.
public struct Storefront: Identifiable, Sendable {
  public typealias ID = String

  public let countryCode: String
  public let id: String

  /// The ISO 4217 code of the storefront's prices, when it is known.
  package let currencyCode: String?

  package init(countryCode: String, id: String, currencyCode: String?) {
    self.countryCode = countryCode
    self.id = id
    self.currencyCode = currencyCode
  }

  public var currency: Locale.Currency? { currencyCode.map { Locale.Currency($0) } }

  public static var current: Storefront? {
    get async {
      let host = StoreHostBinding.required()
      await host.passWhileAlive()
      return host.storefront
    }
  }

  public static var updates: Storefront.Storefronts {
    Storefronts(host: StoreHostBinding.required())
  }

  public struct Storefronts: AsyncSequence, Sendable {
    public typealias Element = Storefront

    let host: any StoreHost

    public func makeAsyncIterator() -> Storefront.Storefronts.AsyncIterator {
      AsyncIterator(hosted: HostedIterator(host.storefrontUpdates(), host: host))
    }

    public struct AsyncIterator: AsyncIteratorProtocol {
      public typealias Element = Storefront

      var hosted: HostedIterator<Storefront>

      public mutating func next() async -> Storefront? { await hosted.next() }
    }
  }
}
