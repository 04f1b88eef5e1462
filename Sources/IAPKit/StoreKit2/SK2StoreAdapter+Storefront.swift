import Foundation
import IAPModel
import StoreKit

@available(iOS 15.0, macOS 12.0, tvOS 15.0, watchOS 8.0, *)
extension SK2StoreAdapter {
  package func storefront() async -> IAPStorefront? {
    await Storefront.current.map { IAPStorefront($0) }
  }

  package func storefrontUpdates() -> AsyncStream<IAPStorefront> {
    let updates = Storefront.updates
    return AsyncStream { continuation in
      let listening = Task {
        for await storefront in updates { continuation.yield(IAPStorefront(storefront)) }
      }
      continuation.onTermination = { _ in listening.cancel() }
    }
  }

  package func forgetProducts() { loader.forget() }

  package func appTransaction(
    refreshing: Bool
  ) async throws(IAPError) -> IAPAppTransaction? {
    guard #available(iOS 16.0, macOS 13.0, tvOS 16.0, watchOS 9.0, *) else { return nil }
    do {
      return IAPAppTransaction(
        refreshing ? try await AppTransaction.refresh() : try await AppTransaction.shared
      )
    } catch {
      throw IAPError(storeKit2: error)
    }
  }
}

@available(iOS 15.0, macOS 12.0, tvOS 15.0, watchOS 8.0, *)
extension IAPStorefront {
  /// Flattens a StoreKit 2 storefront.
  init(_ storefront: Storefront) {
    var currency: String?
    if #available(iOS 17.0, macOS 14.0, tvOS 17.0, watchOS 10.0, *) {
      currency = storefront.currency?.identifier
    }
    self.init(id: storefront.id, countryCode: storefront.countryCode, currency: currency)
  }
}

@available(iOS 16.0, macOS 13.0, tvOS 16.0, watchOS 9.0, *)
extension IAPAppTransaction {
  /// Flattens what StoreKit 2 says about the download of the app, verified or not.
  init(_ result: VerificationResult<AppTransaction>) {
    let app = result.unsafePayloadValue
    switch result {
    case .verified: integrity = .verified
    case .unverified(_, let error): integrity = .unverified(reason: "\(error)")
    }
    bundleId = app.bundleID
    appVersion = app.appVersion
    originalAppVersion = app.originalAppVersion
    originalPurchaseDate = app.originalPurchaseDate
    preorderDate = app.preorderDate
    environment = StoreEnvironment(rawValue: app.environment.rawValue)
    signedDate = app.signedDate
    originalPlatform = app.originalPlatformStringRepresentation
    appTransactionId = app.appTransactionID
    jws = result.jwsRepresentation
  }
}
