import Foundation
import HTTPValues
import IAPModel
import MicroHTTP
import Synchronization

/// A backend that is told about events over HTTP, and sometimes fails.
final class ChaosReceiver: Sendable {
  private struct State {
    var ids: Set<String> = []
    var orders: [String: [Int64]] = [:]
    var count = 0
  }

  private let state = Mutex(State())
  private let served = Mutex<HTTPServer?>(nil)

  /// Where it listens.
  let url: String

  init() throws {
    let call = Entrance()
    let http = try HTTPServer.start(host: "127.0.0.1", port: 0) { request in
      HTTPResponse(status: call.answer(request))
    }
    url = http.address.url + "/hook"
    served.withLock { $0 = http }
    call.take.withLock { $0 = { [weak self] in self?.take($0) ?? 503 } }
  }

  /// Stands between the server, which has to be there first, and the receiver.
  private final class Entrance: Sendable {
    let take = Mutex<(@Sendable (HTTPRequest) -> Int)?>(nil)
    func answer(_ request: HTTPRequest) -> Int { take.withLock { $0 }?(request) ?? 503 }
  }

  func stop() async { await served.withLock { $0 }?.stop() }

  /// The events that have arrived.
  var ids: Set<String> { state.withLock(\.ids) }
  /// How many requests came.
  var count: Int { state.withLock(\.count) }
  /// The numbers of each customer's events, in the order in which they came first.
  var orders: [String: [Int64]] { state.withLock(\.orders) }

  private func take(_ request: HTTPRequest) -> Int {
    guard let body = try? JSONParser.parseObject(request.body, limits: .document),
      let id = request.headers["webhook-id"]
    else { return 400 }
    return state.withLock { state in
      state.count += 1
      // One in twenty fails before it is recorded, and one in twenty after.
      if state.count % 20 == 7 { return 500 }
      if state.ids.insert(id).inserted, let customer = body["customer"]?.stringValue,
        let number = body["sequence"]?.integerValue
      {
        state.orders[customer, default: []].append(number)
      }
      return state.count % 20 == 13 ? 500 : 200
    }
  }
}
