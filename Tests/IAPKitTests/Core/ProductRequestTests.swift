import Foundation
import IAPKit
import Testing

@Suite("Requests for products")
struct ProductRequestTests {
  private func product(_ id: String) -> IAPProduct {
    IAPProduct(
      id: id,
      type: nil,
      displayName: id,
      description: "",
      price: 1,
      currency: "USD",
      displayPrice: "$1.00"
    )
  }

  @Test("keep the order asked for, and ask for a repeated id once")
  func orderIsKept() {
    let request = ProductRequest(["b", "a", "b", "c"])
    let answer = request.answer([product("c"), product("a"), product("b")])
    #expect(request.ids == ["b", "a", "c"])
    #expect(answer.products.map(\.id) == ["b", "a", "c"])
    #expect(answer.missing == [])
  }

  @Test("report missing ids beside the products that were found")
  func missingIDsAreReported() {
    let answer = ProductRequest(["a", "x", "b", "y"]).answer([product("b"), product("a")])
    #expect(answer.products.map(\.id) == ["a", "b"])
    #expect(answer.missing == ["x", "y"])
  }

  @Test(
    "are cut at the limit",
    arguments: [
      (0, []), (1, [1]), (100, [100]), (101, [100, 1]), (1000, Array(repeating: 100, count: 10)),
    ]
  )
  func batches(count: Int, sizes: [Int]) {
    let ids = (0..<count).map { "p\($0)" }
    let batches = ProductRequest(ids).batches
    #expect(batches.map(\.count) == sizes)
    #expect(Array(batches.joined()) == ids)
  }

  @Test(
    "ask about ids that can exist only, and report the others as missing",
    arguments: [
      "", " ", "two words", "coins🪙", "商品", "a/b", "a\nb", String(repeating: "a", count: 101),
    ]
  )
  func impossibleIDs(id: String) {
    let request = ProductRequest(["good.id-1_A", id])
    #expect(!ProductRequest.isPossible(id))
    #expect(request.batches == [["good.id-1_A"]])
    #expect(request.answer([product("good.id-1_A")]).missing == [id])
    #expect(ProductRequest.isPossible(String(repeating: "a", count: 100)))
  }

  @Test("are not answered by an empty list in a cancelled task")
  func cancelledTask() async {
    let task = Task {
      try await ProductRequest(["a"]).load { _ in
        withUnsafeCurrentTask { $0?.cancel() }
        return []
      }
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { _ = try await task.value }
  }

  @Test("put all batches together, a few at a time")
  func batchesRunWithABound() async throws {
    let ids = (0..<950).map { "p\($0)" }
    let gauge = Gauge()
    let request = ProductRequest(ids)
    let found = try await request.load { batch in
      await gauge.enter()
      await Task.yield()
      await gauge.leave()
      return batch.reversed().map { id in
        IAPProduct(
          id: id,
          type: nil,
          displayName: id,
          description: "",
          price: 1,
          currency: nil,
          displayPrice: "1"
        )
      }
    }
    #expect(request.answer(found).products.map(\.id) == ids)
    #expect(await gauge.most <= ProductRequest.batchesInFlightMax)
  }

  @Test("fail when one batch fails")
  func oneFailureFailsAll() async {
    let ids = (0..<150).map { "p\($0)" }
    await #expect(throws: IAPError.network(underlying: CancellationError())) {
      _ = try await ProductRequest(ids).load { batch in
        guard batch.count == 100 else { throw IAPError.network(underlying: CancellationError()) }
        return []
      }
    }
  }
}

private actor Gauge {
  private(set) var most = 0
  private var present = 0

  func enter() {
    present += 1
    most = max(most, present)
  }

  func leave() { present -= 1 }
}
