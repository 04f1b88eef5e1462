import Foundation
import IAPEntitlements
import IAPModel

/// The file in which access is remembered from one launch to the next.
///
/// It is a convenience and no proof: what comes out of it is provisional until the server or the
/// App Store has said it again. It is sealed with a key that is kept as a secret: a file that
/// somebody else wrote, or another device, counts for nothing.
struct AccessCache: Sendable {
  static let fileName = "access.json"
  static let version: Int64 = 1
  static let keyName = "access-key"
  /// How long a seal is, in bytes.
  static let sealBytes = 32

  let files: any ClientFiles
  let secrets: any ClientSecrets
  let trust: DeviceTrust
  /// Whose access it is: what was kept for another account counts for nothing.
  var account: String?
  let uuid: @Sendable () -> UUID

  /// Puts what was remembered into the view.
  ///
  /// - Returns: Whether the file was written by this app on this device; a damaged, foreign or
  ///   newer one is as good as none.
  func load(into view: inout AccessView) throws(IAPError) -> Bool {
    guard let bytes = try files.read(Self.fileName), !bytes.isEmpty else { return true }
    let body = Array(bytes.dropFirst(Self.sealBytes))
    guard let key = try secrets.read(Self.keyName),
      Array(bytes.prefix(Self.sealBytes)) == seal(body, key),
      let root = try? JSONParser.parseObject(body, limits: .document),
      root["version"]?.integerValue == Self.version
    else { return false }
    for value in root["server"]?.arrayValue ?? [] {
      guard let answer = value.objectValue, let asOf = answer["asOf"]?.integerValue
      else { continue }
      let purchase = answer["purchase"]?.stringValue
      let scope = purchase.map { AccessView.Scope.purchase(OriginalTransactionID($0)) }
      view.answers[scope ?? .customer] = AccessView.ServerAnswer(
        entitlements: (answer["entitlements"]?.arrayValue ?? []).compactMap {
          ValidatedEntitlement($0)
        },
        asOf: Date(milliseconds: asOf),
        isFresh: false
      )
    }
    view.latestSeen = root["seen"]?.integerValue.map { Date(milliseconds: $0) } ?? .distantPast
    view.rememberedAsOf = root["deviceAsOf"]?.integerValue.map { Date(milliseconds: $0) }
    view.remembered = (root["device"]?.arrayValue ?? []).compactMap { value in
      guard let entry = ValidatedEntitlement(value), let product = entry.productId else {
        return nil
      }
      return AccessView.Remembered(
        id: EntitlementID(entry.id),
        productID: ProductID(product),
        until: entry.until
      )
    }
    return true
  }

  /// Writes what there is to remember.
  ///
  /// - Parameters:
  ///   - view: What is known.
  ///   - report: What the device's own facts say now.
  ///   - now: The instant.
  /// - Throws: ``IAPError/storage(_:)`` when the file cannot be written.
  func save(_ view: AccessView, _ report: AccessReport, at now: Date) throws(IAPError) {
    var root: JSONObject = [
      "version": .integer(Self.version), "seen": .integer(view.latestSeen.milliseconds),
    ]
    root["server"] = .array(
      view.answers.map { scope, answer in
        var object: JSONObject = [
          "asOf": .integer(answer.asOf.milliseconds),
          "entitlements": .array(answer.entitlements.map(\.json)),
        ]
        if case .purchase(let id) = scope { object["purchase"] = .string(id.rawValue) }
        return .object(object)
      }
    )
    let (asOf, device) = remembered(view, report, at: now)
    if let asOf {
      root["deviceAsOf"] = .integer(asOf.milliseconds)
      root["device"] = .array(
        device.map { entry in
          ValidatedEntitlement(
            id: entry.id.rawValue,
            productId: entry.productID.rawValue,
            until: entry.until
          ).json
        }
      )
    }
    let body = root.serialized
    try files.replace(Self.fileName, with: seal(body, try key()) + body)
  }

  /// What the device knows now, or what it knew when it knew something last.
  private func remembered(
    _ view: AccessView,
    _ report: AccessReport,
    at now: Date
  ) -> (asOf: Date?, [AccessView.Remembered]) {
    let device = report.entitlements
    guard view.isDeviceListed || !device.isEmpty else {
      return (view.rememberedAsOf, view.remembered)
    }
    return (
      now,
      device.map { AccessView.Remembered(id: $0.id, productID: $0.productID, until: $0.until) }
    )
  }

  private func seal(_ body: [UInt8], _ key: [UInt8]) -> [UInt8] {
    trust.seal(Array((account ?? "").utf8) + [0] + body, key: key)
  }

  private func key() throws(IAPError) -> [UInt8] {
    if let key = try secrets.read(Self.keyName) { return key }
    let key = [uuid(), uuid()].flatMap { part in withUnsafeBytes(of: part.uuid) { Array($0) } }
    try secrets.write(key, as: Self.keyName)
    return key
  }
}
