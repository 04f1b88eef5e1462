import AppStoreSimulator
import Foundation
import HTTPValues
import Synchronization

/// The way to the servers, through the weather.
final class NetworkPath: Sendable {
  /// After how many seconds somebody who hears nothing gives up.
  static let patienceSeconds: TimeInterval = 30

  private struct State {
    var generator: SeededGenerator
    var weather = Weather.fair
    var counts: [String: Int] = [:]
  }

  private let state: Mutex<State>
  private let clock: VirtualClock
  private let farm: ServerFarm

  init(seed: UInt64, clock: VirtualClock, farm: ServerFarm) {
    state = Mutex(State(generator: SeededGenerator(seed: seed)))
    self.clock = clock
    self.farm = farm
  }

  var weather: Weather {
    get { state.withLock { $0.weather } }
    set { state.withLock { $0.weather = newValue } }
  }

  /// How often each thing went wrong.
  var counts: [String: Int] { state.withLock { $0.counts } }

  /// Carries a request there and the answer back; nil when nothing came back.
  func carry(_ request: HTTPRequest, isFromApp: Bool) async -> HTTPResponse? {
    let fate = state.withLock { state in
      let fate = state.weather.fate(&state.generator)
      if fate.isRequestLost { state.counts["request lost", default: 0] += 1 }
      if fate.isAnswerLost { state.counts["answer lost", default: 0] += 1 }
      if fate.isDoubled { state.counts["request doubled", default: 0] += 1 }
      if fate.delayThere + fate.delayBack > 0 { state.counts["delayed", default: 0] += 1 }
      return fate
    }
    await pass(fate.delayThere)
    if fate.isRequestLost {
      await pass(Self.patienceSeconds)
      return nil
    }
    if fate.isDoubled {
      Task { [farm] in _ = await farm.answer(request, isFromApp: isFromApp) }
    }
    let response = await farm.answer(request, isFromApp: isFromApp)
    await pass(fate.delayBack)
    if fate.isAnswerLost {
      await pass(Self.patienceSeconds)
      return nil
    }
    return response
  }

  private func pass(_ seconds: TimeInterval) async {
    guard seconds > 0 else { return await Task.yield() }
    try? await clock.sleep(for: seconds)
  }
}
