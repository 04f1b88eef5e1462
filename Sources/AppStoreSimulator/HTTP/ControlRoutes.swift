import Foundation
import HTTPValues
import IAPModel
import IAPSignatures

/// The control interface: what people and time do, over HTTP.
struct ControlRoutes: Sendable {
  let store: SimulatedAppStore
  let pace: ClockPace?
  let desk: ServerAPIDesk

  /// The longest move of the clock in one request: 50 years.
  static let advanceSecondsMax = 50.0 * 365.25 * 24 * 3600
  /// The last instant that the clock can be moved to: what is signed writes years in four digits.
  static let instantMax = Date(milliseconds: HistoryQuery.millisecondsMax)
  /// The most lines of the history in one answer.
  static let historyCountMax = 1000

  var routes: [Route] {
    clockRoutes + registryRoutes + purchaseRoutes + subscriptionRoutes + outsideRoutes
      + signedRoutes + ruleRoutes + developerRoutes + codeRoutes
  }

  private var clockRoutes: [Route] {
    [
      Route(.get, "/control/clock") { _, _ in clock() },
      Route(.post, "/control/clock/advance") { request, _ throws(SimulatorError) in
        try await advance(request)
      },
      Route(.put, "/control/clock/rate") { request, _ throws(SimulatorError) in
        try setRate(request)
      },
    ]
  }

  private func clock() -> HTTPResponse {
    var members = WireMembers()
    members.date("now", store.now)
    members.date("nextEvent", store.clock.nextDue)
    if let pace { members.value("rate", .decimal(pace.rate())) }
    return .json(.object(members.object))
  }

  private func advance(_ request: HTTPRequest) async throws(SimulatorError) -> HTTPResponse {
    let body = try ControlBody(request, allowed: ["seconds", "to"])
    let now = store.now
    let target: Date
    switch (try body.number("seconds"), try body.integer("to")) {
    case (let seconds?, nil): target = now.addingTimeInterval(seconds)
    case (nil, let milliseconds?): target = Date(milliseconds: milliseconds)
    case (nil, nil), (.some, .some):
      throw SimulatorError(.badRequest, "the body needs either seconds or to")
    }
    let seconds = target.timeIntervalSince(now)
    guard (0...Self.advanceSecondsMax).contains(seconds) else {
      throw SimulatorError(
        .badRequest,
        "the clock moves forward by at most \(Int(Self.advanceSecondsMax)) seconds at a time"
      )
    }
    guard target <= Self.instantMax else {
      throw SimulatorError(.badRequest, "the clock stops at the end of the year 9999")
    }
    await store.advance(to: target)
    return clock()
  }

  private func setRate(_ request: HTTPRequest) throws(SimulatorError) -> HTTPResponse {
    let body = try ControlBody(request, allowed: ["rate"])
    let rate = try body.require("rate", try body.number("rate"))
    guard let pace else {
      throw SimulatorError(.notAllowed, "nothing moves this clock but advance")
    }
    guard (0...ClockPace.rateMax).contains(rate) else {
      throw SimulatorError(.badRequest, "rate is from 0 to \(Int(ClockPace.rateMax))")
    }
    pace.setRate(rate)
    return clock()
  }
}

// MARK: Apps, accounts, devices

extension ControlRoutes {
  private var registryRoutes: [Route] {
    [
      Route(.get, "/control/apps") { _, _ in .json(.array(store.apps.map(\.json))) },
      Route(.post, "/control/apps") { request, _ throws(SimulatorError) in try addApp(request) },
      Route(.get, "/control/accounts") { _, _ in .json(.array(store.accounts.map(\.json))) },
      Route(.post, "/control/accounts") { request, _ throws(SimulatorError) in
        try addAccount(request)
      },
      Route(.patch, "/control/accounts/:account") { request, path throws(SimulatorError) in
        try changeAccount(AccountID(path["account"]), request)
      },
      Route(.get, "/control/devices") { _, _ in .json(.array(store.devices.map(\.json))) },
      Route(.post, "/control/devices") { request, _ throws(SimulatorError) in
        try addDevice(request)
      },
      Route(.post, "/control/devices/:device/restore") { _, path throws(SimulatorError) in
        .json(.array(try store.restore(on: DeviceID(path["device"])).map(\.json)))
      },
      Route(.post, "/control/devices/:device/refresh-receipt") { _, path throws(SimulatorError) in
        try store.refreshReceipt(on: DeviceID(path["device"]))
        return .json([:])
      },
      Route(.get, "/control/devices/:device/unfinished") { _, path throws(SimulatorError) in
        .json(.array(try store.unfinished(on: DeviceID(path["device"])).map(\.json)))
      },
    ]
  }

  private func addApp(_ request: HTTPRequest) throws(SimulatorError) -> HTTPResponse {
    let body = try ControlBody(
      request,
      allowed: ["bundleId", "appAppleId", "catalog", "version", "build"]
    )
    let catalog = try body.require("catalog", try body.object("catalog"))
    let number = try body.require("appAppleId", try body.integer("appAppleId"))
    guard number > 0 else { throw SimulatorError(.badRequest, "appAppleId is from 1") }
    let bundleID = BundleID(try body.requiredText("bundleId"))
    try store.addApp(
      bundleID,
      appAppleID: AppAppleID(number),
      catalog: try StoreCatalog(parsing: catalog.serialized, file: "catalog"),
      version: try body.text("version") ?? "1.0",
      build: try body.text("build") ?? "1"
    )
    return .json(.array(store.apps.filter { $0.bundleID == bundleID }.map(\.json)))
  }

  private func addAccount(_ request: HTTPRequest) throws(SimulatorError) -> HTTPResponse {
    let body = try ControlBody(request, allowed: ["account", "storefront", "asksToBuy"])
    let id = AccountID(try body.requiredText("account"))
    try store.addAccount(
      id,
      storefront: try storefront(body),
      asksToBuy: try body.bool("asksToBuy") ?? false
    )
    return account(id)
  }

  private func changeAccount(
    _ id: AccountID,
    _ request: HTTPRequest
  ) throws(SimulatorError) -> HTTPResponse {
    let body = try ControlBody(
      request,
      allowed: ["storefront", "asksToBuy", "mayBuy", "paymentWorks"]
    )
    // All is read before anything changes; only the move to a storefront may still be refused.
    let place = try storefront(body)
    let asks = try body.bool("asksToBuy")
    let may = try body.bool("mayBuy")
    let works = try body.bool("paymentWorks")
    if let place { try store.setStorefront(place, of: id) }
    if let asks { try store.setAsksToBuy(asks, of: id) }
    if let may { try store.setMayBuy(may, of: id) }
    if let works { try store.setPayment(works: works, of: id) }
    return account(id)
  }

  private func account(_ id: AccountID) -> HTTPResponse {
    guard let record = store.accounts.first(where: { $0.id == id }) else {
      return .problem(404, code: "unknownAccount", "there is no account \"\(id)\"")
    }
    return .json(record.json)
  }

  private func storefront(_ body: ControlBody) throws(SimulatorError) -> Storefront? {
    guard let code = try body.text("storefront") else { return nil }
    return try Storefront.of(countryCode: code)
  }

  private func addDevice(_ request: HTTPRequest) throws(SimulatorError) -> HTTPResponse {
    let body = try ControlBody(request, allowed: ["device", "account", "bundleId"])
    let id = DeviceID(try body.requiredText("device"))
    try store.addDevice(
      id,
      account: AccountID(try body.requiredText("account")),
      app: try body.text("bundleId").map { BundleID($0) }
    )
    return .json(try store.device(id).json)
  }
}
