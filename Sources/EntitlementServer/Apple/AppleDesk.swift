import AppStoreServerAPI
import Foundation
import IAPModel

/// Asks the App Store for single things that a request waits for.
struct AppleDesk: Sendable {
  let configuration: ServerConfiguration
  let access: [BundleID: AppleAccess]

  /// What came of asking.
  enum Fetched: Hashable, Sendable {
    /// The text of a signed transaction, unverified.
    case found([UInt8])
    /// No address knows it.
    case unknown
    /// There is no key to ask with.
    case notConfigured
  }

  /// The most digits of a transaction's identifier; Apple's are 64-bit numbers.
  static let digitsMax = 20

  /// Fetches a transaction: production first, then the sandbox.
  ///
  /// - Parameters:
  ///   - id: The transaction.
  ///   - app: The app; nil to ask for each app of the server.
  /// - Returns: What came of it; unknown only when every address says so.
  /// - Throws: ``ServerError`` with 503 when an address could not be asked.
  func transaction(
    _ id: TransactionID,
    app: BundleID?
  ) async throws(ServerError) -> Fetched {
    let apps = configuration.apps.filter { app == nil || $0.bundleID == app }
    let asked = apps.filter { access[$0.bundleID]?.client != nil }
    guard !asked.isEmpty else { return .notConfigured }
    // What cannot be an identifier is not sent anywhere.
    guard (1...Self.digitsMax).contains(id.rawValue.utf8.count),
      id.rawValue.utf8.allSatisfy({ (0x30...0x39).contains($0) })
    else { return .unknown }
    var trouble: AppStoreServerError?
    for app in asked {
      guard let client = access[app.bundleID]?.client else { continue }
      do throws(AppStoreServerError) {
        if let text = try await client.first(.transaction(id), in: app.storeEnvironments) {
          return .found(Array(text.utf8))
        }
      } catch {
        trouble = error
      }
    }
    if let trouble { throw ServerError.storeUnavailable(trouble) }
    return .unknown
  }
}

extension AppStoreServerClient {
  /// Asks one address after the other until one knows the purchase.
  ///
  /// In production Apple refuses the key of an app that was never released, so a refused key does
  /// not end the search; it is thrown when no other address knows the purchase.
  ///
  /// - Parameters:
  ///   - request: What is asked.
  ///   - environments: The addresses, in their order.
  /// - Returns: The answer; nil when every address says that there is no such purchase.
  /// - Throws: ``AppStoreServerError`` when an address could not be asked.
  func first<Answer: Sendable>(
    _ request: ServerAPIRequest<Answer>,
    in environments: [StoreEnvironment]
  ) async throws(AppStoreServerError) -> Answer? {
    var trouble: AppStoreServerError?
    for environment in environments {
      do throws(AppStoreServerError) {
        return try await answer(to: request, in: environment)
      } catch {
        if error.saysUnknown { continue }
        guard error.code == .unauthorized || error.apiCode == .appNotFound else { throw error }
        trouble = error
      }
    }
    if let trouble { throw trouble }
    return nil
  }
}

extension AppStoreServerError {
  /// Whether the App Store says that there is no such purchase at this address.
  var saysUnknown: Bool {
    switch apiCode {
    case .transactionIDNotFound?, .originalTransactionIDNotFound?, .accountNotFound?,
      .invalidTransactionID?, .invalidOriginalTransactionID?:
      true
    default: false
    }
  }

  /// After how many seconds it makes sense to ask again.
  func retryAfterSeconds(now: Date) -> Int {
    retryAt.map { max(1, Int($0.timeIntervalSince(now).rounded(.up))) } ?? 30
  }
}

extension ServerApp {
  /// The environments that Apple's addresses stand for, real money first.
  var storeEnvironments: [StoreEnvironment] {
    orderedEnvironments.filter { $0 == .production || $0 == .sandbox }
  }
}

extension ServerError {
  /// The App Store could not be asked: nothing is said about the purchase.
  static func storeUnavailable(_ error: AppStoreServerError) -> ServerError {
    ServerError(
      503,
      .unavailable,
      .storeUnavailable,
      "It was not possible to ask the App Store; try again.",
      retryAfterSeconds: 30,
      inside: error.description
    )
  }
}

extension ServerError.Code {
  /// The App Store could not be asked.
  static let storeUnavailable = Self(rawValue: "storeUnavailable")
}
