import Foundation

/// A certificate carries the extension with which Apple marks its purpose.
///
/// Without it any developer's certificate under the same root could sign purchases.
///
/// - Source: Apple, "Validating receipts on the device"; app-store-server-library, chain verifier.
struct MarkerPolicy: ChainPolicy {
  enum Place: Sendable {
    case leaf
    case intermediate
  }

  let place: Place
  let marker: OID

  var rule: Rule { place == .leaf ? .leafMarker : .intermediateMarker }

  func judge(_ chain: ChainEvidence, at instant: Date?) -> Judgement {
    guard let certificate = place == .leaf ? chain.leaf : chain.intermediate else { return .open }
    return certificate.extension(marker) == nil
      ? .fails("the extension \(marker) is missing") : .holds
  }
}
