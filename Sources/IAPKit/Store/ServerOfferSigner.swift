import Foundation
import IAPModel

/// Lets the app's backend sign offers: `POST /v1/offers/signature`.
public struct ServerOfferSigner: OfferSigner {
  private let server: ServerAccess
  private let http: @Sendable (ClientRequest) async throws -> ClientResponse

  /// Makes a signer.
  ///
  /// - Parameter server: How the backend is reached.
  public init(server: ServerAccess) { self.init(server: server, http: LiveWorld.http) }

  package init(
    server: ServerAccess,
    http: @escaping @Sendable (ClientRequest) async throws -> ClientResponse
  ) {
    self.server = server
    self.http = http
  }

  /// Asks the backend for a signature.
  ///
  /// - Parameter request: What is to be signed.
  /// - Returns: What it signed.
  /// - Throws: ``IAPError/offerRefused(_:)`` with `notSigned` when the server refuses, and
  ///   ``IAPError/network(underlying:)`` when it does not answer.
  public func sign(_ request: OfferSignatureRequest) async throws -> OfferProof {
    var body = JSONObject()
    body["format"] = .string(request.format.rawValue)
    body["productId"] = .string(request.productId)
    body["offerId"] = request.offerId.map { .string($0) }
    body["accountToken"] = request.accountToken.map { .string($0.uuidString.lowercased()) }
    body["transactionId"] = request.transactionId.map { .string($0) }
    body["allowIntroductoryOffer"] = request.allowsIntroductoryOffer.map { .bool($0) }
    var call = server.request("POST", "v1/offers/signature", body: body.serialized)
    call.subject.product = ProductID(request.productId)
    let response = try await http(call)
    let isRefusal = (400..<500).contains(response.status) && response.status != 429
    guard !isRefusal else { throw IAPError.offerRefused(.notSigned) }
    let answer = try? JSONParser.parseObject(Array(try ServerAnswer.body(response)))
    guard let proof = answer.flatMap(Self.proof) else {
      throw ServerAnswer.problem("the answer is malformed", status: response.status)
    }
    return proof
  }

  private static func proof(_ answer: JSONObject) -> OfferProof? {
    if let jws = answer["jws"]?.stringValue { return .jws(jws) }
    guard let keyId = answer["keyId"]?.stringValue,
      let nonce = answer["nonce"]?.stringValue.flatMap({ UUID(uuidString: $0) }),
      let timestamp = answer["timestamp"]?.integerValue,
      let signature = answer["signature"]?.stringValue.flatMap({ Data(base64Encoded: $0) })
    else { return nil }
    return .signature(
      OfferSignature(keyId: keyId, nonce: nonce, timestamp: Int64(timestamp), signature: signature)
    )
  }
}

extension ServerOfferSigner: ServerCaller {
  func calling(_ wrap: (@escaping CallWatch.Transport) -> CallWatch.Transport) -> Self {
    Self(server: server, http: wrap(http))
  }
}
