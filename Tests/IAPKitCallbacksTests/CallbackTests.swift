import Dispatch
import Foundation
import IAPKit
import IAPKitCallbacks
import IAPModel
import SimulatedApp
import SimulatedDevice
import Testing

@Suite("Callbacks", .timeLimit(.minutes(1)))
struct CallbackTests {
  @Test("arrive on the main thread", arguments: generations)
  func mainThread(generation: StoreGeneration) async throws {
    let counter = try await Counter(generation)
    let heard = EventLog<String>()
    _ = try await counter.app.perform { manager in
      manager.loadProducts(ids: [Counter.coins.rawValue, "com.example.unknown"]) { result in
        MainActor.assertIsolated()
        heard.append("\((try? result.get())?.map(\.id) ?? [])")
      }
    }
    await heard.waitFor(1)
    #expect(heard.elements == ["\([Counter.coins.rawValue])"])
  }

  @Test("arrive on a queue of the caller's choice", arguments: generations)
  func queue(generation: StoreGeneration) async throws {
    let counter = try await Counter(generation)
    let key = DispatchSpecificKey<String>()
    let queue = DispatchQueue(label: "com.example.callbacks")
    queue.setSpecific(key: key, value: "mine")
    let heard = EventLog<String>()
    _ = try await counter.app.perform { manager in
      manager.buy(Counter.coins.rawValue, on: .dispatch(queue)) { outcome in
        heard.append("\(DispatchQueue.getSpecific(key: key) ?? "-") \(PurchaseState(outcome))")
      }
      manager.purchase(productId: Counter.lifetime.rawValue, on: .any) { result in
        heard.append("\((try? result.get())?.productId ?? "-")")
      }
    }
    await heard.waitFor(2)
    #expect(Set(heard.elements) == ["mine complete", Counter.lifetime.rawValue])
  }

  @Test("may ask again from inside a callback", arguments: generations)
  func nested(generation: StoreGeneration) async throws {
    let counter = try await Counter(generation)
    let heard = EventLog<String>()
    _ = try await counter.app.perform { manager in
      manager.loadProducts(ids: [Counter.coins.rawValue]) { result in
        guard let id = (try? result.get())?.first?.id else { return }
        manager.purchase(productId: id) { bought in
          heard.append((try? bought.get())?.productId ?? "failed")
        }
      }
    }
    await heard.waitFor(1)
    #expect(heard.elements == [Counter.coins.rawValue])
    #expect(counter.app.count(of: Counter.coins) == 1)
  }

  @Test("tell errors by their code", arguments: generations)
  func errors(generation: StoreGeneration) async throws {
    let counter = try await Counter(generation)
    counter.app.device.person.willAnswer(.cancel)
    let heard = EventLog<IAPError.Code>()
    _ = try await counter.app.perform { manager in
      manager.purchase(productId: Counter.coins.rawValue) { result in
        if case .failure(let error) = result { heard.append(error.code) }
      }
    }
    await heard.waitFor(1)
    _ = try await counter.app.perform { manager in
      manager.purchase(productId: "com.example.unknown") { result in
        if case .failure(let error) = result { heard.append(error.code) }
      }
    }
    await heard.waitFor(2)
    #expect(heard.elements == [.userCancelled, .productNotFound])
  }

  @Test("are not made for a request that was cancelled", arguments: generations)
  func cancelled(generation: StoreGeneration) async throws {
    let counter = try await Counter(generation)
    counter.app.device.person.willAnswer(.hold)
    let heard = EventLog<String>()
    let request = try await counter.app.perform { manager in
      manager.buy(Counter.coins.rawValue) { _ in heard.append("the one who left") }
    }
    await counter.app.device.sheet.waitUntilOpen()
    request.cancel()
    #expect(request.isCancelled)
    try counter.app.device.sheet.confirm()
    await counter.app.waitUntil(1, of: Counter.coins)
    _ = try await counter.app.perform { manager in
      manager.buy(Counter.lifetime.rawValue) { _ in heard.append("the one who stayed") }
    }
    await heard.waitFor(1)
    #expect(heard.elements == ["the one who stayed"])
  }

  @Test("of listeners come to each until it has had enough", arguments: generations)
  func listeners(generation: StoreGeneration) async throws {
    let counter = try await Counter(generation)
    let heard = EventLog<String>()
    let first = try await counter.app.perform { manager in
      manager.listen(on: .any) { heard.append("second \($0.productId)") }
      return manager.listen { heard.append("first \($0.productId)") }
    }
    _ = try await counter.app.buy(Counter.coins)
    await heard.waitFor(2)
    first.cancel()
    _ = try await counter.app.buy(Counter.lifetime)
    await heard.waitFor(3)
    #expect(
      Set(heard.elements) == [
        "first \(Counter.coins)", "second \(Counter.coins)", "second \(Counter.lifetime)",
      ]
    )
  }

  @Test("of a restore have the whole summary", arguments: generations)
  func restore(generation: StoreGeneration) async throws {
    let counter = try await Counter(generation)
    _ = try await counter.app.buy(Counter.lifetime)
    let heard = EventLog<RestoreSummary>()
    _ = try await counter.app.perform { manager in
      manager.restore { heard.append($0) }
      manager.restore(on: .any) { heard.append($0) }
    }
    await heard.waitFor(2)
    #expect(
      heard.elements.map { $0.alreadyHad.map(\.productId) }
        == Array(repeating: [Counter.lifetime.rawValue], count: 2)
    )
  }
}
