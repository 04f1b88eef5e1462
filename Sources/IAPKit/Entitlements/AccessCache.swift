import Foundation
import IAPEntitlements
import IAPModel

/// The file in which access is remembered from one launch to the next.
///
/// It is a convenience and no proof: what comes out of it is provisional until the server or the
/// App Store has said it again.
struct AccessCache: Sendable {
  static let fileName = "access.json"
  static let version: Int64 = 1

  let files: any ClientFiles

  /// Puts what was remembered into the view; a damaged or newer file is as good as none.
  func load(into view: inout AccessView) throws(IAPError) {
    guard let bytes = try files.read(Self.fileName),
      let root = try? JSONParser.parseObject(bytes, limits: .document),
      root["version"]?.integerValue == Self.version
    else { return }
    for value in root["server"]?.arrayValue ?? [] {
      guard let answer = value.objectValue, let asOf = answer["asOf"]?.integerValue
      else { continue }
      let purchase = answer["purchase"]?.stringValue
      let scope = purchase.map { AccessView.Scope.purchase(OriginalTransactionID($0)) }
      view.answers[scope ?? .customer] = AccessView.ServerAnswer(
        entitlements: (answer["entitlements"]?.arrayValue ?? []).compactMap(Self.entitlement),
        asOf: Date(milliseconds: asOf),
        isFresh: false
      )
    }
    view.rememberedAsOf = root["deviceAsOf"]?.integerValue.map { Date(milliseconds: $0) }
    view.remembered = (root["device"]?.arrayValue ?? []).compactMap { value in
      guard let entry = Self.entitlement(value), let product = entry.productId else { return nil }
      return AccessView.Remembered(id: entry.id, productId: product, until: entry.until)
    }
  }

  /// Writes what there is to remember.
  func save(_ view: AccessView, at now: Date) throws(IAPError) {
    var root: JSONObject = ["version": .integer(Self.version)]
    root["server"] = .array(
      view.answers.map { scope, answer in
        var object: JSONObject = [
          "asOf": .integer(answer.asOf.milliseconds),
          "entitlements": .array(answer.entitlements.map { Self.value($0) }),
        ]
        if case .purchase(let id) = scope { object["purchase"] = .string(id.rawValue) }
        return .object(object)
      }
    )
    let device = view.report(at: now).entitlements
    if view.isDeviceListed || !device.isEmpty {
      root["deviceAsOf"] = .integer(now.milliseconds)
      root["device"] = .array(
        device.map { entitlement in
          Self.value(
            ValidatedEntitlement(
              id: entitlement.id.rawValue,
              productId: entitlement.productID.rawValue,
              until: entitlement.until
            )
          )
        }
      )
    } else if let asOf = view.rememberedAsOf {
      root["deviceAsOf"] = .integer(asOf.milliseconds)
      root["device"] = .array(
        view.remembered.map { entry in
          Self.value(
            ValidatedEntitlement(id: entry.id, productId: entry.productId, until: entry.until)
          )
        }
      )
    }
    try files.replace(Self.fileName, with: root.serialized)
  }

  private static func entitlement(_ value: JSONValue) -> ValidatedEntitlement? {
    guard let object = value.objectValue, let id = object["id"]?.stringValue else { return nil }
    return ValidatedEntitlement(
      id: id,
      productId: object["productId"]?.stringValue,
      until: object["until"]?.integerValue.map { Date(milliseconds: $0) },
      source: object["source"]?.stringValue,
      reason: object["reason"]?.stringValue
    )
  }

  private static func value(_ entitlement: ValidatedEntitlement) -> JSONValue {
    var object: JSONObject = ["id": .string(entitlement.id)]
    object["productId"] = entitlement.productId.map { .string($0) }
    object["until"] = entitlement.until.map { .integer($0.milliseconds) }
    object["source"] = entitlement.source.map { .string($0) }
    object["reason"] = entitlement.reason.map { .string($0) }
    return .object(object)
  }
}
