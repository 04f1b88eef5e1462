import Foundation
public import IAPKit

/// A server that signs offers for a fake store, or does not.
///
/// Made by ``FakeStore``; hand it to the configuration as `offerSigner`.
public final class FakeOfferSigner: OfferSigner {
  /// What the server does when it is asked.
  public enum Mood: Sendable {
    /// It signs everything.
    case signing
    /// It refuses: the app's rules do not allow the offer.
    case refusing
    /// It gives no answer.
    case unavailable
  }

  private struct State {
    var mood = Mood.signing
    var requests: [OfferSignatureRequest] = []
  }

  private let state = Locked(State())

  init() {}

  /// What the server does.
  public var mood: Mood {
    get { state.withLock { $0.mood } }
    set { state.withLock { $0.mood = newValue } }
  }

  /// Everything that it was asked to sign, oldest first.
  public var requests: [OfferSignatureRequest] { state.withLock { $0.requests } }

  /// Signs with words in place of signatures.
  ///
  /// - Parameter request: What is to be signed.
  /// - Returns: What it signed.
  /// - Throws: `IAPError.offerRefused` when it refuses, `IAPError.network` when it is unavailable.
  public func sign(_ request: OfferSignatureRequest) async throws -> OfferProof {
    let (mood, count) = state.withLock { state in
      state.requests.append(request)
      return (state.mood, state.requests.count)
    }
    switch mood {
    case .refusing: throw IAPError.offerRefused(.notSigned)
    case .unavailable: throw FakeStoreAdapter.noNetwork
    case .signing: break
    }
    switch request.format {
    case .promotional:
      return .signature(
        OfferSignature(
          keyId: "FAKE",
          nonce: UUID(number: UInt64(count)),
          timestamp: Int64(count),
          signature: Data("fake".utf8)
        )
      )
    case .introductoryEligibilityJWS:
      return .jws(request.allowsIntroductoryOffer == true ? Self.allowed : Self.denied)
    default: return .jws("fake.offer.jws")
    }
  }

  private static let allowed = "fake.allowed.jws"
  private static let denied = "fake.denied.jws"

  /// What a JWS of this signer says about the introductory offer; nil for any other text.
  static func isAllowed(by jws: String) -> Bool? {
    switch jws {
    case allowed: true
    case denied: false
    default: nil
    }
  }
}
