import AppStoreSimulator
import Foundation
import HTTPValues
import IAPKit
import IAPModel
import OpenSSLCrypto
import SimulatedApp
import Synchronization

@testable import WebDemo

/// A demo without sockets: the device's own verdict stands for the server's.
@MainActor
struct DemoStage {
  let demo: WebDemo
  let site: DemoSite
  let token = "the-token"
  private let ticking: Task<Void, Never>

  /// Sets up a demo and lets time tick while the body runs.
  static func with(
    catalog text: String = DemoCatalog.text,
    _ body: @MainActor (DemoStage) async throws -> Void
  ) async throws {
    let stage = try await DemoStage(text)
    defer { stage.end() }
    try await body(stage)
  }

  private init(_ text: String) async throws {
    let store = try SimulatedAppStore(
      configuration: StoreConfiguration(
        catalog: try StoreCatalog(parsing: Array(text.utf8), file: "Demo.storekit"),
        bundleID: DemoCatalog.bundleID,
        appAppleID: DemoCatalog.appAppleID,
        seed: 5,
        start: Date(timeIntervalSince1970: 1_772_444_460)  // 2026-03-02T09:41:00Z
      ),
      signing: try OpenSSLPrimitives()
    )
    let world = DemoWorld(
      store: store,
      makeSetup: { generation, _ in
        AppSetup(
          generation: generation,
          productIds: DemoOffer.all,
          productTypes: DemoOffer.types
        )
      },
      server: DemoWorld.Server(start: {}, stop: {}),
      dashboard: DemoWorld.Dashboard(
        address: "http://127.0.0.1:1/dashboard",
        name: "demo",
        password: "secret"
      ),
      formToken: token,
      rest: { await Task.yield() }
    )
    let demo = try await WebDemo(world: world)
    self.demo = demo
    site = DemoSite(demo)
    ticking = Task {
      while !Task.isCancelled {
        demo.tick()
        await Task.yield()
      }
    }
  }

  private func end() {
    ticking.cancel()
    demo.close()
  }

  // MARK: Calling

  func get(_ target: String, _ headers: HTTPHeaders = [:]) async -> HTTPResponse {
    var headers = headers
    if headers["Host"] == nil { headers["Host"] = "127.0.0.1:8787" }
    return await site.handler(HTTPRequest(method: .get, target: target, headers: headers))
  }

  /// Presses a button as the page's form does it.
  func press(
    _ action: String,
    on phone: String = "phone",
    token: String? = nil,
    _ headers: HTTPHeaders = [:]
  ) async -> HTTPResponse {
    let body =
      "token=\(token ?? self.token)&on=\(phone)&tab=shop&do=\(PercentCoding.encode(action))"
    return await post(body, headers)
  }

  func post(_ body: String, _ headers: HTTPHeaders = [:]) async -> HTTPResponse {
    var headers = headers
    if headers["Host"] == nil { headers["Host"] = "127.0.0.1:8787" }
    if headers["Content-Type"] == nil {
      headers["Content-Type"] = "application/x-www-form-urlencoded"
    }
    return await site.handler(
      HTTPRequest(method: .post, target: "/act", headers: headers, body: Array(body.utf8))
    )
  }

  func page(_ target: String = "/", _ headers: HTTPHeaders = [:]) async -> String {
    String(decoding: await get(target, headers).body, as: UTF8.self)
  }

  /// Waits until the page shows what is wanted.
  func wait(until isSo: (DemoSnapshot) -> Bool) async throws {
    for _ in 0..<Self.changesMax {
      let known = demo.version
      if isSo(demo.snapshot) { return }
      await demo.change(after: known, ticks: Self.ticksMax)
    }
    throw DemoError(.notPossible, "the page never showed it")
  }

  private static let changesMax = 500
  private static let ticksMax = 2_000
}
