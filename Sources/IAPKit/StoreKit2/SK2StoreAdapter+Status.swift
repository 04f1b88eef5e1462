import IAPModel
import StoreKit

@available(iOS 15.0, macOS 12.0, tvOS 15.0, watchOS 8.0, *)
extension SK2StoreAdapter: SubscriptionStatusSource {
  package func subscriptionStatuses(
    in groups: Set<SubscriptionGroupID>
  ) async -> [StoreSubscriptionStatus] {
    var found: [StoreSubscriptionStatus] = []
    if #available(iOS 17.0, macOS 14.0, tvOS 17.0, watchOS 10.0, *) {
      for await (_, statuses) in Product.SubscriptionInfo.Status.all {
        found += statuses.map(StoreSubscriptionStatus.init)
      }
    } else {
      for group in groups.sorted() {
        let statuses = try? await Product.SubscriptionInfo.status(for: group.rawValue)
        found += (statuses ?? []).map(StoreSubscriptionStatus.init)
      }
    }
    return found
  }

  package func statusUpdates() -> AsyncStream<StoreSubscriptionStatus> {
    let updates = Product.SubscriptionInfo.Status.updates
    return AsyncStream { continuation in
      let listening = Task {
        for await status in updates { continuation.yield(StoreSubscriptionStatus(status)) }
        continuation.finish()
      }
      continuation.onTermination = { _ in listening.cancel() }
    }
  }
}

@available(iOS 15.0, macOS 12.0, tvOS 15.0, watchOS 8.0, *)
extension StoreSubscriptionStatus {
  /// Flattens what StoreKit 2 says about one subscription.
  fileprivate init(_ status: Product.SubscriptionInfo.Status) {
    var renewal: RenewalInfoPayload?
    if case .verified(let info) = status.renewalInfo {
      renewal = (try? JSONParser.parseObject([UInt8](info.jsonRepresentation)))
        .flatMap { try? RenewalInfoPayload($0) }
    }
    self.init(
      status: IAPModel.SubscriptionStatus(rawValue: status.state.rawValue),
      transaction: StoreTransaction(status.transaction, source: .updates),
      renewal: renewal
    )
  }
}
