public import IAPModel

/// What a key is worth at one of Apple's addresses.
public enum KeyTestResult: Hashable, Sendable {
  /// It is accepted.
  case accepted
  /// It is not: the key, the issuer or the bundle id is wrong, or (in production) the app was never
  /// released.
  case refused
  /// It could not be asked.
  case unknown(AppStoreServerError.Code)
}

extension AppStoreServerClient {
  /// An id that no transaction has: asking for it shows whether the token is accepted.
  private static let nobody = TransactionID("0")

  /// Finds out whether the key is accepted, without changing anything.
  ///
  /// - Parameter environment: The address.
  /// - Returns: What the key is worth there.
  public func testKey(in environment: StoreEnvironment) async -> KeyTestResult {
    do throws(AppStoreServerError) {
      _ = try await answer(to: .transaction(Self.nobody), in: environment)
      return .accepted
    } catch {
      switch error.code {
      case .unauthorized: return .refused
      // Whoever says that there is no such transaction has accepted the token.
      case .notFound, .refused: return .accepted
      default: return .unknown(error.code)
      }
    }
  }
}
