package import Foundation
import HTTPClient
import HTTPValues
import IAPModel

/// A browser without a window, driven by a test.
///
/// What waits, waits for the page itself to change: nothing here sleeps.
package final class Browser: Sendable {
  let session: WebDriverSession
  private let driver: ChromeDriver

  /// How long a page may take for what a test waits for.
  ///
  /// No measure of the page: other tests and compilers may have the machine meanwhile.
  package static let waitSecondsMax = 60

  /// Opens a browser, lets a test use it, and closes it.
  ///
  /// - Parameters:
  ///   - look: How it looks at pages; see ``look(_:)`` for another later.
  ///   - body: The test.
  /// - Returns: What the test returns.
  package static func use<Value>(
    _ look: BrowserLook = BrowserLook(),
    _ body: (Browser) async throws -> Value
  ) async throws -> Value {
    let browser = try await Browser(look)
    do {
      let value = try await body(browser)
      await browser.close()
      return value
    } catch {
      await browser.close()
      throw error
    }
  }

  private init(_ look: BrowserLook) async throws(BrowserError) {
    guard let binary = ChromeDriver.browser else {
      throw BrowserError(BrowserError.notStarted, ChromeDriver.absence)
    }
    driver = try await ChromeDriver()
    let options: JSONObject = [
      "binary": .string(binary),
      "args": .array(Self.arguments.map { .string($0) }),
    ]
    session = try await WebDriverSession(
      on: driver,
      client: HTTPClient(limits: HTTPClientLimits(bodyBytesMax: 64 * 1024 * 1024)),
      capabilities: [
        "browserName": "chrome",
        "goog:chromeOptions": .object(options),
        "goog:loggingPrefs": ["browser": "ALL"],
        "timeouts": ["implicit": .integer(Int64(Self.lookMilliseconds))],
      ]
    )
    try await self.look(look)
  }

  private static let arguments = [
    "--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu",
    "--hide-scrollbars", "--no-first-run", "--no-proxy-server", "--disable-background-networking",
    "--force-color-profile=srgb", "--font-render-hinting=none", "--window-size=1280,900",
  ]

  private func close() async { try? await session.delete() }

  // MARK: Looking

  /// Looks at pages another way from now on; a page that is open is to be loaded again.
  package func look(_ look: BrowserLook) async throws(BrowserError) {
    let viewport = look.viewport
    try await session.devTools(
      "Emulation.setDeviceMetricsOverride",
      [
        "width": .integer(Int64(viewport.width)),
        "height": .integer(Int64(viewport.height)),
        "deviceScaleFactor": .integer(Int64(viewport.scale)),
        "mobile": .bool(viewport.isMobile),
      ]
    )
    let agent = try await userAgent()
    try await session.devTools(
      "Emulation.setUserAgentOverride",
      ["userAgent": .string(agent), "acceptLanguage": .string(look.languages)]
    )
    try await session.devTools(
      "Emulation.setEmulatedMedia",
      [
        "features": [
          ["name": "prefers-color-scheme", "value": .string(look.scheme.rawValue)],
          [
            "name": "prefers-reduced-motion",
            "value": look.allowsMotion ? "no-preference" : "reduce",
          ],
        ]
      ]
    )
    try await session.devTools(
      "Emulation.setScriptExecutionDisabled",
      ["value": .bool(!look.runsScripts)]
    )
  }

  private func userAgent() async throws(BrowserError) -> String {
    let version = try await session.devTools("Browser.getVersion")
    return (version["userAgent"]?.stringValue ?? "").replacing("Headless", with: "")
  }

  // MARK: Moving

  /// Opens an address and waits until the page is loaded.
  package func open(_ url: String) async throws(BrowserError) {
    try await session.post("/url", ["url": .string(url)])
  }

  /// The address of the page.
  package var address: String {
    get async throws(BrowserError) { try await session.get("/url").stringValue ?? "" }
  }

  /// The page's title.
  package var title: String {
    get async throws(BrowserError) { try await session.get("/title").stringValue ?? "" }
  }

  /// Loads the page again.
  package func reload() async throws(BrowserError) { try await session.post("/refresh") }

  /// Goes back.
  package func back() async throws(BrowserError) { try await session.post("/back") }

  /// Sends the browser's cookies away.
  package func forgetCookies() async throws(BrowserError) { try await session.delete("/cookie") }

  // MARK: Hearing and seeing

  /// What the browser complained about since it was asked last: errors of scripts, what the
  /// content security policy blocked, addresses that failed.
  package func consoleErrors() async throws(BrowserError) -> [String] {
    let entries = try await session.post("/se/log", ["type": "browser"]).arrayValue ?? []
    return entries.compactMap(\.objectValue).compactMap { entry in
      guard entry["level"]?.stringValue == "SEVERE" else { return nil }
      return entry["message"]?.stringValue
    }
  }

  /// A picture of what the window shows, or of the whole page, as PNG.
  package func picture(wholePage: Bool = false) async throws(BrowserError) -> Data {
    var parameters: JSONObject = ["format": "png"]
    if wholePage { parameters["captureBeyondViewport"] = true }
    if wholePage, let size = try await session.devTools("Page.getLayoutMetrics")["cssContentSize"] {
      parameters["clip"] = .object([
        "x": 0, "y": 0, "scale": 1,
        "width": size.objectValue?["width"] ?? 0,
        "height": size.objectValue?["height"] ?? 0,
      ])
    }
    let answer = try await session.devTools("Page.captureScreenshot", parameters)
    guard let text = answer["data"]?.stringValue, let data = Data(base64Encoded: text) else {
      throw BrowserError(BrowserError.noAnswer, "there is no picture")
    }
    return data
  }

  /// Writes a picture to `NAME.png` in the folder that `IAP_PICTURES` names; nothing without it.
  package func keepPicture(_ name: String, wholePage: Bool = false) async throws {
    guard let folder = ProcessInfo.processInfo.environment["IAP_PICTURES"] else { return }
    let url = URL(fileURLWithPath: folder)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    try await picture(wholePage: wholePage)
      .write(to: url.appendingPathComponent(name + ".png"))
  }
}
