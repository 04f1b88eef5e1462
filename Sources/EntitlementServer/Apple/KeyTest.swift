import AppStoreServerAPI
public import IAPModel

/// What an app's key is worth at one of Apple's addresses.
public struct KeyTest: Hashable, Sendable {
  /// The app.
  public let app: BundleID
  /// The address.
  public let environment: StoreEnvironment
  /// `accepted`, `refused` or `unknown`, and what was in the way.
  public let result: String
  /// Whether the App Store does not accept it.
  public let isRefused: Bool
}

extension EntitlementServer {
  /// Finds out whether the App Store accepts the keys, and logs a line for each address.
  ///
  /// A refused key is an error in the log: nothing that needs it will work. That it could not be
  /// tested is no error, for the App Store may be out of reach for a while.
  ///
  /// - Returns: The results, in the order of the apps.
  public func testKeys() async -> [KeyTest] {
    var tests: [KeyTest] = []
    for app in parts.configuration.apps {
      guard let client = parts.apple[app.bundleID]?.client else { continue }
      for environment in app.storeEnvironments {
        let test = KeyTest(
          app: app.bundleID,
          environment: environment,
          await client.testKey(in: environment)
        )
        parts.world.log(test.event)
        parts.metrics.set(
          ServerMetrics.Reading(
            .appleKey,
            test.isRefused ? 0 : 1,
            ["app": test.app.rawValue, "environment": test.environment.rawValue]
          )
        )
        tests.append(test)
      }
    }
    return tests
  }
}

extension KeyTest {
  init(app: BundleID, environment: StoreEnvironment, _ result: KeyTestResult) {
    let (word, isRefused) =
      switch result {
      case .accepted: ("accepted", false)
      case .refused: ("refused", true)
      case .unknown(let code): ("unknown (\(code))", false)
      }
    self.init(app: app, environment: environment, result: word, isRefused: isRefused)
  }

  /// The line in the log.
  var event: ServerEvent {
    ServerEvent(
      isRefused ? .error : .notice,
      "appleKey",
      [
        .init("app", app.rawValue), .init("environment", environment.rawValue),
        .init("result", result),
      ]
    )
  }
}
