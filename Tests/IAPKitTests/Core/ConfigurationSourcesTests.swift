import Foundation
import IAPKit
import Testing

@Suite("A configuration")
struct ConfigurationSourcesTests {
  private static let full = """
    {
      "productIds": ["coins", "pro"], "serverURL": "https://iap.example.com/base",
      "publicKey": "pk_1", "checksPurchasesAtServer": false, "remoteCatalog": true,
      "isSandbox": true, "forceStoreKit1": true, "holdsDelivery": true,
      "productTypes": {"coins": "Consumable"}, "entitlements": {"pro": ["all", "more"]},
      "serviceLevels": {"pro": 1}, "accessPeriods": {"season": "P30D"}, "logLevel": "warning",
      "storeFolder": "Shop", "productCacheSeconds": 60,
      "retry": {"firstDelay": 1, "longestDelay": 60, "factor": 3, "jitter": 0.25},
      "quarantine": {"rejectionsBorne": 1, "countsEveryFailure": true, "unansweredLaunches": 2,
        "unansweredSeconds": 10}
    }
    """

  private func expectFull(_ configuration: IAPConfiguration) {
    #expect(configuration.productIds == ["coins", "pro"])
    #expect(
      configuration.server
        == URL(string: "https://iap.example.com/base")
        .map { ServerAccess(url: $0, publicKey: "pk_1") }
    )
    #expect(!configuration.checksPurchasesAtServer)
    #expect(configuration.usesRemoteCatalog)
    #expect(configuration.isSandbox)
    #expect(configuration.forceStoreKit1)
    #expect(configuration.holdsDelivery)
    #expect(configuration.productTypes == ["coins": .consumable])
    #expect(configuration.entitlements == ["pro": ["all", "more"]])
    #expect(configuration.serviceLevels == ["pro": 1])
    #expect(configuration.accessPeriods == ["season": SubscriptionPeriod(30, .day)])
    #expect(configuration.logLevel == .warning)
    #expect(configuration.storeDirectory?.lastPathComponent == "Shop")
    #expect(configuration.productCache == .maxAge(60))
    #expect(
      configuration.retry == RetryPolicy(firstDelay: 1, longestDelay: 60, factor: 3, jitter: 0.25)
    )
    #expect(
      configuration.quarantine
        == QuarantinePolicy(
          rejectionsBorne: 1,
          countsEveryFailure: true,
          unansweredLaunches: 2,
          unansweredSeconds: 10
        )
    )
    #expect(configuration.validator == nil)
  }

  @Test("is read from JSON, every key")
  func json() throws { expectFull(try IAPConfiguration(json: Data(Self.full.utf8))) }

  @Test("is read from the values of an Info.plist, every key")
  func infoPlist() throws {
    let object = try JSONSerialization.jsonObject(with: Data(Self.full.utf8))
    // The way of a real file: property lists have numbers and booleans of their own.
    let list = try PropertyListSerialization.data(
      fromPropertyList: ["IAPKit": object, "CFBundleName": "Demo"],
      format: .xml,
      options: 0
    )
    let info = try PropertyListSerialization.propertyList(from: list, format: nil)
    expectFull(
      try IAPConfiguration(infoDictionary: try #require(info as? [String: Any]))
    )
  }

  @Test("is read from a file and from a bundle, and says when there is none")
  func files() throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("iapkit-configuration-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let file = folder.appendingPathComponent("shop.json")
    try Data(Self.full.utf8).write(to: file)
    expectFull(try IAPConfiguration(contentsOf: file))
    #expect(
      problems { try IAPConfiguration(contentsOf: folder.appendingPathComponent("none.json")) }
        == ["none.json cannot be read"]
    )
    // The tests themselves are a bundle without the key.
    #expect(
      problems { try IAPConfiguration(bundle: .main) } == ["IAPKit is missing: a dictionary"]
    )
  }

  @Test("needs the products only, and has defaults for the rest")
  func defaults() throws {
    let configuration = try IAPConfiguration(json: Data(#"{"productIds":["a"]}"#.utf8))
    #expect(configuration.productIds == ["a"])
    #expect(configuration.server == nil)
    #expect(configuration.checksPurchasesAtServer)
    #expect(!configuration.usesRemoteCatalog)
    #expect(configuration.logLevel == .info)
    #expect(configuration.productCache == .maxAge(3600))
    #expect(configuration.retry == RetryPolicy())
    #expect(configuration.quarantine == QuarantinePolicy())
  }

  private func problems(_ make: () throws -> IAPConfiguration) -> [String] {
    do {
      _ = try make()
      return []
    } catch IAPError.invalidConfiguration(let problems) {
      return problems
    } catch {
      return ["\(error)"]
    }
  }

  @Test("names every bad key at once")
  func badKeys() throws {
    let text = """
      {
        "serverURL": "not an address", "isSandbox": 1, "forceStoreKit1": "yes",
        "productTypes": {"coins": "consumable"}, "entitlements": {"pro": "all"},
        "serviceLevels": {"pro": 0}, "accessPeriods": {"season": "30 days"},
        "logLevel": "loud", "storeFolder": "../else", "productCacheSeconds": -1,
        "retry": {"factor": 0.5, "jitter": 2, "often": true},
        "quarantine": {"rejectionsBorne": -1}, "productIDs": ["coins"]
      }
      """
    #expect(
      problems { try IAPConfiguration(json: Data(text.utf8)) } == [
        "productIds is missing: an array of texts", "isSandbox is not true or false",
        "serverURL is not a web address", "forceStoreKit1 is not true or false",
        "productTypes is not an object whose members are types as the App Store spells them",
        "entitlements is not an object whose members are arrays of texts",
        "serviceLevels is not an object whose members are whole numbers from 1",
        "accessPeriods is not an object whose members are lengths such as P30D",
        "logLevel is not debug, info, warning or error",
        "storeFolder is not the name of one folder",
        "productCacheSeconds is not a number from 0", "retry.jitter is more than 1",
        "retry.factor is less than 1", "retry.often is not known",
        "quarantine.rejectionsBorne is not a whole number from 0", "productIDs is not known",
      ]
    )
  }

  @Test(
    "refuses what is no configuration",
    arguments: [
      (#"{"productIds":[]}"#, "productIds is empty"),
      (#"{"productIds":[1]}"#, "productIds is not an array of texts"),
      (#"{"remoteCatalog":true}"#, "serverURL is needed for remoteCatalog"),
      ("[]", "the file is no JSON object: wrongType"),
      ("<html>", "the file is no JSON object: notJSON"),
      ("", "the file is no JSON object: notJSON"),
      (String(repeating: " ", count: 1024 * 1024 + 1), "the file is no JSON object: tooLarge"),
    ]
  )
  func refused(row: (text: String, problem: String)) throws {
    #expect(problems { try IAPConfiguration(json: Data(row.text.utf8)) } == [row.problem])
  }

  @Test("may be as long as its limit")
  func longest() throws {
    let text = #"{"productIds":["a"]}"#
    let padded =
      text
      + String(
        repeating: " ",
        count: IAPConfiguration.fileBytesMax - text.utf8.count
      )
    #expect(try IAPConfiguration(json: Data(padded.utf8)).productIds == ["a"])
    #expect(
      problems { try IAPConfiguration(json: Data((padded + " ").utf8)) }
        == ["the file is no JSON object: tooLarge"]
    )
  }

  @Test("names bad keys of an Info.plist by their place")
  func badInfo() throws {
    #expect(
      problems { try IAPConfiguration(infoDictionary: ["IAPKit": "text"]) }
        == ["IAPKit is not a dictionary"]
    )
    let info: [String: Any] = [
      "IAPKit": ["productIds": Date(timeIntervalSince1970: 0), "isSandbox": "NO"] as [String: Any]
    ]
    #expect(
      problems { try IAPConfiguration(infoDictionary: info) } == [
        "IAPKit.productIds is a date or data", "IAPKit.productIds is missing: an array of texts",
        "IAPKit.isSandbox is not true or false",
      ]
    )
  }

  @Test(
    "guesses the environment from the build",
    arguments: [
      (
        BuildTraits(isSimulator: true, hasProfile: false, receiptName: nil, hasReceipt: false),
        true, true
      ),
      (
        BuildTraits(
          isSimulator: false,
          hasProfile: true,
          receiptName: "receipt",
          hasReceipt: false
        ),
        true, true
      ),
      (
        BuildTraits(
          isSimulator: false,
          hasProfile: true,
          receiptName: "sandboxReceipt",
          hasReceipt: true
        ),
        true, false
      ),
      (
        BuildTraits(
          isSimulator: false,
          hasProfile: false,
          receiptName: "sandboxReceipt",
          hasReceipt: true
        ),
        true, false
      ),
      (
        BuildTraits(
          isSimulator: false,
          hasProfile: false,
          receiptName: "receipt",
          hasReceipt: true
        ),
        false, false
      ),
      (
        BuildTraits(isSimulator: false, hasProfile: false, receiptName: nil, hasReceipt: false),
        false, false
      ),
    ]
  )
  func traits(row: (build: BuildTraits, isSandbox: Bool, isLocal: Bool)) {
    #expect(row.build.isSandboxHint == row.isSandbox)
    #expect(row.build.isLocal == row.isLocal)
  }
}

@Suite("The way to the server")
struct ServerAccessTests {
  @Test("carries the key in the call and not in a description")
  func key() throws {
    let url = try #require(URL(string: "https://iap.example.com/shop/"))
    let access = ServerAccess(url: url, publicKey: "pk_secret")
    let request = access.request("GET", "v1/catalog", headers: ["If-None-Match": "\"1\""])
    #expect(request.url.absoluteString == "https://iap.example.com/shop/v1/catalog")
    #expect(
      request.headers == [
        "Authorization": "Bearer pk_secret", "If-None-Match": "\"1\"", "Accept": "application/json",
      ]
    )
    #expect("\(access)" == "ServerAccess(iap.example.com)")
    #expect(
      ServerAccess(url: url).request("POST", "v1/x", body: [1]).headers
        == ["Accept": "application/json", "Content-Type": "application/json"]
    )
  }
}
