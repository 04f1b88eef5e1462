extension Transaction {
  public static var all: Transaction.Transactions {
    Transactions(host: StoreHostBinding.required(), listing: .all(productID: nil))
  }

  public static func all(for productID: String) -> Transaction.Transactions {
    Transactions(host: StoreHostBinding.required(), listing: .all(productID: productID))
  }

  public static var currentEntitlements: Transaction.Transactions {
    Transactions(
      host: StoreHostBinding.required(),
      listing: .currentEntitlements(productID: nil)
    )
  }

  public static func currentEntitlements(for productID: String) -> Transaction.Transactions {
    Transactions(
      host: StoreHostBinding.required(),
      listing: .currentEntitlements(productID: productID)
    )
  }

  public static var unfinished: Transaction.Transactions {
    Transactions(host: StoreHostBinding.required(), listing: .unfinished)
  }

  public static var updates: Transaction.Transactions {
    Transactions(host: StoreHostBinding.required(), listing: nil)
  }

  public static func latest(for productID: String) async -> VerificationResult<Transaction>? {
    await latest(for: productID, host: StoreHostBinding.required())
  }

  public static func currentEntitlement(
    for productID: String
  ) async -> VerificationResult<Transaction>? {
    await currentEntitlement(for: productID, host: StoreHostBinding.required())
  }

  static func latest(
    for productID: String,
    host: any StoreHost
  ) async -> VerificationResult<Transaction>? {
    let answer = await host.latestTransaction(of: productID)
    await host.passWhileAlive()
    return answer
  }

  static func currentEntitlement(
    for productID: String,
    host: any StoreHost
  ) async -> VerificationResult<Transaction>? {
    let answer = await host.transactions(.currentEntitlements(productID: productID)).first
    await host.passWhileAlive()
    return answer
  }
}

extension Transaction {
  public struct Transactions: AsyncSequence, Sendable {
    public typealias Element = VerificationResult<Transaction>

    let host: any StoreHost
    /// What is listed, or nil for the never-ending updates.
    let listing: TransactionListing?

    public func makeAsyncIterator() -> Transaction.Transactions.AsyncIterator {
      AsyncIterator(host: host, listing: listing)
    }

    public struct AsyncIterator: AsyncIteratorProtocol {
      public typealias Element = VerificationResult<Transaction>

      private enum Source {
        case updates(HostedIterator<VerificationResult<Transaction>>)
        case unasked(TransactionListing)
        case listed(ArraySlice<VerificationResult<Transaction>>)
      }

      private let host: any StoreHost
      private var source: Source

      init(host: any StoreHost, listing: TransactionListing?) {
        self.host = host
        if let listing {
          self.source = .unasked(listing)
        } else {
          self.source = .updates(HostedIterator(host.transactionUpdates(), host: host))
        }
      }

      public mutating func next() async -> VerificationResult<Transaction>? {
        if case .unasked(let listing) = source {
          source = .listed(await host.transactions(listing)[...])
        }
        switch source {
        case .updates(var updates):
          let element = await updates.next()
          source = .updates(updates)
          return element
        case .listed(var remaining):
          let element = remaining.popFirst()
          source = .listed(remaining)
          await host.passWhileAlive()
          return element
        case .unasked:
          return nil
        }
      }
    }
  }
}
