public import Foundation
import IAPModel

// A configuration in a file or in Info.plist has these keys, all optional but the first:
//
//   productIds              array of texts; may be missing with remoteCatalog
//   serverURL, publicKey    the app's backend
//   checksPurchasesAtServer, remoteCatalog, isSandbox, forceStoreKit1, holdsDelivery   booleans
//   productTypes            { id: "Consumable" | "Non-Consumable" | "Non-Renewing Subscription"
//                             | "Auto-Renewable Subscription" }
//   entitlements            { id: [entitlement] }
//   serviceLevels           { id: number }
//   accessPeriods           { id: "P30D" }
//   logLevel                "debug" | "info" | "warning" | "error"
//   storeFolder             the name of the folder in Application Support
//   productCacheSeconds     how long loaded products are used again
//   retry                   { firstDelay, longestDelay, factor, jitter }
//   quarantine              { rejectionsBorne, countsEveryFailure, unansweredLaunches,
//                             unansweredSeconds }
extension IAPConfiguration {
  /// The key of Info.plist under which the configuration stands.
  public static let infoKey = "IAPKit"
  /// The longest configuration that is read, in bytes.
  package static let fileBytesMax = 1024 * 1024

  /// Reads a configuration from JSON.
  ///
  /// - Parameter json: The text of a file; the keys are those of Info.plist.
  /// - Throws: ``IAPError/invalidConfiguration(problems:)``, which names every bad key.
  public init(json: Data) throws(IAPError) {
    let limits = JSONLimits(sizeBytesMax: Self.fileBytesMax, depthMax: 8)
    let object: JSONObject
    do throws(PayloadError) {
      object = try JSONParser.parseObject(json, limits: limits)
    } catch {
      throw .invalidConfiguration(problems: ["the file is no JSON object: \(error.code)"])
    }
    try self.init(members: object)
  }

  /// Reads a configuration from the values of an Info.plist, which hold a dictionary `IAPKit`.
  ///
  /// - Parameter infoDictionary: The values.
  /// - Throws: ``IAPError/invalidConfiguration(problems:)``, which names every bad key.
  public init(infoDictionary: [String: Any]) throws(IAPError) {
    guard let values = infoDictionary[Self.infoKey] else {
      throw .invalidConfiguration(problems: ["\(Self.infoKey) is missing: a dictionary"])
    }
    guard let values = values as? [String: Any] else {
      throw .invalidConfiguration(problems: ["\(Self.infoKey) is not a dictionary"])
    }
    var members: [JSONMember] = []
    var problems: [String] = []
    for (name, value) in values.sorted(by: { $0.key < $1.key }) {
      if let value = Self.json(value) {
        members.append(JSONMember(name, value))
      } else {
        problems.append("\(Self.infoKey).\(name) is a date or data")
        members.append(JSONMember(name, .null))
      }
    }
    try self.init(members: JSONObject(members), at: "\(Self.infoKey).", problems: problems)
  }

  private static func json(_ value: Any) -> JSONValue? {
    guard JSONSerialization.isValidJSONObject([value]),
      let data = try? JSONSerialization.data(withJSONObject: [value]),
      let array = try? JSONParser.parse(data, limits: .document)
    else { return nil }
    return array.arrayValue?.first
  }

  private init(
    members: JSONObject,
    at path: String = "",
    problems: [String] = []
  ) throws(IAPError) {
    var reader = CheckedMembers(members, at: path)
    reader.take(problems)
    let usesCatalog = reader.flag("remoteCatalog") ?? false
    let ids = reader.texts("productIds", isRequired: !usesCatalog)
    if let ids, ids.isEmpty, !usesCatalog { reader.note("productIds", "is empty") }
    self.init(productIds: ids ?? [], isSandbox: reader.flag("isSandbox"))
    usesRemoteCatalog = usesCatalog
    let key = reader.text("publicKey")
    server = reader.url("serverURL").map { ServerAccess(url: $0, publicKey: key) }
    if server == nil, usesCatalog { reader.note("serverURL", "is needed for remoteCatalog") }
    checksPurchasesAtServer = reader.flag("checksPurchasesAtServer") ?? true
    forceStoreKit1 = reader.flag("forceStoreKit1") ?? false
    holdsDelivery = reader.flag("holdsDelivery") ?? false
    readProducts(&reader)
    readWorking(&reader)
    reader.refuseOthers()
    guard reader.problems.isEmpty else { throw .invalidConfiguration(problems: reader.problems) }
  }

  private mutating func readProducts(_ reader: inout CheckedMembers) {
    productTypes =
      reader.table("productTypes", of: "types as the App Store spells them") { value in
        value.stringValue.map { ProductType(rawValue: $0) }
          .flatMap { Self.knownTypes.contains($0) ? $0 : nil }
      } ?? [:]
    entitlements =
      reader.table("entitlements", of: "arrays of texts", CheckedMembers.texts) ?? [:]
    serviceLevels =
      reader.table("serviceLevels", of: "whole numbers from 1") { value in
        value.integerValue.flatMap { (1...Int64(Int32.max)).contains($0) ? Int($0) : nil }
      } ?? [:]
    accessPeriods =
      reader.table("accessPeriods", of: "lengths such as P30D") { value in
        value.stringValue.flatMap { IAPModel.SubscriptionPeriod(iso8601: $0) }
      } ?? [:]
  }

  private static let knownTypes: Set<ProductType> = [
    .consumable, .nonConsumable, .nonRenewable, .autoRenewable,
  ]

  private mutating func readWorking(_ reader: inout CheckedMembers) {
    if let name = reader.text("logLevel") {
      if let level = LogLevel.allCases.first(where: { "\($0)" == name }) {
        logLevel = level
      } else {
        reader.note("logLevel", "is not debug, info, warning or error")
      }
    }
    if let folder = reader.text("storeFolder") {
      if folder.contains("/") || folder == ".." {
        reader.note("storeFolder", "is not the name of one folder")
      } else {
        storeDirectory = LiveFiles.standardDirectory.deletingLastPathComponent()
          .appendingPathComponent(folder, isDirectory: true)
      }
    }
    if let age = reader.number("productCacheSeconds") { productCache = .maxAge(age) }
    if let members = reader.object("retry") {
      var policy = CheckedMembers(members, at: "retry.")
      retry.firstDelay = policy.number("firstDelay") ?? retry.firstDelay
      retry.longestDelay = policy.number("longestDelay") ?? retry.longestDelay
      retry.factor = policy.number("factor") ?? retry.factor
      retry.jitter = policy.number("jitter") ?? retry.jitter
      if retry.jitter > 1 { policy.note("jitter", "is more than 1") }
      if retry.factor < 1 { policy.note("factor", "is less than 1") }
      policy.refuseOthers()
      reader.take(policy.problems)
    }
    if let members = reader.object("quarantine") {
      var policy = CheckedMembers(members, at: "quarantine.")
      quarantine.rejectionsBorne = policy.count("rejectionsBorne") ?? quarantine.rejectionsBorne
      quarantine.countsEveryFailure =
        policy.flag("countsEveryFailure") ?? quarantine.countsEveryFailure
      quarantine.unansweredLaunches =
        policy.count("unansweredLaunches") ?? quarantine.unansweredLaunches
      quarantine.unansweredSeconds =
        policy.number("unansweredSeconds") ?? quarantine.unansweredSeconds
      policy.refuseOthers()
      reader.take(policy.problems)
    }
  }
}
