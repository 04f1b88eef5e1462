import AppStoreSimulator
import Foundation
import IAPKit
import IAPModel
import MicroHTTP
import SimulatedApp

/// `iap demo`: a simulated store, a server and telephones on one machine, and a tour through them.
struct DemoCommand: Command {
  static let name = "demo"
  static let summary = Words(
    "Show a purchase from the tap to the goods, with everything that can go wrong",
    zh: "演示一笔购买从点击到交付的全过程，以及可能出现的各种问题"
  )
  static let details = Words(
    """
    Starts a simulated App Store, an entitlement server on a temporary SQLite file and telephones
    whose app uses the client library, and walks through thirteen steps, once with StoreKit 2 and
    once with StoreKit 1. Afterwards store and server keep running until Ctrl-C, and a page lets you
    click through everything in a browser: buy, kill the app, stop the server, move time, refund.

    The exit status is 1 when a step fails or an order is lost or delivered twice.
    """,
    zh: """
      启动模拟 App Store、使用临时 SQLite 文件的权益服务器，以及使用客户端库的模拟手机，
      依次用 StoreKit 2 和 StoreKit 1 走完十三个步骤。之后商店与服务器继续运行，直到按 Ctrl-C；
      您可以在浏览器页面上亲自操作：购买、终止 App、停止服务器、推进时间、退款。

      若有步骤失败，或有订单丢失或重复交付，退出状态为 1。
      """
  )
  static let options: [CommandOption] = [
    .flag("once", Words("end after the tour", zh: "演示结束后退出")),
    .flag(
      "no-tour",
      Words("serve the page at once, without the tour", zh: "跳过演示步骤，直接打开网页")
    ),
    .value(
      "port",
      "N",
      Words(
        "where the page is served; \(LiveDemoPage.usualPort)",
        zh: "网页端口；默认 \(LiveDemoPage.usualPort)"
      )
    ),
    .value("json", "FILE", Words("also write what happened as JSON", zh: "同时将结果写为 JSON")),
    .value("seed", "N", Words("what all chance comes from; 1", zh: "随机种子；默认 1")),
    .value(
      "start",
      "DATE",
      Words("where the store's clock starts; now", zh: "商店时钟的起点；默认当前时间")
    ),
  ]

  static func run(
    _ arguments: CommandArguments,
    console: Console
  ) async throws(CommandError) -> ExitStatus {
    let seed = UInt64(try arguments.integer("seed") ?? 1)
    let start = try arguments.date("start") ?? console.now()
    let port = try arguments.integer("port", in: 0...65_535).map { Int($0) }
    // An address that cannot be written to is found before the tour, not after it.
    let path = arguments.value("json")
    if let path { try write(DemoReport(), to: path) }
    do {
      let directory = try LiveTour.makeFolder()
      let world = try await TourWorld(seed: seed, start: start, directory: directory)
      do {
        announce(world, console)
        var isClean = true
        if !arguments.flag("no-tour") {
          let report = try await walk(world, console)
          console.line(report.summary)
          isClean = report.isClean
          if let path { try write(report, to: path) }
        }
        if !arguments.flag("once") { try await serve(world, port, console) }
        await world.close()
        return isClean ? .success : .failure
      } catch {
        await world.close()
        throw error
      }
    } catch let error as CommandError {
      throw error
    } catch {
      throw CommandError(
        .failed,
        Words("The demo could not go on: \(error).", zh: "演示无法继续：\(error)。")
      )
    }
  }

  private static func announce(_ world: TourWorld, _ console: Console) {
    console.line(
      Words(
        "simulated store \(world.storeFace.address.url)  server \(world.server.base)",
        zh: "模拟商店 \(world.storeFace.address.url)  服务器 \(world.server.base)"
      )
    )
  }

  /// Serves the page until somebody ends it.
  private static func serve(
    _ world: TourWorld,
    _ port: Int?,
    _ console: Console
  ) async throws {
    // Listened for before anybody can know that the page is there.
    let interruption = await console.interruption()
    let page = try await LiveDemoPage.open(world, port: port, console.language)
    console.line()
    console.line(
      Words(
        "Open \(page.address)/ in a browser: a telephone, a store and a server to play with.",
        zh: "请在浏览器中打开 \(page.address)/ ：手机、商店和服务器，任您尝试。"
      )
    )
    console.line(Words("Serving until Ctrl-C.", zh: "持续运行，按 Ctrl-C 结束。"))
    await interruption.wait()
    await page.close()
  }

  private static func walk(_ world: TourWorld, _ console: Console) async throws -> DemoReport {
    var report = DemoReport()
    for generation in [StoreGeneration.storekit2, .storekit1] {
      let tour = try await Tour(world: world, generation: generation)
      for (index, step) in Tour.script.enumerated() {
        let result = await tour.result(of: step)
        report.steps.append(result)
        console.line(result.line(number: index + 1, of: Tour.script.count, console: console))
      }
      report.tally = report.tally + (try await tour.tally())
      // Its telephones are put away: the page has others.
      for app in tour.apps.all { app.kill() }
    }
    return report
  }

  private static func write(_ report: DemoReport, to path: String) throws(CommandError) {
    do {
      try report.json.serializedData.write(to: URL(fileURLWithPath: path))
    } catch {
      throw CommandError(.file, Words("'\(path)' cannot be written.", zh: "无法写入“\(path)”。"))
    }
  }
}
