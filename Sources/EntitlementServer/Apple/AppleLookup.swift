import AppStoreServerAPI
import Foundation
import IAPModel

/// Finds orders through Look Up Order ID, which the App Store answers in production only.
struct AppleLookup: StoreLookup {
  let configuration: ServerConfiguration
  let access: [BundleID: AppleAccess]
  let clock: any ServerClock

  func transactions(of order: AppStoreOrderID, app: BundleID) async -> StoreLookupAnswer {
    guard let client = access[app]?.client,
      configuration.app(app)?.environments.contains(.production) == true
    else { return .unsupported }
    do throws(AppStoreServerError) {
      let found = try await client.answer(to: .order(order), in: .production)
      guard found.isValid else { return .unknown }
      return .found(found.signedTransactions.map { Array($0.utf8) })
    } catch {
      // An order id that is not well-formed is none that the App Store gave.
      if error.apiCode == .generalBadRequest || error.saysUnknown { return .unknown }
      return .unavailable(retryAfterSeconds: error.retryAfterSeconds(now: await clock.now()))
    }
  }
}
