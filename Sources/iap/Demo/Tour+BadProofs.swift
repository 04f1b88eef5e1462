import AppStoreSimulator
import Foundation
import IAPKit
import IAPModel
import SimulatedApp
import SimulatedDevice

/// Step 13: what must be refused, each with its reason.
extension Tour {
  func presentBadProofs() async throws -> Words {
    guard let effect = app.effects.first(where: { $0.productId == Self.lifetime.rawValue }) else {
      throw CommandError(.failed, "there is no purchase to spoil")
    }
    let id = TransactionID(effect.transactionId)
    let good = try proof(of: id, on: app.device)
    let forged = try await reasons(spoiled(good), world.caller)
    let foreign = try await reasons(foreignProof(), world.caller)
    let sandbox = try await reasons(good, world.productionCaller)
    try require(forged.contains { $0.contains("ignature") }, "forged: \(forged)")
    try require(foreign.contains { $0.contains("undle") }, "another app's: \(foreign)")
    try require(sandbox.contains { $0.contains("nvironment") }, "sandbox: \(sandbox)")
    let list = [forged, foreign, sandbox].map { $0.joined(separator: "+") }.joined(separator: "; ")
    return Words("refused, each with its reason: \(list)", zh: "均被拒绝，理由分别为：\(list)")
  }

  /// The rules that a proof broke; none when it was accepted.
  private func reasons(_ proof: JSONObject, _ caller: TourCaller) async throws -> [String] {
    let answer = try await caller.verify(proof)
    guard answer["verdict"] == "rejected" else { return [] }
    let reasons = answer["reasons"]?.arrayValue?.compactMap(\.objectValue) ?? []
    return reasons.compactMap { $0["rule"]?.stringValue }
  }

  /// The same proof with one byte of what was signed changed.
  private func spoiled(_ proof: JSONObject) throws -> JSONObject {
    var proof = proof
    if let text = proof["signedTransaction"]?.stringValue {
      proof["signedTransaction"] = .string(try Self.withChangedPayload(text))
    }
    if let text = proof["receipt"]?.stringValue, var bytes = Data(base64Encoded: text) {
      guard let place = bytes.range(of: Data(Self.lifetime.rawValue.utf8)) else {
        throw CommandError(.failed, "the receipt does not name the product")
      }
      bytes[bytes.index(before: place.upperBound)] ^= 1
      proof["receipt"] = .string(bytes.base64EncodedString())
    }
    return proof
  }

  private static func withChangedPayload(_ jws: String) throws -> String {
    var parts = jws.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 3, let payload = base64URLDecoded(parts[1]) else {
      throw CommandError(.failed, "the signed transaction has no three parts")
    }
    let text = String(decoding: payload, as: UTF8.self)
      .replacingOccurrences(of: "\"quantity\":1", with: "\"quantity\":9")
    parts[1] = Data(text.utf8).base64EncodedString()
      .replacingOccurrences(of: "+", with: "-")
      .replacingOccurrences(of: "/", with: "_")
      .replacingOccurrences(of: "=", with: "")
    return parts.joined(separator: ".")
  }

  private static func base64URLDecoded(_ text: String) -> Data? {
    var text = text.replacingOccurrences(of: "-", with: "+")
      .replacingOccurrences(of: "_", with: "/")
    while text.count % 4 != 0 { text += "=" }
    return Data(base64Encoded: text)
  }

  /// What somebody bought in another app of the same store.
  private func foreignProof() throws -> JSONObject {
    let account = AccountID("eve-\(generation.rawValue)")
    try world.store.addAccount(account)
    let device = try SimulatedDevice(
      store: world.store,
      account: account,
      id: DeviceID("eve-phone-\(generation.rawValue)"),
      app: TourWorld.otherBundleID
    )
    let outcome = try world.store.purchase(
      PurchaseRequest(device: device.id, productID: Self.lifetime)
    )
    guard case .purchased(let record) = outcome else {
      throw CommandError(.failed, "the other app sold nothing")
    }
    return try proof(of: record.transactionID, on: device)
  }
}
