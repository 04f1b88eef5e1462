import AppStoreServerAPI
import Foundation
import HTTPValues
import IAPModel
import ServerStorage

/// Signs offers for an app's customers; each signature has a nonce that was never used before.
struct OfferUseCase: Sendable {
  let parts: ServerParts

  /// How long a nonce is remembered: a signature is good for a day.
  static let nonceMemorySeconds: TimeInterval = 2 * 86_400
  /// How often another nonce is taken when one was used before.
  static let noncesMax = 4

  var routes: [Route] {
    [
      Route(
        .post,
        "/v1/offers/signature",
        "Signs a promotional offer, or the right to an introductory one.",
        access: .app,
        body: .object(
          .object([
            .required("format", .word(OfferGrant.Format.allCases.map(\.rawValue))),
            .required("productId", .text(max: 256)),
            .optional("offerId", .text(max: 256)),
            .optional("accountToken", .uuid),
            .optional("applicationUsername", .text(max: 256)),
            .optional("transactionId", .text(max: 64)),
            .optional("allowIntroductoryOffer", .bool),
          ])
        ),
        parameters: [.app],
        answers: [
          Route.Answer(
            200,
            .object([
              .required("format", .word(OfferGrant.Format.allCases.map(\.rawValue))),
              .optional("keyId", .text(max: 64)), .optional("nonce", .uuid),
              .optional("timestamp", .date), .optional("signature", .text(max: 256)),
              .optional("jws", .text(max: 4096)),
            ])
          )
        ],
        errors: [501],
        repetition: .replayed,
        run: { call async throws(ServerError) in try await sign(call) }
      )
    ]
  }

  private func sign(_ call: Call) async throws(ServerError) -> Reply {
    let app = try call.app().bundleID
    let grant = try grant(call.body)
    guard let key = parts.offerKeys[app] else {
      throw ServerError(
        501,
        .unsupported,
        .offerKeyMissing,
        "The server has no key for this app's offers: its configuration names one in offerKey."
      )
    }
    let nonce = try await freshNonce(app, at: call.now)
    let answer: JSONObject
    do throws(AppStoreServerError) {
      answer = try grant.signed(
        by: OfferSigner(bundleID: app, key: key),
        nonce: nonce,
        at: call.now
      )
    } catch {
      throw ServerError(
        503,
        .unavailable,
        .verificationUnavailable,
        "It was not possible to sign; try again.",
        retryAfterSeconds: 1,
        inside: "\(error)"
      )
    }
    parts.metrics.count(.offers, ["format": grant.format.rawValue])
    return .ok(answer)
  }

  private func grant(_ body: JSONObject) throws(ServerError) -> OfferGrant {
    guard let format = body["format"]?.stringValue.flatMap({ OfferGrant.Format(rawValue: $0) }),
      let product = body["productId"]?.stringValue
    else { preconditionFailure("the gate has checked the shape") }
    return OfferGrant(
      format: format,
      productID: ProductID(product),
      content: try content(format, body)
    )
  }

  private func content(
    _ format: OfferGrant.Format,
    _ body: JSONObject
  ) throws(ServerError) -> OfferGrant.Content {
    let transaction = body["transactionId"]?.stringValue.map { TransactionID($0) }
    let offer = body["offerId"]?.stringValue.map { OfferID($0) }
    switch format {
    case .promotional, .promotionalJWS:
      guard let offer else { throw RequestMembers.missing("offerId", "offerId is missing.") }
      if format == .promotionalJWS { return .promotionalJWS(offer, transaction) }
      let token = body["accountToken"]?.stringValue.flatMap { AppAccountToken($0) }
      let username = body["applicationUsername"]?.stringValue
      if token != nil, username != nil {
        throw RequestMembers.invalid("applicationUsername", "left out beside accountToken")
      }
      // Who compares signatures lowers the case of a token; a name is what the app gave.
      return .promotional(offer, username: token?.description ?? username ?? "")
    case .introductoryEligibilityJWS:
      guard let isAllowed = body["allowIntroductoryOffer"]?.boolValue else {
        throw RequestMembers.missing(
          "allowIntroductoryOffer",
          "allowIntroductoryOffer is missing: it says whether the customer may have the offer."
        )
      }
      guard let transaction else {
        throw RequestMembers.missing(
          "transactionId",
          "transactionId is missing: any transaction of the customer, or its app transaction."
        )
      }
      return .introductoryEligibilityJWS(isAllowed: isAllowed, transaction)
    }
  }

  /// A nonce that this ledger has never given, durably taken.
  private func freshNonce(_ app: BundleID, at now: Date) async throws(ServerError) -> UUID {
    for _ in 0..<Self.noncesMax {
      let nonce = Self.uuid(parts.world.random(16))
      var write = LedgerWrite(date: now)
      write.documents = [
        DocumentWrite(
          DocumentKey(.nonce, app: app, name: nonce.uuidString.lowercased()),
          body: [:],
          condition: .mustBeAbsent
        )
      ]
      write.pruning = [
        DocumentPruning(.nonce, changedBefore: now.addingTimeInterval(-Self.nonceMemorySeconds))
      ]
      if try await !parts.commit(write).isRefused { return nonce }
    }
    throw ServerError(
      503,
      .unavailable,
      .storageUnavailable,
      "It was not possible to find a new nonce; try again.",
      retryAfterSeconds: 1,
      inside: "the source of chance repeats itself"
    )
  }

  /// A UUID of version 4 out of sixteen bytes of chance.
  static func uuid(_ bytes: [UInt8]) -> UUID {
    precondition(bytes.count == 16, "a UUID has sixteen bytes")
    var bytes = bytes
    bytes[6] = bytes[6] & 0x0F | 0x40
    bytes[8] = bytes[8] & 0x3F | 0x80
    return NSUUID(uuidBytes: bytes) as UUID
  }
}
